import { diffieHellman } from 'node:crypto'
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { CryptoError } from './crypto-error.ts'
import { type KeyPair, publicKeyObject, SECRET_KEY_BYTES, secretKeyObject, wipe } from './key-pair.ts'
import { PUBLIC_KEY_BYTES, requirePublicKey } from './public-key.ts'

const TAG_BYTES = 16
const NONCE_BYTES = 24
const SALSA_CONSTANT = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574) // "expand 32-byte k"

/** Open a libsodium sealed box. Pure JavaScript over Node's X25519, so that the client carries no native module.
 * @param sealedBox ephemeral public key (32 bytes) ‖ tag (16) ‖ ciphertext
 * @returns the plaintext
 * @throws CryptoError bad_sealed_box (too short, a low-order ephemeral key, changed, or sealed to another key)
 *   · bad_public_key or bad_secret_key (the pair itself) */
export function open(sealedBox: Uint8Array, keyPair: KeyPair): Uint8Array {
  requireSizes(sealedBox, keyPair)
  const ephemeralPublicKey = sealedBox.subarray(0, PUBLIC_KEY_BYTES)
  const boxKey = boxKeyOf(ephemeralPublicKey, keyPair.secretKey)
  try {
    const nonce = nonceOf(ephemeralPublicKey, keyPair.publicKey)
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

function boxKeyOf(ephemeralPublicKey: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const shared = sharedSecret(ephemeralPublicKey, secretKey)
  const boxKey = new Uint32Array(8)
  hsalsa(SALSA_CONSTANT, new Uint32Array(shared.buffer), new Uint32Array(4), boxKey)
  wipe(shared)
  return new Uint8Array(boxKey.buffer)
}

function sharedSecret(ephemeralPublicKey: Uint8Array, secretKey: Uint8Array): Uint8Array<ArrayBuffer> {
  const agreed = agreedSecret(ephemeralPublicKey, secretKey)
  const shared = Uint8Array.from(agreed) // an aligned copy, so that it can be read as 32-bit words
  wipe(agreed)
  if (shared.every((byte) => byte === 0)) throw new CryptoError('bad_sealed_box', 'shared secret is all zero')
  return shared
}

function agreedSecret(ephemeralPublicKey: Uint8Array, secretKey: Uint8Array): Uint8Array {
  try {
    requirePublicKey(ephemeralPublicKey)
    return diffieHellman({
      privateKey: secretKeyObject(secretKey),
      publicKey: publicKeyObject(ephemeralPublicKey),
    })
  } catch (cause) {
    throw new CryptoError('bad_sealed_box', 'sealed box begins with a low-order point', { cause })
  }
}

function nonceOf(ephemeralPublicKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return blake2b.create({ dkLen: NONCE_BYTES }).update(ephemeralPublicKey).update(publicKey).digest()
}
