import { expect, test } from 'vitest'
import { findDestinations } from './destinations.ts'

const at = '2026-01-31T12:00:00.000Z'
const changed = { created_at: at, updated_at: at, created_by: '', updated_by: '', updated_by_name: null }

const bundle = (name: string) => ({
  ...changed,
  id: name,
  name,
  description: '',
  tags: '',
  production: 'by_name' as const,
  tenant_id: '',
  key_count: 0,
})
const key = (name: string) => ({
  ...changed,
  id: name,
  name,
  value: '*****',
  is_secret: true,
  is_template: false,
  template_parts: [],
  description: '',
  used_in_bundles: 0,
  version: 1,
  value_set_at: '',
  value_set_by: { kind: 'user' as const, id: '', name: null },
  value_changed_elsewhere_at: null,
  expires_at: null,
  rotate_after_days: null,
  due: null,
  may_change: true,
  may_show: true,
})
const names = (query: string, bundles: readonly string[], keys: readonly string[]) =>
  findDestinations(query, { bundles: bundles.map(bundle), keys: keys.map(key), isOwner: false }).map(
    ({ name }) => name,
  )

test('an exact name comes first, then beginnings of names, then of their parts, then the rest', () => {
  const keys = ['MY_DATABASE', 'METADATA', 'DATA_DIR', 'DATA']
  expect(names('data', ['prod/data', 'data/app'], keys)).toEqual([
    'DATA',
    'data/app',
    'DATA_DIR',
    'prod/data',
    'MY_DATABASE',
    'METADATA',
  ])
})

test('a good match is found behind many poor ones', () => {
  const poor = Array.from({ length: 200 }, (_, index) => `XPORT${index}`)
  const found = names('port', [], [...poor, 'PORT'])
  expect(found[0]).toBe('PORT')
  expect(found).toHaveLength(50)
})

test('without a query the pages come first', () => {
  expect(names('', ['a'], ['B'])[0]).toBe('Bundles')
})

test.each([
  [true, ['activity']],
  [false, []],
])('an owner (%s) is led to the activity, another member is not', (isOwner, ids) => {
  const found = findDestinations('activity', { bundles: [], keys: [], isOwner })
  expect(found.map(({ id }) => id)).toEqual(ids)
})
