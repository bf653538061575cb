import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/sealed-box.json' with { type: 'json' }
import { generateKeyPair, type KeyPair, keyPairFromSecretKey } from './key-pair.ts'
import { open } from './open.ts'
import { seal } from './seal.ts'

const recipient = keyPairFromSecretKey(Buffer.from(vectors.recipient.secretKey, 'hex'))

test.for(vectors.valid)('opens what libsodium sealed: $name', ({ sealedBox, plaintext }) => {
  expect(Buffer.from(open(Buffer.from(sealedBox, 'hex'), recipient)).toString('hex')).toBe(plaintext)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ sealedBox, code }) => {
  expect(() => open(Buffer.from(sealedBox, 'hex'), recipient)).toThrow(expect.objectContaining({ code }))
})

test('any changed byte is refused', () => {
  const box = seal(Buffer.from('twelve bytes'), recipient.publicKey)
  fc.assert(
    fc.property(fc.nat(box.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Uint8Array.from(box, (byte, index) => (index === at ? byte ^ change : byte))
      expect(() => open(changed, recipient)).toThrow(expect.objectContaining({ code: 'bad_sealed_box' }))
    }),
  )
})

test('any bytes at all are refused with the same code, never another error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(() => open(bytes, recipient)).toThrow(expect.objectContaining({ code: 'bad_sealed_box' }))
    }),
  )
})

test('leaves the box and the pair as they were', () => {
  const pair = generateKeyPair()
  const box = seal(Buffer.from('read twice'), pair.publicKey)
  expect(Buffer.from(open(box, pair)).toString()).toBe('read twice')
  expect(Buffer.from(open(box, pair)).toString()).toBe('read twice')
})

test.for<[string, KeyPair]>([
  ['bad_secret_key', { publicKey: recipient.publicKey, secretKey: new Uint8Array(31) }],
  ['bad_public_key', { publicKey: new Uint8Array(31), secretKey: recipient.secretKey }],
])('refuses a pair of the wrong size: %s', ([code, pair]) => {
  const box = seal(Buffer.from('x'), recipient.publicKey)
  expect(() => open(box, pair)).toThrow(expect.objectContaining({ code }))
})

test('the client side carries no native module', () => {
  for (const file of ['open.ts', 'key-pair.ts', 'public-key.ts', 'base64.ts', 'crypto-error.ts']) {
    expect(readFileSync(new URL(file, import.meta.url), 'utf8')).not.toContain("'sodium-native'")
  }
})
