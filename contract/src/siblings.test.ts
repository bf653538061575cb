import { expect, test } from 'vitest'
import { environmentOf, siblingsOf } from './siblings.ts'

const bundles = ['prod/eu/shop', 'dev/shop', 'shop', 'dev/mail', 'ci'].map((name) => ({ name }))
const namesFor = (name: string) => siblingsOf(name, bundles).map((bundle) => bundle.name)

test('bundles whose names end with the same part are environments of one application', () => {
  expect(namesFor('dev/shop')).toEqual(['dev/shop', 'prod/eu/shop'])
  expect(namesFor('dev/mail')).toEqual(['dev/mail'])
})

test('a name without folders has no siblings and is none', () => {
  expect(namesFor('shop')).toEqual(['shop'])
  expect(environmentOf('shop')).toBe('')
  expect(environmentOf('prod/eu/shop')).toBe('prod/eu')
})
