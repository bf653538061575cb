import { hash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { decryptBlob, encryptBlob, keyIdOfBlob } from './blob.ts'
import { CryptoError } from './crypto-error.ts'
import { derivationKey } from './derivation-key.ts'
import { ED25519_BYTES, publicBytesOf, type SignedBy, signatureFits, signingKeyOf } from './ed25519.ts'
import { frame } from './frame.ts'
import type { RootKey, RootKeyRing } from './root-key.ts'

/*
 * A receipt says what was delivered and who approved it. The API signs it; the client checks it and pins the key. So a
 * layer between the API and the client cannot put other values into a box.
 */

const CONTEXT = frame('keyferry receipt seed v1')
const KID_DIGITS = 16

/** `kid`: 16 lower-case hex digits, made from the public key. */
export type ReceiptKey = { readonly kid: string; readonly signer: KeyObject; readonly publicKey: Uint8Array }

/** A fresh seed: 32 random bytes. */
export function createReceiptSeed(): Uint8Array {
  return Uint8Array.from(randomBytes(ED25519_BYTES))
}

/** Encrypt a seed under a root key. */
export function wrapReceiptSeed(seed: Uint8Array, rootKey: RootKey): Uint8Array {
  return encryptBlob(seed, derivationKey(rootKey.bytes), CONTEXT)
}

/** @throws CryptoError bad_blob (malformed or changed) · wrong_key (its root key is not in the ring) */
export function unwrapReceiptSeed(blob: Uint8Array, ring: RootKeyRing): Uint8Array {
  const rootKey = ring.find(keyIdOfBlob(blob))
  if (!rootKey) throw new CryptoError('wrong_key', 'receipt key was wrapped by a root key that is not in use')
  return decryptBlob(blob, derivationKey(rootKey.bytes), CONTEXT)
}

/** @throws CryptoError bad_blob: the seed is not 32 bytes */
export function receiptKeyOf(seed: Uint8Array): ReceiptKey {
  if (seed.length !== ED25519_BYTES) throw new CryptoError('bad_blob', 'receipt seed is not 32 bytes')
  const signer = signingKeyOf(seed)
  const publicKey = publicBytesOf(signer)
  return { kid: receiptKeyId(publicKey), signer, publicKey }
}

/** The name of a public key of 32 bytes. */
export function receiptKeyId(publicKey: Uint8Array): string {
  return hash('sha256', frame('keyferry receipt kid v1', publicKey), 'hex').slice(0, KID_DIGITS)
}

/** Sign the bytes of a receipt as they are.
 * @returns 64 bytes */
export function signReceipt(payload: Uint8Array, { signer }: ReceiptKey): Uint8Array {
  return sign(null, receiptStatement(payload), signer)
}

export function receiptFits(payload: Uint8Array, proof: SignedBy): boolean {
  return signatureFits(receiptStatement(payload), proof)
}

/** Sign the key that takes the place of this one.
 * @returns 64 bytes */
export function endorseReceiptKey(newPublicKey: Uint8Array, { signer }: ReceiptKey): Uint8Array {
  return sign(null, endorsementStatement(newPublicKey), signer)
}

/** Whether the older key signed the new one. */
export function endorsementFits(newPublicKey: Uint8Array, proof: SignedBy): boolean {
  return signatureFits(endorsementStatement(newPublicKey), proof)
}

/** The fingerprint of a command in a receipt: 64 lower-case hex digits. */
export function commandDigest(argv: readonly string[]): string {
  return hash('sha256', frame(...argv), 'hex')
}

/** The fingerprint of a sealed box in a receipt: 64 lower-case hex digits. */
export function boxDigest(box: Uint8Array): string {
  return hash('sha256', box, 'hex')
}

function receiptStatement(payload: Uint8Array): Buffer {
  return frame('keyferry receipt v1', payload)
}

function endorsementStatement(publicKey: Uint8Array): Buffer {
  return frame('keyferry receipt key v1', publicKey)
}
