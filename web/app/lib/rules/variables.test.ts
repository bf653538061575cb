import { expect, test } from 'vitest'
import { byVariable, variableOf } from './variables.ts'

const use = (name: string, as: string) => ({ id: name, name, as })
const dev = { id: '1', name: 'URL', bundles: [use('dev/app', 'URL')] }
const prod = { id: '2', name: 'PROD_APP_URL', bundles: [use('prod/app', 'URL'), use('eu/app', 'EU_URL')] }
const spare = { id: '3', name: 'SPARE', bundles: [] }

test('keys that bundles deliver under one name are values of one variable', () => {
  expect(byVariable([spare, dev, prod])).toEqual([
    { name: 'SPARE', keys: [spare] },
    { name: 'URL', keys: [dev, prod] },
  ])
})

test('the bundle that a person comes from says what a key is called', () => {
  expect(variableOf(prod)).toBe('URL')
  expect(variableOf(prod, 'eu/app')).toBe('EU_URL')
  expect(variableOf(spare, 'eu/app')).toBe('SPARE')
})
