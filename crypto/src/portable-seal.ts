import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { boxKeyOf, boxNonceOf, sharedSecret } from './box-key.ts'
import { generateKeyPair, wipe } from './key-pair.ts'
import { requirePublicKey } from './public-key.ts'

/** As `seal`, in pure JavaScript over Node's X25519: for the client, which carries no native module. Slower than
 * `seal`.
 * @returns ephemeral public key (32 bytes) ‖ tag (16) ‖ ciphertext (as long as the plaintext)
 * @throws CryptoError bad_public_key: not 32 bytes, or a low-order point */
export function portableSeal(plaintext: Uint8Array, recipientPublicKey: Uint8Array): Uint8Array {
  requirePublicKey(recipientPublicKey)
  const ephemeral = generateKeyPair()
  const boxKey = boxKeyOf(sharedSecret({ publicKey: recipientPublicKey, secretKey: ephemeral.secretKey }))
  const nonce = boxNonceOf(ephemeral.publicKey, recipientPublicKey)
  try {
    return Buffer.concat([ephemeral.publicKey, xsalsa20poly1305(boxKey, nonce).encrypt(plaintext)])
  } finally {
    wipe(boxKey)
    wipe(ephemeral.secretKey)
  }
}
