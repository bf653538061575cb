import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/request-signature.json' with { type: 'json' }
import { type RequestFacts, signRequest, verifyRequest } from './request-signature.ts'

const { secrets, nowSeconds, windowSeconds, signed } = vectors
const terms = { secrets, nowSeconds, windowSeconds }
const factsOf = <T extends { body: string }>(facts: T) => ({ ...facts, body: Buffer.from(facts.body, 'hex') })

test('signs as others do', () => {
  const { secret, nonce } = signed
  expect(signRequest(factsOf(signed.facts), { secret, nonce, nowSeconds })).toBe(signed.header)
})

test.for(vectors.valid)('accepts, and gives the nonce: $name', ({ facts, header, nonce }) => {
  expect(verifyRequest(header, factsOf(facts), terms)).toEqual({ nonce })
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ facts, header }) => {
  expect(verifyRequest(header, factsOf(facts), terms)).toBeNull()
})

const factsArbitrary: fc.Arbitrary<RequestFacts> = fc.record({
  method: fc.string(),
  path: fc.string({ unit: 'grapheme' }),
  body: fc.uint8Array(),
  clientAddress: fc.string(),
  userId: fc.string(),
  tenantId: fc.string(),
})

test('verify accepts what sign made, for those facts alone', () => {
  fc.assert(
    fc.property(factsArbitrary, factsArbitrary, fc.maxSafeNat(), (facts, other, now) => {
      const time = now % 10_000_000_000
      const header = signRequest(facts, { secret: 'the secret', nonce: 'n'.repeat(22), nowSeconds: time })
      const check = { secrets: ['another', 'the secret'], nowSeconds: time + 5, windowSeconds: 30 }
      expect(verifyRequest(header, facts, check)).toEqual({ nonce: 'n'.repeat(22) })
      expect(verifyRequest(header, facts, { ...check, secrets: ['another'] })).toBeNull()
      expect(verifyRequest(header, other, check) !== null).toBe(sameFacts(facts, other))
    }),
  )
})

test('a clock that is no number lets nothing pass', () => {
  const { header, facts } = signed
  expect(verifyRequest(header, factsOf(facts), { ...terms, nowSeconds: Number.NaN })).toBeNull()
  expect(verifyRequest(header, factsOf(facts), { ...terms, windowSeconds: Number.NaN })).toBeNull()
})

test.for([
  { nowSeconds: 1.5, nonce: 'n'.repeat(22) },
  { nowSeconds: -1, nonce: 'n'.repeat(22) },
  { nowSeconds: 1, nonce: 'short' },
  { nowSeconds: 1, nonce: 'n;s=0123456789abcdef' },
])('does not sign what it would not verify: %j', (wrong) => {
  expect(() => signRequest(factsOf(signed.facts), { secret: 'the secret', ...wrong })).toThrow(
    expect.objectContaining({ code: 'bad_request_facts' }),
  )
})

test('facts with a lone surrogate are neither signed nor verified', () => {
  const facts = { ...factsOf(signed.facts), path: '/\ud800' }
  expect(verifyRequest(signed.header, facts, terms)).toBeNull()
  expect(() => signRequest(facts, { secret: 's', nowSeconds, nonce: signed.nonce })).toThrow(
    expect.objectContaining({ code: 'bad_request_facts' }),
  )
})

function sameFacts(one: RequestFacts, other: RequestFacts): boolean {
  return isDeepStrictEqual({ ...one, body: [...one.body] }, { ...other, body: [...other.body] })
}
