import { afterEach, expect, test, vi } from 'vitest'
import { runHook } from '../test/run-hook.ts'
import { useMatrixFocus } from './matrix-focus.ts'
import { SearchField } from './search-field.tsx'
import { notify } from './toast-store.ts'
import { Toasts } from './toasts.tsx'
import { useActiveOption } from './use-active-option.ts'

afterEach(() => void vi.unstubAllGlobals())

class Target {
  readonly dataset: { cell?: string }
  readonly field: string | null
  constructor(cell?: string, field: string | null = null) {
    this.dataset = cell === undefined ? {} : { cell }
    this.field = field
  }
  closest() {
    return this.field
  }
  matches() {
    return this.field !== null
  }
}

type Key = { key: string; ctrlKey?: boolean; metaKey?: boolean; altKey?: boolean; target?: Target }

/** A page whose keys a component takes, while it is on the page. */
function pageWith(component: () => unknown) {
  const listeners = new Set<(event: object) => void>()
  vi.stubGlobal('Element', Target)
  vi.stubGlobal('HTMLElement', Target)
  vi.stubGlobal('document', {
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
  })
  const { end } = runHook(component)
  const press = (key: Key) => {
    const preventDefault = vi.fn()
    for (const listener of listeners) listener({ target: new Target(), ...key, preventDefault })
    return preventDefault.mock.calls.length > 0
  }
  return { press, end, listeners }
}

const OTHERS: readonly [string, Partial<Key>][] = [
  ['with Ctrl', { ctrlKey: true }],
  ['with Meta', { metaKey: true }],
  ['with Alt', { altKey: true }],
  ['in a field', { target: new Target(undefined, 'input') }],
  ['another key', { key: 'a' }],
]

const field = () => SearchField({ label: 'Filter', value: '', onChange: () => undefined })

test('the key / is for the search', () => {
  const { press, end, listeners } = pageWith(field)
  expect(press({ key: '/' })).toBe(true)
  end()
  expect(listeners.size).toBe(0)
})

test.each(OTHERS)('… but not %s', (_, change) => {
  expect(pageWith(field).press({ key: '/', ...change })).toBe(false)
})

const undoes = (change: Partial<Key> = {}) => {
  const undone: string[] = []
  const { press, end, listeners } = pageWith(Toasts)
  notify({ text: 'older', undo: () => void undone.push('older') })
  notify({ text: 'newer', undo: () => void undone.push('newer') })
  notify({ text: 'without Undo' })
  for (let presses = 0; presses < 3; presses++) press({ key: 'z', ...change })
  end()
  expect(listeners.size).toBe(0)
  return undone
}

test('the key z takes back the newest, then the one before', () => {
  expect(undoes()).toEqual(['newer', 'older'])
})

test.each(OTHERS)('… but nothing %s', (_, change) => {
  expect(undoes(change)).toEqual([])
})

test.each<[string, number, boolean, number, number | null]>([
  ['ArrowDown', 0, true, 1, null],
  ['ArrowDown', 2, true, 0, null],
  ['ArrowUp', 0, true, 2, null],
  ['Enter', 2, true, 2, 2],
  ['a', 1, false, 1, null],
])('in a list of three, %s at %i: taken %s, then at %i, picked %s', (key, at, isTaken, after, picked) => {
  const pick = vi.fn()
  const option = runHook(() => useActiveOption(3, pick)).now
  option().setActive(at)
  const preventDefault = vi.fn()
  const press = { key, nativeEvent: {}, preventDefault } as never
  expect(option().onKeyDown(press)).toBe(isTaken)
  expect([option().active, pick.mock.calls[0]?.[0] ?? null]).toEqual([after, picked])
  expect(preventDefault).toHaveBeenCalledTimes(isTaken ? 1 : 0)
})

/** Where the focus goes from a cell of a matrix of three rows, the last of which is one cell wide. */
function moved(from: string, key: Key): string | null {
  vi.stubGlobal('HTMLElement', Target)
  const focused: string[] = []
  const cells = ['0 0', '0 1', '0 2', '1 0', '1 1', '1 2', '2 0'].map((cell) =>
    Object.assign(new Target(cell), { focus: () => void focused.push(cell) }),
  )
  const querySelectorAll = (selector: string) => {
    const start = /^\[data-cell\^="(.*)"\]$/.exec(selector)?.[1] ?? '-'
    return cells.filter(({ dataset }) => dataset.cell?.startsWith(start))
  }
  const { table } = runHook(() => useMatrixFocus([0, 1, 2])).now()
  const preventDefault = vi.fn()
  const target = cells.find(({ dataset }) => dataset.cell === from) ?? new Target()
  table.onKeyDown({ target, currentTarget: { querySelectorAll }, preventDefault, ...key } as never)
  expect(preventDefault).toHaveBeenCalledTimes(focused.length)
  return focused.join() || null
}

test.each<[string, string, string | null]>([
  ['0 1', 'ArrowDown', '1 1'],
  ['1 2', 'ArrowDown', '2 0'],
  ['2 0', 'ArrowDown', null],
  ['1 1', 'ArrowUp', '0 1'],
  ['0 1', 'ArrowUp', null],
  ['0 1', 'ArrowRight', '0 2'],
  ['0 2', 'ArrowRight', null],
  ['0 1', 'ArrowLeft', '0 0'],
  ['0 0', 'ArrowLeft', null],
  ['1 1', 'Home', '1 0'],
  ['1 1', 'End', '1 2'],
  ['1 1', 'x', null],
  ['no cell', 'ArrowDown', null],
])('in a matrix, from %s with %s to %s', (from, key, to) => {
  expect(moved(from, { key })).toBe(to)
})

test.each(['ctrlKey', 'metaKey', 'altKey'])(
  'in a matrix, an arrow with %s is for the browser',
  (modifier) => {
    expect(moved('0 1', { key: 'ArrowDown', [modifier]: true })).toBeNull()
  },
)

test('the tab stop is where the focus was; without its row, it is the first cell that is drawn', () => {
  vi.stubGlobal('HTMLElement', Target)
  let drawn = [0, 1, 2]
  const matrix = runHook(() => useMatrixFocus(drawn)).now
  const stops = () =>
    ['0 0', '1 0', '1 1', '2 0'].filter((cell) => {
      const [row = 0, column = 0] = cell.split(' ').map(Number)
      const props = matrix().cell(row, column)
      expect(props['data-cell']).toBe(cell)
      return props.tabIndex === 0
    })
  expect(stops()).toEqual(['0 0'])
  matrix().table.onFocus({ target: new Target('1 1') } as never)
  expect(stops()).toEqual(['1 1'])
  matrix().table.onFocus({ target: new Target() } as never)
  expect(stops()).toEqual(['1 1'])
  drawn = [1]
  matrix().table.onFocus({ target: new Target('2 0') } as never)
  expect(stops()).toEqual(['1 0'])
})
