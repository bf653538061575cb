import { expect, test } from 'vitest'
import { NOTHING, type Selection, stateOf, ticked, tickedAll } from './selection.ts'

const shown = ['a', 'b', 'c', 'd', 'e']

function after(...ticks: (string | { to: string })[]): Selection {
  return ticks.reduce<Selection>((selection, tick) => {
    const isRange = typeof tick !== 'string'
    return ticked(selection, { id: isRange ? tick.to : tick, isRange, shown, most: 4 })
  }, NOTHING)
}

const chosen = ({ chosen: ids }: Selection) => [...ids].toSorted().join('')

test.each([
  ['a row is ticked', after('b'), 'b'],
  ['a second tick takes it off', after('b', 'b'), ''],
  ['a range goes from the last ticked row', after('b', { to: 'd' }), 'bcd'],
  ['a range goes upwards too', after('d', { to: 'b' }), 'bcd'],
  ['a range without a first row is one row', after({ to: 'c' }), 'c'],
  ['a range from an unticked row takes off what is ticked', after('b', 'c', 'd', 'b', { to: 'd' }), ''],
  ['no more than the most are chosen', after('a', { to: 'e' }), 'abcd'],
])('%s', (_rule, selection, expected) => {
  expect(chosen(selection)).toBe(expected)
})

test('a range leaves other rows as they are, also such as are not shown', () => {
  const before = { chosen: new Set(['x', 'a']), anchor: 'd' }
  expect(chosen(ticked(before, { id: 'e', isRange: true, shown, most: 9 }))).toBe('adex')
})

test('select all adds the shown rows, and takes them off if all are chosen', () => {
  const some = { chosen: new Set(['x', 'b']), anchor: null }
  const all = tickedAll(some, { shown, most: 9 })
  expect(chosen(all)).toBe('abcdex')
  expect(chosen(tickedAll(all, { shown, most: 9 }))).toBe('x')
})

test('select all stops at the most, and then takes off', () => {
  const full = tickedAll(NOTHING, { shown, most: 3 })
  expect(chosen(full)).toBe('abc')
  expect(chosen(tickedAll(full, { shown, most: 3 }))).toBe('')
})

test.each([
  [[], 'none'],
  [['x'], 'none'],
  [['a', 'x'], 'some'],
  [shown, 'all'],
] as const)('%j of the shown rows: %s', (ids, state) => {
  expect(stateOf(new Set(ids), shown)).toBe(state)
})
