import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/caller-signature.json' with { type: 'json' }
import { signCaller, verifyCaller } from './caller-signature.ts'

const { secrets, signed } = vectors

test('signs as others do', () => {
  expect(signCaller(signed, signed.secret)).toBe(signed.signature)
})

test.for(vectors.valid)('accepts: $name', ({ header, ...caller }) => {
  expect(verifyCaller(caller, header, secrets)).toBe(true)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ header, ...caller }) => {
  expect(verifyCaller(caller, header, secrets)).toBe(false)
})

test('verify accepts what sign made, for that caller and secret alone', () => {
  const id = fc.string().filter((text) => !text.includes(':'))
  fc.assert(
    fc.property(id, fc.string(), id, fc.string(), (userId, tenantId, otherUser, otherTenant) => {
      const header = `sha256=${signCaller({ userId, tenantId }, 'the secret')}`
      expect(verifyCaller({ userId, tenantId }, header, ['another', 'the secret'])).toBe(true)
      expect(verifyCaller({ userId, tenantId }, header, ['another'])).toBe(false)
      const same = userId === otherUser && tenantId === otherTenant
      expect(verifyCaller({ userId: otherUser, tenantId: otherTenant }, header, ['the secret'])).toBe(same)
    }),
  )
})

test('without a secret nothing verifies', () => {
  expect(verifyCaller(signed, signed.signature, [])).toBe(false)
})

test('a user id with a colon is not signed', () => {
  expect(() => signCaller({ userId: 'a:b', tenantId: 'c' }, 'secret')).toThrow(
    expect.objectContaining({ code: 'bad_caller' }),
  )
})
