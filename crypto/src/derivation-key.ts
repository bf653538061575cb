import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { frame } from './frame.ts'

const KEY_ID_BYTES = 8
const NO_SALT = Buffer.alloc(32)
const FIRST_BLOCK = Uint8Array.of(1)

/** What is worked out once per key, so that each value costs one HMAC and not three. */
export type DerivationKey = { readonly id: string; readonly bytes: Uint8Array; readonly extracted: KeyObject }

const prepared = new WeakMap<Uint8Array, DerivationKey>()

/** Prepare 32 uniformly random bytes for `deriveSubkey`; remembered for as long as the caller keeps the array.
 * If the array's content has changed (wiped, or reused for another key), it is prepared again. */
export function derivationKey(bytes: Uint8Array): DerivationKey {
  const known = prepared.get(bytes)
  if (known && Buffer.compare(known.bytes, bytes) === 0) return known
  const extracted = createSecretKey(createHmac('sha256', NO_SALT).update(bytes).digest())
  const made = { id: keyId(bytes), bytes: Uint8Array.from(bytes), extracted }
  prepared.set(bytes, made)
  return made
}

/** HKDF-SHA256 (RFC 5869) without salt: 32 bytes for exactly this `info`. */
export function deriveSubkey(key: DerivationKey, info: Uint8Array): KeyObject {
  return createSecretKey(createHmac('sha256', key.extracted).update(info).update(FIRST_BLOCK).digest())
}

/** A name for a random key that says nothing about it: 16 lower-case hex digits of a labelled SHA-256. */
export function keyId(bytes: Uint8Array): string {
  return hash('sha256', frame('keyferry key id v1', bytes), 'hex').slice(0, KEY_ID_BYTES * 2)
}
