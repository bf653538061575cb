import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { decryptBlob, encryptBlob, keyIdOfBlob } from './blob.ts'
import { CryptoError } from './crypto-error.ts'
import { derivationKey } from './derivation-key.ts'
import { publicBytesOf, signingKeyOf } from './ed25519.ts'
import { frame } from './frame.ts'
import type { RootKey, RootKeyRing } from './root-key.ts'

const SEED_BYTES = 32
const CONTEXT = frame('keyferry audit key v1')

/** The keys of the audit log and of rows that decide. All are derived from one seed: `mac` proves that an API node
 * wrote an event, `rows` that it wrote a row, and `signer` signs the notes. */
export type AuditKey = {
  readonly mac: KeyObject
  readonly rows: KeyObject
  readonly signer: KeyObject
  readonly publicKey: Uint8Array
}

/** A fresh seed: 32 random bytes. */
export function createAuditSeed(): Uint8Array {
  return Uint8Array.from(randomBytes(SEED_BYTES))
}

/** Encrypt a seed under a root key.
 * @returns a blob of 72 bytes */
export function wrapAuditSeed(seed: Uint8Array, rootKey: RootKey): Uint8Array {
  return encryptBlob(seed, derivationKey(rootKey.bytes), CONTEXT)
}

/** @throws CryptoError bad_blob (malformed or changed) · wrong_key (its root key is not in the ring) */
export function openAuditSeed(blob: Uint8Array, ring: RootKeyRing): Uint8Array {
  const rootKey = ring.find(keyIdOfBlob(blob))
  if (!rootKey) throw new CryptoError('wrong_key', 'audit key was wrapped by a root key that is not in use')
  return decryptBlob(blob, derivationKey(rootKey.bytes), CONTEXT)
}

/** @throws CryptoError bad_blob: the seed is not 32 bytes */
export function auditKeyOf(seed: Uint8Array): AuditKey {
  if (seed.length !== SEED_BYTES) throw new CryptoError('bad_blob', 'audit seed is not 32 bytes')
  const signer = signingKeyOf(derived(seed, 'keyferry audit note v1'))
  return {
    mac: createSecretKey(derived(seed, 'keyferry audit mac v1')),
    rows: createSecretKey(derived(seed, 'keyferry row mac v1')),
    signer,
    publicKey: publicBytesOf(signer),
  }
}

function derived(seed: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, '', info, SEED_BYTES))
}
