import { diffieHellman } from 'node:crypto'
import { hsalsa } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { type KeyPair, publicKeyObject, secretKeyObject, wipe } from './key-pair.ts'

/*
 * What both ends of a libsodium sealed box derive: the key and the nonce of XSalsa20-Poly1305.
 */

const NONCE_BYTES = 24
const SALSA_CONSTANT = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574) // "expand 32-byte k"

/** The X25519 secret that two pairs share: this secret key and the other's public key. */
export function sharedSecret({ publicKey, secretKey }: KeyPair): Uint8Array {
  const agreed = diffieHellman({
    privateKey: secretKeyObject(secretKey),
    publicKey: publicKeyObject(publicKey),
  })
  const shared = Uint8Array.from(agreed) // an aligned copy, so that it can be read as 32-bit words
  wipe(agreed)
  return shared
}

/** The key of the box. Overwrites `shared`. */
export function boxKeyOf(shared: Uint8Array): Uint8Array {
  const boxKey = new Uint32Array(8)
  hsalsa(SALSA_CONSTANT, new Uint32Array(shared.buffer), new Uint32Array(4), boxKey)
  wipe(shared)
  return new Uint8Array(boxKey.buffer)
}

/** The nonce of the box, made from the ephemeral public key and the recipient's. */
export function boxNonceOf(ephemeralPublicKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return blake2b.create({ dkLen: NONCE_BYTES }).update(ephemeralPublicKey).update(publicKey).digest()
}
