import { expect, test } from 'vitest'
import type { Holding } from '../calls/answers.ts'
import { givenKeys, stillCurrent } from './still-current.ts'

function holding(id: string, version: number | null, perhaps_version: number | null): Holding {
  const at = '2026-01-31T12:00:00.000Z'
  return {
    version,
    perhaps_version,
    is_current: false,
    state: 'given',
    holder: 'h',
    label: null,
    via: null,
    first_at: at,
    last_at: at,
    times: 1,
    delivery_id: 'd',
    key: { id, name: id, version: 3, is_secret: id !== 'plain', bundles: [] },
  }
}

test('a value is still current if it was given, or may have been, and was not changed since', () => {
  const holdings = [
    holding('given', 3, null),
    holding('given', 2, null),
    holding('old', 2, null),
    holding('perhaps', 1, 3),
    holding('perhaps_old', null, 2),
  ]
  expect(stillCurrent(holdings).map(({ id }) => id)).toEqual(['given', 'perhaps'])
})

test('secrets come first, and those that were changed since follow', () => {
  const holdings = [holding('plain', 3, null), holding('old', 2, null), holding('given', 3, null)]
  expect(givenKeys(holdings).map(({ id, isCurrent }) => [id, isCurrent])).toEqual([
    ['given', true],
    ['old', false],
    ['plain', true],
  ])
})

test('what a person typed is on the list too', () => {
  const { key } = holding('given', 3, null)
  const typed = { version: 3, key: { ...key, id: 'typed' } }
  const keys = givenKeys([holding('given', 3, null), holding('old', 2, null), typed])
  expect(keys.map(({ id, isTyped }) => [id, isTyped])).toEqual([
    ['given', false],
    ['typed', true],
    ['old', false],
  ])
})

test('a value that a person typed and then was given is on the list once, as typed', () => {
  const given = holding('typed', 2, null)
  const keys = givenKeys([{ version: 3, key: given.key }, given])
  expect(keys.map(({ id, isTyped, isCurrent }) => [id, isTyped, isCurrent])).toEqual([['typed', true, true]])
})
