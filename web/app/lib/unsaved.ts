import { useEffect, useState } from 'react'

const QUESTION = 'You have text here that is not saved. Leave this page and lose it?'

const unsaved = new Set<symbol>()
let shownAt = ''

/** While `isUnsaved`, leaving the page asks first: by a link, the back button, or closing the tab.
 * @returns what a form calls once its text is saved, before it leads elsewhere */
export function useUnsaved(isUnsaved: boolean): () => void {
  const [mark] = useState(() => Symbol('unsaved'))
  useEffect(() => {
    if (!isUnsaved) return undefined
    unsaved.add(mark)
    shownAt = location.href
    return () => void unsaved.delete(mark)
  }, [isUnsaved, mark])
  return () => void unsaved.delete(mark)
}

type Navigate<Options> = (to: string, options?: Options) => void

/** Navigate within the app, unless the person stays with what is not saved. */
export function leaveFor<Options>(navigate: Navigate<Options>, to: string, options?: Options): void {
  if (isSamePage(to) || mayLeave()) navigate(to, options)
}

/** Ask before the tab closes or the browser goes back, too. To be called before anything else listens to `popstate`. */
export function watchLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (unsaved.size > 0) event.preventDefault()
  })
  addEventListener('popstate', (event) => {
    if (unsaved.size === 0 || isSamePage(shownAt) || mayLeave()) return
    event.stopImmediatePropagation()
    history.pushState(null, '', shownAt)
  })
}

function isSamePage(to: string): boolean {
  return new URL(to, location.href).pathname === location.pathname
}

function mayLeave(): boolean {
  if (unsaved.size === 0) return true
  // oxlint-disable-next-line no-alert -- the one question that can hold a navigation until it is answered
  if (!confirm(QUESTION)) return false
  unsaved.clear()
  return true
}
