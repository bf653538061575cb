import { expect, test } from 'vitest'
import type { RequestBundleItem } from '../../lib/answers.ts'
import { firstBundle, firstKeys, splitByAsking } from './selection.ts'

const bundles = ['dev/app', 'prod/app'].map((name) => ({ id: `id of ${name}`, name, description: '' }))

function items(...names: string[]): RequestBundleItem[] {
  return names.map((key) => ({ key, value: '*****', is_secret: true, description: null, required: false }))
}

test('the suggested bundle is found by id and by name', () => {
  expect(firstBundle(bundles, 'id of prod/app')?.name).toBe('prod/app')
  expect(firstBundle(bundles, 'prod/app')?.name).toBe('prod/app')
})

test('an unknown suggestion chooses nothing, not even the only bundle', () => {
  expect(firstBundle(bundles.slice(0, 1), 'qa/app')).toBeNull()
})

test('without a suggestion only a single bundle is chosen', () => {
  expect(firstBundle(bundles, null)).toBeNull()
  expect(firstBundle(bundles.slice(0, 1), null)?.name).toBe('dev/app')
  expect(firstBundle([], null)).toBeNull()
})

test('without a template every key is selected', () => {
  expect(firstKeys(items('A', 'B'), [])).toEqual({ selected: new Set(['A', 'B']), missing: [] })
})

test('with a template only keys that exist are selected, and the others are named once', () => {
  expect(firstKeys(items('A', 'B'), ['B', 'X', 'X'])).toEqual({ selected: new Set(['B']), missing: ['X'] })
})

test('what was not asked for stands apart, unless nothing was named', () => {
  const [a, b, c] = items('A', 'B', 'C')
  expect(splitByAsking(items('A', 'B', 'C'), ['C', 'X', 'A'])).toEqual({ asked: [a, c], others: [b] })
  expect(splitByAsking(items('A', 'B', 'C'), [])).toEqual({ asked: [a, b, c], others: [] })
})
