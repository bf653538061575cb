import { expect, test } from 'vitest'
import { isProduction } from './production.ts'

test.each([
  ['prod', true],
  ['production', true],
  ['Prod/web', true],
  ['eu/PRODUCTION', true],
  ['shop-prod2', true],
  ['web_production01', true],
  ['product', false],
  ['products/web', false],
  ['productions', false],
  ['reproduction', false],
  ['preprod', false],
  ['nonprod/web', false],
  ['prodeu', false],
  ['prod2b', false],
  ['dev/web', false],
])('by its name, %s is for production: %s', (name, isSo) => {
  expect(isProduction({ name, tags: '', production: 'by_name' })).toBe(isSo)
})

test.each([
  ['prod', true],
  ['eu,prod', true],
  ['eu,prod-1', true],
  ['product,reproduction', false],
  ['pro,d', false],
  ['eu', false],
])('by the tags %s, a bundle is for production: %s', (tags, isSo) => {
  expect(isProduction({ name: 'web', tags, production: 'by_name' })).toBe(isSo)
})

test('what an owner says counts more than name and tags', () => {
  expect(isProduction({ name: 'prod/web', tags: 'prod', production: 'no' })).toBe(false)
  expect(isProduction({ name: 'dev/web', tags: '', production: 'yes' })).toBe(true)
})
