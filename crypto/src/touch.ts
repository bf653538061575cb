import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivationKey, deriveSubkey } from './derivation-key.ts'
import { frame } from './frame.ts'
import type { RootKey, RootKeyRing } from './root-key.ts'

/*
 * A touch is a signature of a person's signing key over exactly one act. The API writes a statement that says what the
 * act is, for a fresh nonce. The challenge that the key signs is a digest of both. The token says that the API gave
 * this nonce for this statement, so nothing has to be stored before a key signs.
 */

const NONCE_BYTES = 32
const DIGEST_BYTES = 32
const TOKEN = /^([\w-]{43})\.([\w-]{43})$/

/** What a key signs: `statement` is the exact bytes of a JSON text. */
export type TouchLeaf = { readonly nonce: Uint8Array; readonly statement: Uint8Array }

/** 8 bytes of time (milliseconds, big-endian), then 24 random bytes. */
export function createTouchNonce(nowMs: number): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(nowMs))
  return nonce
}

/** When a nonce was made, in epoch milliseconds. */
export function touchNonceMs(nonce: Uint8Array): number {
  return Number(Buffer.from(nonce).readBigUInt64BE())
}

/** The nonce and its proof, both base64url. */
export function createTouchToken(leaf: TouchLeaf, rootKey: RootKey): string {
  return [leaf.nonce, tokenProof(leaf, rootKey)].map(base64url).join('.')
}

/** The nonce that a token claims; null: the token is malformed. Check the token once its statement is known. */
export function nonceOfTouchToken(token: string): Uint8Array | null {
  const parts = TOKEN.exec(token)
    ?.slice(1)
    .map((text) => Buffer.from(text, 'base64url'))
  return parts?.map(base64url).join('.') === token ? (parts[0] ?? null) : null
}

/** Whether a root key of the ring made this token for this statement. */
export function touchTokenFits(token: string, statement: Uint8Array, ring: RootKeyRing): boolean {
  const nonce = nonceOfTouchToken(token)
  const proof = Buffer.from(token.split('.')[1] ?? '', 'base64url')
  if (nonce === null || proof.length !== DIGEST_BYTES) return false
  return ring.ids
    .flatMap((id) => ring.find(id) ?? [])
    .some((rootKey) => timingSafeEqual(tokenProof({ nonce, statement }, rootKey), proof))
}

/** The challenge for one act, or for several that one use of a key signs together.
 * @returns 32 bytes */
export function touchChallenge(...leaves: readonly TouchLeaf[]): Uint8Array {
  const digests = leaves.map(({ nonce, statement }) =>
    sha256(frame('keyferry touch leaf v1', nonce, statement)),
  )
  return sha256(frame('keyferry touch v1', ...digests))
}

/** What a statement says about a body: without the nonce, no one can use it to test guesses of the body.
 * @returns 64 lower-case hex digits */
export function touchBodyDigest(nonce: Uint8Array, body: Uint8Array): string {
  return sha256(frame(nonce, body)).toString('hex')
}

function tokenProof({ nonce, statement }: TouchLeaf, { bytes }: RootKey): Buffer {
  const key = deriveSubkey(derivationKey(bytes), frame('keyferry touch token key v1'))
  return createHmac('sha256', key)
    .update(frame('keyferry touch token v1', nonce, statement))
    .digest()
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
