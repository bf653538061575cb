import { expect, test } from 'vitest'
import {
  boxDigest,
  commandDigest,
  createReceiptSeed,
  endorsementFits,
  endorseReceiptKey,
  receiptFits,
  receiptKeyId,
  receiptKeyOf,
  signReceipt,
  unwrapReceiptSeed,
  wrapReceiptSeed,
} from './receipt.ts'
import { generateRootKey, RootKeyRing } from './root-key.ts'

const key = receiptKeyOf(createReceiptSeed())
const other = receiptKeyOf(createReceiptSeed())
const PAYLOAD = Buffer.from('{"v":1}')

test('a receipt fits the key that signed it and the bytes that were signed', () => {
  const signature = signReceipt(PAYLOAD, key)
  expect(receiptFits(PAYLOAD, { publicKey: key.publicKey, signature })).toBe(true)
  expect(receiptFits(Buffer.from('{"v":2}'), { publicKey: key.publicKey, signature })).toBe(false)
  expect(receiptFits(PAYLOAD, { publicKey: other.publicKey, signature })).toBe(false)
  expect(receiptFits(PAYLOAD, { publicKey: new Uint8Array(3), signature })).toBe(false)
})

test('a key endorses the next one, and an endorsement is not a receipt', () => {
  const signature = endorseReceiptKey(other.publicKey, key)
  expect(endorsementFits(other.publicKey, { publicKey: key.publicKey, signature })).toBe(true)
  expect(endorsementFits(key.publicKey, { publicKey: key.publicKey, signature })).toBe(false)
  expect(receiptFits(other.publicKey, { publicKey: key.publicKey, signature })).toBe(false)
})

test('a seed survives a rotation of the root key, and no other key opens it', () => {
  const [old, next] = [generateRootKey(), generateRootKey()]
  const seed = createReceiptSeed()
  const blob = wrapReceiptSeed(seed, old)
  expect(Uint8Array.from(unwrapReceiptSeed(blob, new RootKeyRing([next, old])))).toEqual(seed)
  expect(() => unwrapReceiptSeed(blob, new RootKeyRing([next]))).toThrow('root key that is not in use')
  expect(() => receiptKeyOf(seed.subarray(1))).toThrow('receipt seed is not 32 bytes')
})

test('a key id names the public key alone', () => {
  expect(receiptKeyId(key.publicKey)).toBe(key.kid)
  expect(key.kid).toMatch(/^[0-9a-f]{16}$/)
  expect(other.kid).not.toBe(key.kid)
})

test('arguments are distinct, also where their joined texts are equal', () => {
  expect(commandDigest(['npm', 'run'])).not.toBe(commandDigest(['npm run']))
  expect(boxDigest(Buffer.from('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
