import * as React from 'react'

type Cell = { value?: unknown; current?: unknown; deps?: readonly unknown[] | undefined; end?: unknown }

const INSIDE = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'

/** Runs a hook as a page does: with its effects, and again after each change of its state.
 * @returns what the hook gave last, and what ends its effects */
export function runHook<Result>(hook: () => Result): { now: () => Result; end: () => void } {
  const cells: Cell[] = []
  let [at, isRunning, isStale] = [0, false, true]
  let effects: (() => void)[] = []
  let result: Result
  const next = (): Cell => (cells[at++] ??= {})
  const isKept = (cell: Cell, deps?: readonly unknown[]) =>
    cell.deps !== undefined && deps?.every((each, index) => Object.is(each, cell.deps?.[index])) === true
  const made = (make: () => unknown, deps?: readonly unknown[]) => {
    const cell = next()
    if (!isKept(cell, deps)) Object.assign(cell, { value: make(), deps })
    return cell.value
  }
  const endOf = ({ end }: Cell) => typeof end === 'function' && end()
  const useState = (first: unknown): [value: unknown, set: (change: unknown) => void] => {
    const cell = next()
    if (!('value' in cell)) cell.value = typeof first === 'function' ? first() : first
    const set = (change: unknown) => {
      const value = typeof change === 'function' ? change(cell.value) : change
      if (Object.is(value, cell.value)) return
      cell.value = value
      isStale = true
      run()
    }
    return [cell.value, set]
  }
  const useEffect = (effect: () => unknown, deps?: readonly unknown[]) => {
    const cell = next()
    if (isKept(cell, deps)) return
    cell.deps = deps
    effects.push(() => {
      endOf(cell)
      cell.end = effect()
    })
  }
  const hooks = {
    useState,
    useEffect,
    useLayoutEffect: useEffect,
    useMemo: made,
    useCallback: (act: unknown, deps: readonly unknown[]) => made(() => act, deps),
    useSyncExternalStore: (subscribe: (changed: () => void) => () => void, read: () => unknown) => {
      const [, draw] = useState({})
      useEffect(() => subscribe(() => draw({})), [subscribe])
      return read()
    },
    useRef: (current: unknown) => made(() => ({ current }), []),
  }
  const run = () => {
    if (isRunning) return
    isRunning = true
    const inside = (React as unknown as Record<string, { H: unknown }>)[INSIDE] ?? { H: null }
    while (isStale) {
      ;[at, isStale, effects] = [0, false, []]
      inside.H = hooks
      result = hook()
      inside.H = null
      for (const effect of effects) effect()
    }
    isRunning = false
  }
  run()
  return { now: () => result, end: () => cells.forEach(endOf) }
}
