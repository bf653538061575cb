import { useEffect } from 'react'

/** Name the document after what it shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Keyferry`
  }, [title])
}
