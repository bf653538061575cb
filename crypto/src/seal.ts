import sodium from 'sodium-native'
import { requirePublicKey } from './public-key.ts'

/** Seal `plaintext` so that only the holder of the recipient's secret key can open it; the sender stays anonymous.
 * @returns ephemeral public key (32 bytes) ‖ tag (16) ‖ ciphertext (as long as the plaintext)
 * @throws CryptoError bad_public_key: not 32 bytes, or a low-order point
 * @see https://doc.libsodium.org/public-key_cryptography/sealed_boxes */
export function seal(plaintext: Uint8Array, recipientPublicKey: Uint8Array): Uint8Array {
  requirePublicKey(recipientPublicKey)
  const sealedBox = Buffer.allocUnsafeSlow(plaintext.length + sodium.crypto_box_SEALBYTES)
  sodium.crypto_box_seal(sealedBox, plaintext, recipientPublicKey)
  return sealedBox
}
