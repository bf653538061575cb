import { decryptBlob, encryptBlob } from './blob.ts'
import { CryptoError } from './crypto-error.ts'
import { derivationKey } from './derivation-key.ts'
import { frame } from './frame.ts'
import { Plaintext } from './plaintext.ts'
import { requireTenantKey } from './tenant-key.ts'

export { BLOB_OVERHEAD_BYTES } from './blob.ts'

/** Where a value is stored. A blob opens at the place it was made for and nowhere else. */
export type Place = {
  readonly tenantId: string
  readonly table: string
  readonly rowId: string
  readonly column: string
  /** Counts up with each change of the value, from 0 or 1. */
  readonly version: number
}

/** Encrypt a value for exactly one place: AES-256-GCM under a subkey of its own.
 * @returns a blob, 40 bytes longer than the value's UTF-8
 * @throws CryptoError bad_tenant_key · bad_place */
export function encryptValue(plaintext: Plaintext, tenantKey: Uint8Array, place: Place): Uint8Array {
  requireTenantKey(tenantKey)
  return encryptBlob(plaintext.bytes(), derivationKey(tenantKey), contextOf(place))
}

/** @throws CryptoError bad_blob (malformed, changed, or another place's) · wrong_key (another tenant key's)
 *   · bad_tenant_key · bad_place · bad_text (what was stored is not UTF-8) */
export function decryptValue(blob: Uint8Array, tenantKey: Uint8Array, place: Place): Plaintext {
  requireTenantKey(tenantKey)
  return Plaintext.fromBytes(decryptBlob(blob, derivationKey(tenantKey), contextOf(place)))
}

function contextOf({ tenantId, table, rowId, column, version }: Place): Buffer {
  if (!Number.isSafeInteger(version) || version < 0)
    throw new CryptoError('bad_place', 'version is not a count')
  try {
    return frame('keyferry value v1', tenantId, table, rowId, column, String(version))
  } catch (cause) {
    throw new CryptoError('bad_place', 'place is not well-formed text', { cause })
  }
}
