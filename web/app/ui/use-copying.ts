import { useState } from 'react'
import { notify } from './toast-store.ts'

/** Copies a text to the clipboard, and says so if the browser does not allow it.
 * @returns whether it was copied, for `shownMs` if given */
export function useCopying(text: string, shownMs?: number) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return notify({
        text: 'The browser did not allow copying. Select the text and copy it.',
        tone: 'problem',
      })
    }
    setCopied(true)
    if (shownMs !== undefined) setTimeout(() => setCopied(false), shownMs)
  }
  return { isCopied, copy: () => void copy() }
}
