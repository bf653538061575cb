import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import vectors from '../../vectors/sealed-box.json' with { type: 'json' }
import { generateKeyPair, type KeyPair, keyPairFromSecretKey, wipe } from './key-pair.ts'

test('a pair has two halves of 32 bytes, and no two pairs are equal', () => {
  const [one, other] = [generateKeyPair(), generateKeyPair()]
  expect([one.publicKey.length, one.secretKey.length]).toEqual([32, 32])
  expect(one.publicKey).not.toEqual(other.publicKey)
  expect(one.secretKey).not.toEqual(other.secretKey)
})

test('a kept secret key gives its pair back, as libsodium computes it', () => {
  const { secretKey, publicKey } = vectors.recipient
  const pair = keyPairFromSecretKey(Buffer.from(secretKey, 'hex'))
  expect(Buffer.from(pair.publicKey).toString('hex')).toBe(publicKey)
  const made = generateKeyPair()
  expect(keyPairFromSecretKey(made.secretKey).publicKey).toEqual(made.publicKey)
})

test('wiping the kept bytes leaves the pair whole', () => {
  const kept = Buffer.from(vectors.recipient.secretKey, 'hex')
  const pair = keyPairFromSecretKey(kept)
  wipe(kept)
  expect(kept.every((byte) => byte === 0)).toBe(true)
  expect(Buffer.from(pair.secretKey).toString('hex')).toBe(vectors.recipient.secretKey)
})

test.for([0, 31, 33])('%i bytes are no secret key', (length) => {
  expect(() => keyPairFromSecretKey(new Uint8Array(length))).toThrow(
    expect.objectContaining({ code: 'bad_secret_key' }),
  )
})

test('printing or serialising a pair does not show its secret half', () => {
  const pair = generateKeyPair()
  const shown = [inspect(pair, { showHidden: true, maxArrayLength: null }), JSON.stringify(pair)]
  for (const form of formsOf(pair)) expect(shown.join('\n').replaceAll(/\s+/g, '')).not.toContain(form)
  expect(Object.keys(pair)).toEqual(['publicKey'])
})

function formsOf({ secretKey }: KeyPair): string[] {
  const bytes = Buffer.from(secretKey)
  return [bytes.toString('hex'), bytes.toString('base64'), bytes.subarray(0, 8).join(',')]
}
