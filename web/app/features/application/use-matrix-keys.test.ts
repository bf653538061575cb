import { createElement, useState } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { type Place, useMatrixKeys } from './use-matrix-keys.ts'

/** What happens to the element of a place when the focus goes there.
 * @param missing how often the row is looked for before it is in the document */
function goTo(
  place: Place,
  missing = 0,
): [found: string, ...done: (readonly [what: string, given: unknown])[]] {
  let found = ''
  let looks = 0
  const done: [string, unknown][] = []
  const element = {
    focus: (options: object) => done.push(['focus', options]),
    scrollIntoView: (options: object) => done.push(['scrollIntoView', options]),
  }
  const querySelector = (selector: string) => {
    found = selector
    looks += 1
    return looks > missing ? element : null
  }
  const show = (name: string) => done.push(['show', name])
  let go: ReturnType<typeof useMatrixKeys>['go'] | undefined
  const Table = () => {
    const table = { current: { querySelector } }
    const parts = { table, rows: [], columns: 2, environments: [], added: null, show }
    go = useMatrixKeys(parts as never).go
    return null
  }
  renderToStaticMarkup(createElement(Table))
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => {
    done.push(['draws', looks])
    draw()
  })
  try {
    go?.(place)
  } finally {
    vi.unstubAllGlobals()
  }
  return [found, ...done]
}

test('the element that takes the focus comes into view by the shortest way, down and sideways', () => {
  expect(goTo({ name: 'PORT', column: 2 })).toEqual([
    '[data-at="2 PORT"]',
    ['focus', { preventScroll: true }],
    ['scrollIntoView', { block: 'nearest', inline: 'nearest' }],
  ])
})

test('a row outside the document is shown, and takes the focus once it is drawn', () => {
  const shown = [
    ['show', 'PORT'],
    ['draws', 1],
    ['draws', 1],
  ]
  const taken = [
    ['focus', { preventScroll: true }],
    ['scrollIntoView', { block: 'nearest', inline: 'nearest' }],
  ]
  expect(goTo({ name: 'PORT', column: 0 }, 1)).toEqual(['[data-at="0 PORT"]', ...shown, ...taken])
  expect(goTo({ name: 'PORT', column: 0 }, 2)).toEqual(['[data-at="0 PORT"]', ...shown])
})

class Cell {
  readonly dataset: { at: string }
  constructor(at: string) {
    this.dataset = { at }
  }
  matches() {
    return false
  }
}

type Key = { key: string; shiftKey?: boolean; ctrlKey?: boolean }

/** What these keys do on the name of the first variable (column 0) or on its value, and where the tab stop is then. */
function pressed(column: number, keys: readonly Key[]): string[] {
  const done: string[] = []
  const noted =
    (what: string) =>
    (...given: unknown[]) =>
      void done.push([what, ...given].join(' '))
  const target = new Cell(`${column} A`)
  let [isFocused, left] = [false, keys]
  const Table = () => {
    const [, draw] = useState(-1)
    const { place, ...on } = useMatrixKeys({
      table: { current: null },
      rows: Array.from('ABCDEFGHIJKL', (name) => ({ name, cells: [{ key_id: `of ${name}` }] })),
      columns: 1,
      environments: [{ id: 'dev' }],
      added: null,
      changes: {
        share: (bundle: { id: string }, row: { name: string }) =>
          done.push(`share ${row.name} with ${bundle.id}`),
        ask: ({ name, cell }: { name: string; cell: { key_id: string } }) =>
          done.push(`remove ${name}, ${cell.key_id}`),
      },
      show: () => undefined,
      acts: { toggle: noted('open'), onAdd: noted('add'), tick: noted('tick') },
    } as never)
    const [key, ...others] = left
    if (!isFocused) on.onFocus({ target } as never)
    else if (key !== undefined) {
      on.onKeyDown({ target, ...key, preventDefault: noted('no scroll') } as never)
      on.onKeyUp({ target, ...key, preventDefault: noted('no press') } as never)
      left = others
    } else {
      done.push(`at ${place.column} ${place.name}`)
      return null
    }
    isFocused = true
    draw(left.length)
    return null
  }
  vi.stubGlobal('HTMLElement', Cell)
  vi.stubGlobal('navigator', { clipboard: { writeText: noted('copy') } })
  vi.stubGlobal('requestAnimationFrame', () => 0)
  renderToStaticMarkup(createElement(Table))
  vi.unstubAllGlobals()
  return done
}

const [DOWN, RIGHT] = ['ArrowDown', 'ArrowRight']

test.each<[string, number, Key[], string[]]>([
  ['arrows move', 0, [{ key: DOWN }, { key: RIGHT }], ['no scroll', 'no scroll', 'at 1 B']],
  ['Page down moves by ten rows', 0, [{ key: 'PageDown' }], ['no scroll', 'at 0 K']],
  [
    'Shift and an arrow select a range',
    0,
    [{ key: DOWN, shiftKey: true }],
    ['tick B true', 'no scroll', 'at 0 B'],
  ],
  ['Shift and an arrow to the side only move', 0, [{ key: RIGHT, shiftKey: true }], ['no scroll', 'at 1 A']],
  [
    'Space opens the row, and presses no button',
    0,
    [{ key: ' ' }],
    ['open A', 'no scroll', 'no press', 'at 0 A'],
  ],
  ['x selects the row alone', 0, [{ key: 'x' }], ['tick A false', 'no scroll', 'at 0 A']],
  ['c copies the name', 0, [{ key: 'c' }], ['copy A', 'no scroll', 'at 0 A']],
  ['n adds a variable', 0, [{ key: 'n' }], ['add', 'no scroll', 'at 0 A']],
  ['= takes the key of another environment', 1, [{ key: '=' }], ['share A with dev', 'no scroll', 'at 1 A']],
  ['Delete takes it out', 1, [{ key: 'Delete' }], ['remove A, of A', 'no scroll', 'at 1 A']],
  ['= and Delete do nothing on a name', 0, [{ key: '=' }, { key: 'Delete' }], ['at 0 A']],
  [
    'the browser does what it does on other keys',
    0,
    [{ key: 'Tab' }, { key: 'x', ctrlKey: true }],
    ['at 0 A'],
  ],
])('keys of the table: %s', (_, column, keys, done) => {
  expect(pressed(column, keys)).toEqual(done)
})
