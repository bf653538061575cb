import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { boxKeyOf, boxNonceOf, sharedSecret } from './box-key.ts'
import { CryptoError } from './crypto-error.ts'
import { type KeyPair, SECRET_KEY_BYTES, wipe } from './key-pair.ts'
import { PUBLIC_KEY_BYTES, requirePublicKey } from './public-key.ts'

const TAG_BYTES = 16

/** Open a libsodium sealed box. Pure JavaScript over Node's X25519, so that the client carries no native module.
 * @param sealedBox ephemeral public key (32 bytes) ‖ tag (16) ‖ ciphertext
 * @returns the plaintext
 * @throws CryptoError bad_sealed_box (too short, a low-order ephemeral key, changed, or sealed to another key)
 *   · bad_public_key or bad_secret_key (the pair itself) */
export function open(sealedBox: Uint8Array, keyPair: KeyPair): Uint8Array {
  requireSizes(sealedBox, keyPair)
  const ephemeralPublicKey = sealedBox.subarray(0, PUBLIC_KEY_BYTES)
  const boxKey = boxKeyOf(secretSharedWith(ephemeralPublicKey, keyPair))
  try {
    const nonce = boxNonceOf(ephemeralPublicKey, keyPair.publicKey)
    return xsalsa20poly1305(boxKey, nonce).decrypt(sealedBox.subarray(PUBLIC_KEY_BYTES))
  } catch (cause) {
    throw new CryptoError('bad_sealed_box', 'sealed box was changed or sealed to another key', { cause })
  } finally {
    wipe(boxKey)
  }
}

function requireSizes(sealedBox: Uint8Array, { publicKey, secretKey }: KeyPair): void {
  requirePublicKey(publicKey)
  if (secretKey.length !== SECRET_KEY_BYTES)
    throw new CryptoError('bad_secret_key', 'secret key is not 32 bytes')
  if (sealedBox.length < PUBLIC_KEY_BYTES + TAG_BYTES) {
    throw new CryptoError('bad_sealed_box', 'sealed box is shorter than 48 bytes')
  }
}

function secretSharedWith(ephemeralPublicKey: Uint8Array, { secretKey }: KeyPair): Uint8Array {
  try {
    requirePublicKey(ephemeralPublicKey)
    const shared = sharedSecret({ publicKey: ephemeralPublicKey, secretKey })
    if (shared.some((byte) => byte !== 0)) return shared
  } catch (cause) {
    throw lowOrder({ cause })
  }
  throw lowOrder()
}

function lowOrder(options?: ErrorOptions): CryptoError {
  return new CryptoError('bad_sealed_box', 'sealed box begins with a low-order point', options)
}
