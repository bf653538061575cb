import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { signatureFits } from './ed25519.ts'

test('a signature fits its key and its bytes; malformed keys and signatures fit nothing', () => {
  const { publicKey: key, privateKey } = generateKeyPairSync('ed25519')
  const publicKey = key.export({ format: 'der', type: 'spki' }).subarray(-32)
  const message = Buffer.from('a message')
  const signature = sign(null, message, privateKey)
  expect(signatureFits(message, { publicKey, signature })).toBe(true)
  const wrong = [
    { publicKey, signature: signature.subarray(1) },
    { publicKey: publicKey.subarray(1), signature },
    { publicKey: Buffer.concat([publicKey, Buffer.alloc(1)]), signature },
    { publicKey: Buffer.alloc(0), signature },
  ]
  expect(wrong.map((proof) => signatureFits(message, proof))).toEqual([false, false, false, false])
  expect(signatureFits(Buffer.from('another'), { publicKey, signature })).toBe(false)
})
