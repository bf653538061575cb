import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateKeyPair } from './key-pair.ts'
import { open } from './open.ts'
import { portableSeal } from './portable-seal.ts'

const recipient = generateKeyPair()

// The vectors of sealed boxes prove that `open` reads what libsodium writes, so this proves the reverse.
test('open gives back what it seals', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000, size: 'max' }), (plaintext) => {
      const box = portableSeal(plaintext, recipient.publicKey)
      expect(Uint8Array.from(open(box, recipient))).toEqual(plaintext)
    }),
  )
})

test('no two boxes are equal', () => {
  const plaintext = Buffer.from('the same text')
  const [one, other] = [
    portableSeal(plaintext, recipient.publicKey),
    portableSeal(plaintext, recipient.publicKey),
  ]
  expect(one.length).toBe(plaintext.length + 48)
  expect(Buffer.compare(one, other)).not.toBe(0)
})

test.for([new Uint8Array(32), new Uint8Array(31).fill(9)])(
  'refuses a recipient that is no public key',
  (publicKey) => {
    expect(() => portableSeal(Buffer.from('x'), publicKey)).toThrow(
      expect.objectContaining({ code: 'bad_public_key' }),
    )
  },
)
