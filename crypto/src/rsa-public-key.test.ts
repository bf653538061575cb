import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { isRsaPublicKey } from './rsa-public-key.ts'

const SPKI_PEM = { format: 'pem', type: 'spki' } as const

test('tells an RSA public key from other keys and from other text', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export(SPKI_PEM)
  const ec = generateKeyPairSync('ed25519').publicKey.export(SPKI_PEM)
  expect([rsa, ec, 'no key', ''].map((text) => isRsaPublicKey(text.toString()))).toEqual([
    true,
    false,
    false,
    false,
  ])
})
