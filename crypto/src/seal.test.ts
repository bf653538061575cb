import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateKeyPair } from './key-pair.ts'
import { open } from './open.ts'
import { seal } from './seal.ts'

const recipient = generateKeyPair()

test('open gives back what seal was given', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000, size: 'max' }), (plaintext) => {
      expect(Uint8Array.from(open(seal(plaintext, recipient.publicKey), recipient))).toEqual(plaintext)
    }),
  )
})

test('a megabyte and a Buffer from the pool pass as well', () => {
  const large = Buffer.alloc(1024 * 1024, 'keyferry')
  expect(large.equals(open(seal(large, recipient.publicKey), recipient))).toBe(true)
  const pooled = Buffer.from('from the pool')
  expect(Buffer.from(open(seal(pooled, recipient.publicKey), recipient)).toString()).toBe('from the pool')
})

test('a box is 48 bytes longer, and no two boxes are equal', () => {
  const plaintext = Buffer.from('the same text')
  const [one, other] = [seal(plaintext, recipient.publicKey), seal(plaintext, recipient.publicKey)]
  expect(one.length).toBe(plaintext.length + 48)
  expect(Buffer.compare(one, other)).not.toBe(0)
})

test('another pair does not open it', () => {
  const box = seal(Buffer.from('for one alone'), recipient.publicKey)
  expect(() => open(box, generateKeyPair())).toThrow(expect.objectContaining({ code: 'bad_sealed_box' }))
})

test.for([new Uint8Array(32), new Uint8Array(31).fill(9), new Uint8Array(33).fill(9)])(
  'refuses a recipient that is no public key',
  (publicKey) => {
    expect(() => seal(Buffer.from('x'), publicKey)).toThrow(
      expect.objectContaining({ code: 'bad_public_key' }),
    )
  },
)
