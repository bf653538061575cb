import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CryptoError } from './crypto-error.ts'

export const SECRET_KEY_BYTES = 32

const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI_X25519 = Buffer.from('302a300506032b656e032100', 'hex')

/** An X25519 key pair, both halves 32 raw bytes. */
export type KeyPair = { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array }

// The secret half is a getter over a private field, so that printing or serialising a pair does not show it.
class GuardedKeyPair implements KeyPair {
  readonly publicKey: Uint8Array
  readonly #secretKey: Uint8Array

  constructor(publicKey: Uint8Array, secretKey: Uint8Array) {
    this.publicKey = publicKey
    this.#secretKey = secretKey
  }

  get secretKey(): Uint8Array {
    return this.#secretKey
  }
}

export function generateKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
  const secretKey = Uint8Array.from(pkcs8.subarray(-SECRET_KEY_BYTES))
  wipe(pkcs8)
  return new GuardedKeyPair(rawPublicKey(publicKey), secretKey)
}

/** The pair that a kept secret key belongs to. Copies `secretKey`.
 * @throws CryptoError bad_secret_key: not 32 bytes */
export function keyPairFromSecretKey(secretKey: Uint8Array): KeyPair {
  const publicKey = createPublicKey(secretKeyObject(secretKey))
  return new GuardedKeyPair(rawPublicKey(publicKey), Uint8Array.from(secretKey))
}

/** Overwrite secret bytes with zeros, as far as a garbage-collected runtime lets one: copies made elsewhere stay. */
export function wipe(bytes: Uint8Array): void {
  bytes.fill(0)
}

/** Node's own form of a raw secret key.
 * @throws CryptoError bad_secret_key: not 32 bytes */
export function secretKeyObject(secretKey: Uint8Array): KeyObject {
  if (secretKey.length !== SECRET_KEY_BYTES)
    throw new CryptoError('bad_secret_key', 'secret key is not 32 bytes')
  const pkcs8 = Buffer.concat([PKCS8_X25519, secretKey])
  try {
    return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  } finally {
    wipe(pkcs8)
  }
}

/** Node's own form of a raw public key, which `requirePublicKey` has passed. */
export function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_X25519, publicKey]), format: 'der', type: 'spki' })
}

function rawPublicKey(publicKey: KeyObject): Uint8Array {
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return Uint8Array.from(spki.subarray(SPKI_X25519.length))
}
