import { expect, test } from 'vitest'
import { compareEnvironments, environmentKind, environmentOf, siblingsOf } from './siblings.ts'

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

test('environments are in the order dev, staging, prod, others by name', () => {
  const shuffled = ['test', 'production/eu', 'ci', 'prod', 'Staging', 'dev', 'local/kim', 'qa-10', 'QA-9', '']
  expect(shuffled.toSorted(compareEnvironments)).toEqual([
    'dev',
    'local/kim',
    'Staging',
    'prod',
    'production/eu',
    '',
    'ci',
    'QA-9',
    'qa-10',
    'test',
  ])
  expect(environmentKind('prod/eu')).toBe('prod')
  expect(environmentKind('preprod')).toBeNull()
})
