import { expect, test } from 'vitest'
import { idpUserId } from './idp-user-id.ts'

const ISSUER = 'https://id.example.com'

test('a subject of the right form is the id; any other is hashed with its issuer', () => {
  expect(idpUserId(ISSUER, 'user_2a7f')).toBe('user_2a7f')
  expect(idpUserId(ISSUER, 'sam')).toMatch(/^user_[0-9a-f]{64}$/)
  expect(idpUserId(ISSUER, 'sam')).not.toBe(idpUserId('https://other.example.com', 'sam'))
})

test("nobody gets another person's id by a subject that is that id", () => {
  const victim = idpUserId(ISSUER, 'sam')
  expect(idpUserId(ISSUER, victim)).not.toBe(victim)
})
