import { hkdfSync, randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { derivationKey, deriveSubkey, keyId } from './derivation-key.ts'

test("a subkey is what Node's own HKDF derives", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array(), (key, info) => {
      const expected = Buffer.from(hkdfSync('sha256', key, '', info, 32))
      expect(deriveSubkey(derivationKey(key), info).export().equals(expected)).toBe(true)
    }),
  )
})

test('is prepared once, and anew when the array contains another key', () => {
  const bytes = randomBytes(32)
  const prepared = derivationKey(bytes)
  expect(derivationKey(bytes)).toBe(prepared)
  bytes.fill(7)
  expect(derivationKey(bytes).id).toBe(keyId(bytes))
  expect(derivationKey(bytes).id).not.toBe(prepared.id)
})
