import { expect, test } from 'vitest'
import { formerText, holderNames, holderText, placeOf } from './holder-text.ts'

const given = (version: number | null, perhaps_version: number | null) =>
  holderText({ version, perhaps_version, last_at: 'T' }, 4, (at) => `at ${at}`)

test.each([
  [3, null, 'Was given version 3 at T and has not fetched since'],
  [4, null, 'Was given the current version at T'],
  [3, 4, 'Was given version 3 at T; version 4 was approved, and the delivery is not confirmed'],
  [null, 4, 'Version 4 was approved, and the delivery is not confirmed (at T)'],
])('with version %o and perhaps %o of 4: %s', (version, perhaps, text) => {
  expect(given(version, perhaps)).toBe(text)
})

test.each([
  [{ hostname: 'laptop', user: 'sam', program: 'npm' }, 'sam@laptop'],
  [{ hostname: 'laptop', user: '', program: '' }, 'laptop'],
  [{ hostname: '', user: '', program: '' }, null],
  [{ hostname: 'lap\u202etop', user: 'sam', program: '' }, 'sam@laptop'],
  [null, null],
])('the place of %o is %s', (label, text) => {
  expect(placeOf(label)).toBe(text)
})

test('a person or a machine that is gone has no name', () => {
  expect(holderNames({ kind: 'user', name: null, label: null })).toEqual({
    who: 'a former user',
    place: null,
  })
  expect(holderNames({ kind: 'machine', name: null, label: null }).who).toBe('a deleted machine')
})

test.each([
  [{}, ''],
  [{ former_in: [] }, ''],
  [{ former_in: [{ name: 'A', bundle: null }] }, ' The old value is still in use: A.'],
  [
    { former_in: ['dev/a', 'dev/b', 'dev/c', 'dev/d'].map((bundle) => ({ name: 'A', bundle })) },
    ' The old value is still in use: A in dev/a, A in dev/b, A in dev/c and 1 more.',
  ],
])('%o leads to “%s”', (saved, text) => {
  expect(formerText(saved)).toBe(text)
})
