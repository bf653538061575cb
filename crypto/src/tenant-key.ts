import { randomBytes } from 'node:crypto'
import { decryptBlob, encryptBlob, keyIdOfBlob } from './blob.ts'
import { CryptoError } from './crypto-error.ts'
import { derivationKey } from './derivation-key.ts'
import { frame } from './frame.ts'
import type { RootKey, RootKeyRing } from './root-key.ts'

const TENANT_KEY_BYTES = 32

/** The keys of one tenant: the first one encrypts, all of them decrypt. Only during a rotation there are several. */
export type TenantKeyRing = readonly [Uint8Array, ...Uint8Array[]]

/** A fresh key for one tenant: 32 random bytes. */
export function createTenantKey(): Uint8Array {
  return Uint8Array.from(randomBytes(TENANT_KEY_BYTES))
}

/** Encrypt a tenant key under a root key, for exactly this tenant.
 * @returns a blob of 72 bytes
 * @throws CryptoError bad_tenant_key: not 32 bytes */
export function wrapTenantKey(tenantKey: Uint8Array, rootKey: RootKey, tenantId: string): Uint8Array {
  requireTenantKey(tenantKey)
  return encryptBlob(tenantKey, derivationKey(rootKey.bytes), contextOf(tenantId))
}

/** @throws CryptoError bad_blob (malformed, changed, or another tenant's) · wrong_key (its root key is not in the
 *   ring) */
export function unwrapTenantKey(blob: Uint8Array, ring: RootKeyRing, tenantId: string): Uint8Array {
  const rootKey = ring.find(keyIdOfBlob(blob))
  if (!rootKey) throw new CryptoError('wrong_key', 'tenant key was wrapped by a root key that is not in use')
  const tenantKey = decryptBlob(blob, derivationKey(rootKey.bytes), contextOf(tenantId))
  requireTenantKey(tenantKey)
  return tenantKey
}

/** @throws CryptoError bad_tenant_key: not 32 bytes */
export function requireTenantKey(tenantKey: Uint8Array): void {
  if (tenantKey.length !== TENANT_KEY_BYTES)
    throw new CryptoError('bad_tenant_key', 'tenant key is not 32 bytes')
}

/** Of a tenant's keys, the one that a blob was made under; the first one if none of them.
 * @throws CryptoError bad_blob: not a blob of ours */
export function tenantKeyFor(blob: Uint8Array, ring: TenantKeyRing): Uint8Array {
  if (ring.length === 1) return ring[0]
  const id = keyIdOfBlob(blob)
  return ring.find((key) => derivationKey(key).id === id) ?? ring[0]
}

function contextOf(tenantId: string): Buffer {
  return frame('keyferry tenant key v1', tenantId)
}
