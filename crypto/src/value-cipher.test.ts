import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/value-cipher.json' with { type: 'json' }
import { Plaintext } from './plaintext.ts'
import { createTenantKey } from './tenant-key.ts'
import { decryptValue, encryptValue, type Place } from './value-cipher.ts'

const tenantKey = Buffer.from(vectors.tenantKey, 'hex')
const text = fc.string({ unit: 'binary' })
const parts = { tenantId: text, table: text, rowId: text, column: text, version: fc.maxSafeNat() }
const anyPlace: fc.Arbitrary<Place> = fc.record(parts)

test.for(vectors.valid)('decrypts what others encrypted: $name', ({ blob, place, plaintext }) => {
  expect(decryptValue(Buffer.from(blob, 'hex'), tenantKey, place).reveal()).toBe(plaintext)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ blob, place, code }) => {
  expect(() => decryptValue(Buffer.from(blob, 'hex'), tenantKey, place)).toThrow(
    expect.objectContaining({ code }),
  )
})

test('decrypt gives back what encrypt was given', () => {
  fc.assert(
    fc.property(text, anyPlace, (value, place) => {
      const blob = encryptValue(Plaintext.of(value), tenantKey, place)
      expect(decryptValue(blob, tenantKey, place).reveal()).toBe(value)
    }),
  )
})

test('a blob opens at its own place alone', () => {
  fc.assert(
    fc.property(anyPlace, fc.record(parts, { requiredKeys: [] }), (place, changes) => {
      const elsewhere = { ...place, ...changes }
      const blob = encryptValue(Plaintext.of('value'), tenantKey, place)
      const read = () => decryptValue(blob, tenantKey, elsewhere).reveal()
      if (isDeepStrictEqual(place, elsewhere)) expect(read()).toBe('value')
      else expect(read).toThrow(expect.objectContaining({ code: 'bad_blob' }))
    }),
    { numRuns: 300 },
  )
})

test('letters moved from one part of the place to the next are another place', () => {
  fc.assert(
    fc.property(anyPlace, fc.string({ minLength: 1 }), (place, moved) => {
      const [one, other] = [
        { ...place, table: place.table + moved },
        { ...place, rowId: moved + place.rowId },
      ]
      const blob = encryptValue(Plaintext.of('value'), tenantKey, one)
      expect(() => decryptValue(blob, tenantKey, other)).toThrow(
        expect.objectContaining({ code: 'bad_blob' }),
      )
    }),
  )
})

test('any changed byte is refused', () => {
  const at = { tenantId: 't', table: 'keys', rowId: 'r', column: 'value', version: 1 }
  const blob = encryptValue(Plaintext.of('twelve bytes'), tenantKey, at)
  fc.assert(
    fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
      const changed = Uint8Array.from(blob, (byte, position) => (position === index ? byte ^ change : byte))
      expect(() => decryptValue(changed, tenantKey, at)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(bad_blob|wrong_key)$/) }),
      )
    }),
    { numRuns: 500 },
  )
})

test("another tenant's key does not open it", () => {
  const at = { tenantId: 't', table: 'keys', rowId: 'r', column: 'value', version: 1 }
  const blob = encryptValue(Plaintext.of('value'), tenantKey, at)
  expect(() => decryptValue(blob, createTenantKey(), at)).toThrow(
    expect.objectContaining({ code: 'wrong_key' }),
  )
})

test('a place with a lone surrogate is refused, for it would be stored as another', () => {
  const at = { tenantId: 't', table: 'keys', rowId: '\ud800', column: 'value', version: 1 }
  expect(() => encryptValue(Plaintext.of('value'), tenantKey, at)).toThrow(
    expect.objectContaining({ code: 'bad_place' }),
  )
})
