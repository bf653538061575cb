import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decryptBlob, encryptBlob, keyIdOfBlob } from './blob.ts'
import { derivationKey } from './derivation-key.ts'

const key = derivationKey(randomBytes(32))
const context = Buffer.from('a context')

test('decrypt gives back what encrypt was given', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (plaintext, place) => {
      expect(Uint8Array.from(decryptBlob(encryptBlob(plaintext, key, place), key, place))).toEqual(plaintext)
    }),
  )
})

test('a blob names its key, is 40 bytes longer, and never the same twice', () => {
  const [one, other] = [
    encryptBlob(Buffer.from('text'), key, context),
    encryptBlob(Buffer.from('text'), key, context),
  ]
  expect(keyIdOfBlob(one)).toBe(key.id)
  expect(one.length).toBe(44)
  expect(Buffer.from(one.subarray(12)).equals(other.subarray(12))).toBe(false)
})

test('a blob that is a part of a larger array is read at its own bounds', () => {
  const blob = encryptBlob(Buffer.from('text'), key, context)
  const larger = Buffer.concat([randomBytes(13), blob, randomBytes(5)])
  const part = new Uint8Array(larger.buffer, larger.byteOffset + 13, blob.length)
  expect(Buffer.from(decryptBlob(part, key, context)).toString()).toBe('text')
})

test('any bytes at all give an error of ours, never a value', () => {
  const header = Buffer.from(encryptBlob(Buffer.alloc(0), key, context).subarray(0, 12))
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc.uint8Array({ maxLength: 80 }).map((rest) => Buffer.concat([header, rest])),
  )
  fc.assert(
    fc.property(bytes, (blob) => {
      expect(() => decryptBlob(blob, key, context)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(bad_blob|wrong_key)$/) }),
      )
    }),
  )
})
