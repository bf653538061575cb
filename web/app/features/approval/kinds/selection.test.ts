import { expect, test } from 'vitest'
import type { RequestBundleItem } from '../../../lib/calls/answers.ts'
import { changedFirst, firstKeys, leftOutOf, splitByAsking, stricterKeys, unaskedOf } from './selection.ts'

function items(...names: string[]): RequestBundleItem[] {
  return names.map((key) => ({
    key,
    key_name: key,
    value: '*****',
    is_secret: true,
    description: null,
    required: false,
    due: null,
  }))
}

test('without a template every key is selected', () => {
  expect(firstKeys({ items: items('A', 'B'), templateKeys: [] })).toEqual({
    selected: new Set(['A', 'B']),
    missing: [],
  })
})

test('with a template only keys that exist are selected, and the others are named once', () => {
  expect(firstKeys({ items: items('A', 'B'), templateKeys: ['B', 'X', 'X'] })).toEqual({
    selected: new Set(['B']),
    missing: ['X'],
  })
})

test('what the bundle cannot build is not selected', () => {
  const [a, b] = items('A', 'B').map((item) => ({ ...item, missing_parts: item.key === 'A' ? ['HOST'] : [] }))
  const both = [a, b].filter((item) => item !== undefined)
  expect(firstKeys({ items: both, templateKeys: [] }).selected).toEqual(new Set(['B']))
  expect(firstKeys({ items: both, templateKeys: ['A', 'B'] })).toEqual({
    selected: new Set(['B']),
    missing: [],
  })
})

test('what changed since the last approval comes first, else the order stays', () => {
  const changes = [undefined, false, true, undefined, true]
  const some = items('A', 'B', 'C', 'D', 'E').map((item, index) => ({ ...item, changed: changes[index] }))
  expect(changedFirst(some as RequestBundleItem[]).map(({ key }) => key)).toEqual(['C', 'E', 'A', 'B', 'D'])
})

test('keys that were not requested are listed separately, unless the request names none', () => {
  const [a, b, c] = items('A', 'B', 'C')
  expect(splitByAsking({ items: items('A', 'B', 'C'), templateKeys: ['C', 'X', 'A'] })).toEqual({
    asked: [a, c],
    others: [b],
  })
  expect(splitByAsking({ items: items('A', 'B', 'C'), templateKeys: [] })).toEqual({
    asked: [a, b, c],
    others: [],
  })
})

test('a selected key that was not requested is strange, and so is a required one that is deselected', () => {
  const both = items('A', 'B').map((item) => ({ ...item, required: true }))
  expect(unaskedOf({ items: both, templateKeys: ['A'], selected: new Set(['A', 'B']) })).toEqual(['B'])
  expect(leftOutOf({ items: both, templateKeys: ['A'], selected: new Set() })).toEqual(['A'])
  expect(leftOutOf({ items: both, templateKeys: [], selected: new Set(['B']) })).toEqual(['A'])
})

test('the rules are asked again for the selected keys that another bundle makes stricter, as many as fit', () => {
  const both = items('A', 'B', 'C').map((item) => ({ ...item, stricter: item.key !== 'C' }))
  expect(stricterKeys({ items: both, templateKeys: [], selected: new Set(['A', 'B', 'C']) })).toBeNull()
  expect(stricterKeys({ items: both, templateKeys: [], selected: new Set(['A', 'B']) })).toBeNull()
  expect(stricterKeys({ items: both, templateKeys: [], selected: new Set(['C']) })).toBe('')
  expect(stricterKeys({ items: both, templateKeys: ['C'], selected: new Set(['B', 'C']) })).toBe('B')
  expect(stricterKeys({ items: items('A'), templateKeys: ['A'], selected: new Set() })).toBeNull()
  const names = Array.from({ length: 1_000 }, (_, index) => `NAME_${index}`)
  const many = items(...names).map((item) => ({ ...item, stricter: true }))
  const sent = stricterKeys({ items: many, templateKeys: ['NAME_0'], selected: new Set(names) }) ?? ''
  expect(sent.length).toBeLessThanOrEqual(4_000)
  expect(names.slice(0, sent.split(',').length)).toEqual(sent.split(','))
})
