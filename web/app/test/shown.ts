import { act, createElement, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import './addresses.ts'

/** Show something on the page of a test whose environment has a document. Its effects have run when this returns.
 * @returns what takes it away again */
export function show(node: ReactNode): () => void {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  act(() => root.render(node))
  return () => {
    act(() => root.unmount())
    place.remove()
  }
}

/** Use a hook in a component of its own.
 * @returns `now`: what it gave last · `end`: takes the component away */
export function showHook<Result>(hook: () => Result): { now: () => Result; end: () => void } {
  const given: Result[] = []
  const Component = () => {
    given[0] = hook()
    return null
  }
  const end = show(createElement(Component))
  const now = () => {
    const [result] = given
    if (given.length === 0) throw new Error('it was not drawn yet')
    return result as Result
  }
  return { now, end }
}
