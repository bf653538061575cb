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
  may_edit: true,
  may_duplicate: true,
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
const ASKED = { elsewhere: [], actions: [], recent: [], may: () => false }
const names = (query: string, bundles: readonly string[], keys: readonly string[]) =>
  findDestinations(query, { ...ASKED, own: { bundles: bundles.map(bundle), keys: keys.map(key) } }).map(
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

test('only what the person may change is offered for a change', () => {
  const own = {
    bundles: [bundle('dev/app'), { ...bundle('prod/app'), may_edit: false }],
    keys: [key('PORT'), { ...key('TOKEN'), may_change: false }],
  }
  const found = ['add variable', 'rotate'].flatMap((query) => findDestinations(query, { ...ASKED, own }))
  expect(found.map(({ name }) => name)).toEqual(['Add variable to dev/app', 'Rotate PORT'])
})

test('without a query the pages come first', () => {
  expect(names('', ['a'], ['B'])[0]).toBe('Applications')
})

test('among equals, what the person opened last comes first', () => {
  const own = { bundles: ['dev/app', 'dev/web'].map(bundle), keys: [] }
  const recent = ['Bundle  dev/web', 'Page  /rules']
  const found = (query: string) => findDestinations(query, { ...ASKED, recent, own }).map(({ name }) => name)
  expect(found('dev')).toEqual(['dev/web', 'dev/app'])
  expect(found('').slice(0, 2)).toEqual(['dev/web', 'Rules'])
})

test.each([
  [true, ['New machine']],
  [false, []],
])('who may create machines (%s) is led there, nobody else', (isAllowed, expected) => {
  const found = findDestinations('new machine', {
    ...ASKED,
    own: { bundles: [], keys: [] },
    may: () => isAllowed,
  })
  expect(found.map(({ name }) => name)).toEqual(expected)
})

test('a variable is found by each bundle that delivers it, in other workspaces too', () => {
  const used = {
    ...key('shop/TOKEN'),
    bundles: ['dev/app', 'ci'].map((name) => ({ id: name, name, as: 'TOKEN' })),
  }
  const there = { bundles: [], keys: [used], workspace: { id: 'w', name: 'Acme' } }
  const found = findDestinations('token', {
    ...ASKED,
    own: { bundles: [], keys: [used] },
    elsewhere: [there],
  })
  expect(found.map(({ name, workspace }) => [name, workspace?.name])).toEqual([
    ['TOKEN in dev/app', undefined],
    ['TOKEN in ci', undefined],
    ['TOKEN in dev/app', 'Acme'],
    ['TOKEN in ci', 'Acme'],
  ])
})

test('a change of one bundle or variable is found only by its verb', () => {
  expect(names('dev', ['dev/app'], [])).toEqual(['dev/app'])
  expect(names('add app', ['dev/app'], [])).toEqual(['Add variable to dev/app'])
  expect(names('rot tok', [], ['TOKEN'])).toEqual(['Rotate TOKEN'])
})
