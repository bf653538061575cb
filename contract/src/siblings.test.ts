import { expect, test } from 'vitest'
import {
  compareEnvironments,
  environmentKind,
  environmentOf,
  environmentTable,
  siblingsOf,
} from './siblings.ts'

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

const kinds = (names: string) => names.split(' ').map((name) => environmentKind(name))

test('numbers and further words after a dash, _ or / leave the kind of an environment as it is', () => {
  expect(kinds('stage stage-1 staging2 staging_eu Stage/eu')).toEqual(Array(5).fill('staging'))
  expect(kinds('dev-1 dev2 development-kim local_kim dev/kim')).toEqual(Array(5).fill('dev'))
  expect(kinds('prod-1 eu-prod production2 staging-prod')).toEqual(Array(4).fill('prod'))
  expect(kinds('stages backstage device test-stage qa-1')).toEqual(Array(5).fill(null))
})

test('what the server says of a bundle counts more than its name', () => {
  expect(environmentKind('dev/web', true)).toBe('prod')
  expect(environmentKind('prod/web', false)).toBeNull()
  expect(environmentKind('staging/web-prod', false)).toBe('staging')
})

const tableOf = (...names: string[]) => environmentTable(names.map((name) => ({ name })))

test('an environment is a column if its name says what it is, or if several applications have it', () => {
  const two = ['dev/web', 'preview/web', 'dev/api']
  expect(tableOf('single', 'night/job', ...two)).toEqual({
    environments: ['dev'],
    applications: [
      { name: 'api', cells: [{ name: 'dev/api' }] },
      { name: 'web', cells: [{ name: 'dev/web' }] },
    ],
    others: [{ name: 'night/job' }, { name: 'preview/web' }, { name: 'single' }],
  })
  expect(tableOf(...two, 'preview/api').environments).toEqual(['dev', 'preview'])
})
