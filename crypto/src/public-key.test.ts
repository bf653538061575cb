import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/public-key.json' with { type: 'json' }
import { generateKeyPair } from './key-pair.ts'
import { parsePublicKey, requirePublicKey } from './public-key.ts'

test.for(vectors.valid)('accepts: $name', ({ text, publicKey }) => {
  expect(Buffer.from(parsePublicKey(text)).toString('hex')).toBe(publicKey)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ text, code }) => {
  expect(() => parsePublicKey(text)).toThrow(expect.objectContaining({ code }))
})

test('accepts every key that is generated', () => {
  for (let round = 0; round < 50; round++) {
    const { publicKey } = generateKeyPair()
    expect(Uint8Array.from(parsePublicKey(Buffer.from(publicKey).toString('base64')))).toEqual(publicKey)
  }
})

test('any other text is refused with the same code, never another error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(() => parsePublicKey(text)).toThrow(expect.objectContaining({ code: 'bad_public_key' }))
    }),
  )
})

test.for([0, 31, 33, 64])('%i bytes are no public key', (length) => {
  expect(() => requirePublicKey(new Uint8Array(length).fill(9))).toThrow(
    expect.objectContaining({ code: 'bad_public_key' }),
  )
})
