import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

/** The length of a public key, and of the seed that a private key is made from. */
export const ED25519_BYTES = 32

/** The private key of a seed of 32 bytes. */
export function signingKeyOf(seed: Uint8Array): KeyObject {
  const pkcs8 = Buffer.concat([PKCS8_ED25519, seed])
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
}

/** The 32 bytes of the public key that belongs to a private key. */
export function publicBytesOf(signingKey: KeyObject): Uint8Array {
  const spki = createPublicKey(signingKey).export({ format: 'der', type: 'spki' })
  return Uint8Array.from(spki.subarray(-ED25519_BYTES))
}

/** The public key of 32 bytes, for `verify`. */
export function verifyingKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_ED25519, bytes]), format: 'der', type: 'spki' })
}

/** A signature, and the public key of who signed. */
export type SignedBy = { readonly publicKey: Uint8Array; readonly signature: Uint8Array }

/** Whether a signature is of this key over these bytes; false for a key or signature that is malformed. */
export function signatureFits(message: Uint8Array, { publicKey, signature }: SignedBy): boolean {
  if (publicKey.length !== ED25519_BYTES) return false
  return verify(null, message, verifyingKeyOf(publicKey), signature)
}
