import { expect, test } from 'vitest'
import { type BundleValue, importOf, placesUsed, problemsIn } from './variable-draft.ts'

const places = (given: Record<string, BundleValue>) => new Map(Object.entries(given))

test('one import makes it everywhere, and a key that is used again exists before', () => {
  const chosen = places({
    'dev/shop': { kind: 'same', as: 'prod/shop' },
    'prod/shop': { kind: 'own', value: 'x' },
    'qa/shop': { kind: 'none' },
    'staging/shop': { kind: 'own', value: 'y' },
  })
  const here = new Map([['staging/shop', 3]])
  expect(importOf({ name: 'URL', isSecret: true, places: chosen, here })).toEqual({
    bundle: 'prod/shop',
    entries: [{ name: 'URL', value: 'x', is_secret: true }],
    own: ['URL'],
    seen: [],
    also: [
      {
        bundle: 'staging/shop',
        entries: [{ name: 'URL', value: 'y' }],
        own: ['URL'],
        seen: [{ name: 'URL', version: 3 }],
      },
      { bundle: 'dev/shop', entries: [{ name: 'URL', from: 'prod/shop' }], seen: [] },
    ],
  })
  expect(placesUsed(chosen)).toEqual(['dev/shop', 'prod/shop', 'staging/shop'])
})

test('a variable for no bundle is no import', () => {
  expect(
    importOf({
      name: 'URL',
      isSecret: true,
      places: places({ 'dev/shop': { kind: 'none' } }),
      here: new Map(),
    }),
  ).toBeNull()
})

test('a value that cannot be stored is named with its bundle', () => {
  const bad = problemsIn(places({ 'dev/shop': { kind: 'own', value: 'a\0b' }, ci: { kind: 'none' } }))
  expect([...bad.keys()]).toEqual(['dev/shop'])
})
