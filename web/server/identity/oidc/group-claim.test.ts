import { expect, test } from 'vitest'
import { claimIn, groupsIn } from './group-claim.ts'

const KEEP = { absentIsNone: false }

test.each<[string, Record<string, unknown>, unknown]>([
  ['groups', { groups: ['a'] }, ['a']],
  ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
  ['https://example.com/groups', { 'https://example.com/groups': ['a'] }, ['a']],
  ['a.b', { 'a.b': ['own'], a: { b: ['inner'] } }, ['own']],
  ['a.b.c', { a: { b: 'text' } }, undefined],
  ['a.b', { a: null }, undefined],
  ['a.length', { a: ['x'] }, undefined],
  ['__proto__.toString', {}, undefined],
  ['constructor', {}, undefined],
])('the claim %s of %j', (name, claims, value) => {
  expect(claimIn(claims, name)).toEqual(value)
})

test.each<[unknown, unknown]>([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  ['a', ['a']],
  [
    [{ name: 'a', id: '1' }, { id: '2' }],
    ['a', '2'],
  ],
  [[], []],
  [[{ title: 'secret' }], { found: 'list of 1: object' }],
  [{ name: 'secret' }, { found: 'object' }],
  [true, { found: 'boolean' }],
  ['x'.repeat(256), { found: 'a text that is too long' }],
  [null, { found: 'absent' }],
])('the groups of %j', (claim, groups) => {
  expect(groupsIn({ groups: claim }, { name: 'groups', ...KEEP })).toEqual(groups)
})

test('an absent claim means no groups where the operator says so, and a reference never does', () => {
  const none = { name: 'a.b', absentIsNone: true }
  expect(groupsIn({}, none)).toEqual([])
  expect(groupsIn({ a: {} }, none)).toEqual([])
  expect(groupsIn({ a: { b: 1 } }, none)).toEqual({ found: 'number' })
  for (const reference of ['a', 'a.b'])
    expect(groupsIn({ _claim_names: { [reference]: 'src1' } }, none)).toEqual({ found: 'a reference' })
})
