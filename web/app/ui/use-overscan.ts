import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

// Up to here every row is in the document, so that the browser's own search finds it.
const ALL_ROWS_BELOW = 300

/** How many rows of a list are in the document before and after those in view: all of a shorter list, and all while the
 * page is printed. */
export function useOverscan(count: number, few: number, allBelow = ALL_ROWS_BELOW): number {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true))
    const after = () => setPrinting(false)
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
    }
  }, [])
  return isPrinting || count < allBelow ? count : few
}
