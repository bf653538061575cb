import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { CryptoError } from './crypto-error.ts'
import { type DerivationKey, deriveSubkey } from './derivation-key.ts'

// A blob: 'K' 'F' ‖ format 1 ‖ algorithm 1 ‖ key id (8 bytes) ‖ nonce (12) ‖ ciphertext ‖ tag (16).
// Algorithm 1 is AES-256-GCM under HKDF-SHA256(key, info = context), with everything before the nonce,
// then the context, as associated data.
const CIPHER = 'aes-256-gcm'
const PREAMBLE = Uint8Array.of(0x4b, 0x46, 1, 1)
const NONCE_AT = 12
const CIPHERTEXT_AT = 24
const TAG_BYTES = 16
/** A blob is this much longer than what it encrypts. */
export const BLOB_OVERHEAD_BYTES = CIPHERTEXT_AT + TAG_BYTES

const GCM = { authTagLength: TAG_BYTES }

/** Encrypt for exactly one context: a frame with its own label that says what is stored and where.
 * The blob is 40 bytes longer than `plaintext`. */
export function encryptBlob(plaintext: Uint8Array, key: DerivationKey, context: Uint8Array): Uint8Array {
  const blob = Buffer.allocUnsafeSlow(CIPHERTEXT_AT + plaintext.length + TAG_BYTES)
  blob.set(blobStart(key))
  const nonce = randomBytes(CIPHERTEXT_AT - NONCE_AT)
  blob.set(nonce, NONCE_AT)
  const cipher = createCipheriv(CIPHER, deriveSubkey(key, context), nonce, GCM)
  cipher.setAAD(associatedData(blob, context))
  blob.set(cipher.update(plaintext), CIPHERTEXT_AT)
  cipher.final()
  blob.set(cipher.getAuthTag(), blob.length - TAG_BYTES)
  return blob
}

/** The bytes that begin each blob made under a key. */
export function blobStart(key: DerivationKey): Uint8Array {
  return Buffer.concat([PREAMBLE, Buffer.from(key.id, 'hex')])
}

/** @throws CryptoError bad_blob (malformed, changed, or made for another context) · wrong_key (made under another key)
 *   */
export function decryptBlob(blob: Uint8Array, key: DerivationKey, context: Uint8Array): Uint8Array {
  if (keyIdOfBlob(blob) !== key.id) throw new CryptoError('wrong_key', 'blob was made under another key')
  const nonce = blob.subarray(NONCE_AT, CIPHERTEXT_AT)
  const decipher = createDecipheriv(CIPHER, deriveSubkey(key, context), nonce, GCM)
  decipher.setAAD(associatedData(blob, context))
  decipher.setAuthTag(blob.subarray(blob.length - TAG_BYTES))
  const plaintext = decipher.update(blob.subarray(CIPHERTEXT_AT, blob.length - TAG_BYTES))
  try {
    decipher.final()
  } catch (cause) {
    plaintext.fill(0)
    throw new CryptoError('bad_blob', 'blob was changed, or belongs elsewhere', { cause })
  }
  return plaintext
}

/** The id of the key that a blob was made under: 16 lower-case hex digits.
 * @throws CryptoError bad_blob: too short, or of an unknown format or algorithm */
export function keyIdOfBlob(blob: Uint8Array): string {
  if (blob.length < CIPHERTEXT_AT + TAG_BYTES)
    throw new CryptoError('bad_blob', 'blob is shorter than 40 bytes')
  if (PREAMBLE.some((byte, at) => blob[at] !== byte)) {
    throw new CryptoError('bad_blob', 'blob is of an unknown format or algorithm')
  }
  return Buffer.from(blob.buffer, blob.byteOffset, NONCE_AT).toString('hex', PREAMBLE.length)
}

function associatedData(blob: Uint8Array, context: Uint8Array): Uint8Array {
  return Buffer.concat([blob.subarray(0, NONCE_AT), context])
}
