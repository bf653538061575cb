import { createContext, useContext, useLayoutEffect, useState } from 'react'

const QUESTION = 'You have text here that is not saved. Leave this page and lose it?'
const CLOSE_QUESTION = 'You have text here that is not saved. Close this and lose it?'

// Everything on the page that is not saved, the forms of its dialogs included.
const unsaved = new Set<symbol>()
let shownAt = ''

/** Whether the page contains something that is not saved. */
export const hasUnsaved = (): boolean => unsaved.size > 0

type Scope = { question: string; marks: Set<symbol> }

/** What is not saved in the nearest dialog, or on the page. A dialog provides its own. */
export const UnsavedScope = createContext<Scope>({ question: QUESTION, marks: unsaved })

export function useDialogScope(): Scope {
  const [scope] = useState(() => ({ question: CLOSE_QUESTION, marks: new Set<symbol>() }))
  return scope
}

/** While `isUnsaved`, leaving the page asks first: by a link, the back button, or closing the tab. So does closing the
 * dialog that the form is in.
 * @returns what a form calls once its text is saved, before it leads elsewhere */
export function useUnsaved(isUnsaved: boolean): () => void {
  const { marks } = useContext(UnsavedScope)
  const [mark] = useState(() => Symbol('unsaved'))
  const remove = () => {
    unsaved.delete(mark)
    marks.delete(mark)
  }
  // With the change and not after it is painted, so that a key pressed right after typing finds the mark.
  useLayoutEffect(() => {
    if (!isUnsaved) return undefined
    unsaved.add(mark)
    marks.add(mark)
    shownAt = location.href
    return () => {
      unsaved.delete(mark)
      marks.delete(mark)
    }
  }, [isUnsaved, mark, marks])
  return remove
}

/** Closes a dialog or a form, unless the person stays with what is not saved in it. */
export function useClosing(): (close: () => void) => void {
  const scope = useContext(UnsavedScope)
  return (close) => closeScope(scope, close)
}

export function closeScope({ question, marks }: Scope, close: () => void): void {
  if (mayLose(marks, question)) close()
}

type Navigate<Options> = (to: string, options?: Options) => void

/** Navigate within the app, unless the person stays with what is not saved. */
export function leaveFor<Options>(navigate: Navigate<Options>, to: string, options?: Options): void {
  if (isSamePage(to) || mayLose(unsaved, QUESTION)) navigate(to, options)
}

/** Ask before the tab closes or the browser goes back, too. To be called before anything else listens to `popstate`. */
export function watchLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (unsaved.size > 0) event.preventDefault()
  })
  addEventListener('popstate', (event) => {
    if (unsaved.size === 0 || isSamePage(shownAt) || mayLose(unsaved, QUESTION)) return
    event.stopImmediatePropagation()
    history.pushState(null, '', shownAt)
  })
}

function isSamePage(to: string): boolean {
  return new URL(to, location.href).pathname === location.pathname
}

function mayLose(marks: Set<symbol>, question: string): boolean {
  if (marks.size === 0) return true
  // oxlint-disable-next-line no-alert -- the one question that can stop a navigation until it is answered
  if (!confirm(question)) return false
  for (const mark of marks) unsaved.delete(mark)
  marks.clear()
  return true
}
