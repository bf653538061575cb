import { expect, test } from 'vitest'
import { idpUserId } from './idp-user-id.ts'

const ISSUER = 'https://id.example.com'

test('a subject of the right form is the id; any other is hashed with its issuer', () => {
  expect(idpUserId(ISSUER, 'user_2a7f')).toBe('user_2a7f')
  expect(idpUserId(ISSUER, 'sam')).toMatch(/^user_[0-9a-f]{64}$/)
  expect(idpUserId(ISSUER, 'sam')).not.toBe(idpUserId('https://other.example.com', 'sam'))
})

test.each([
  ["another person's hashed id", idpUserId(ISSUER, 'sam')],
  ['the user of local mode', 'user_local'],
  ['the id of a local account', 'user_0b53e4a6-4f8e-4f3c-9f0a-0a6d2ff2a001'],
  ['the same in capitals', 'user_0B53E4A6-4F8E-4F3C-9F0A-0A6D2FF2A001'],
])('a subject cannot take over %s', (_whose, subject) => {
  expect(idpUserId(ISSUER, subject)).not.toBe(subject)
  expect(idpUserId(ISSUER, subject)).toMatch(/^user_[0-9a-f]{64}$/)
})
