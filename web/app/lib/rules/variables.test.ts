import { expect, test } from 'vitest'
import { variableOf } from './variables.ts'

const use = (name: string, as: string) => ({ id: name, name, as })
const prod = { id: '2', name: 'PROD_APP_URL', bundles: [use('prod/app', 'URL'), use('eu/app', 'EU_URL')] }
const spare = { id: '3', name: 'SPARE', bundles: [] }

test('the bundle that a person comes from says what a key is called', () => {
  expect(variableOf(prod)).toBe('URL')
  expect(variableOf(prod, 'eu/app')).toBe('EU_URL')
  expect(variableOf(spare, 'eu/app')).toBe('SPARE')
})
