import { blobStart, decryptBlob, encryptBlob } from './blob.ts'
import { CryptoError } from './crypto-error.ts'
import { derivationKey } from './derivation-key.ts'
import { frame } from './frame.ts'
import { Plaintext } from './plaintext.ts'
import { requireTenantKey } from './tenant-key.ts'

export { BLOB_OVERHEAD_BYTES } from './blob.ts'

/** What an encrypted value is bound to. A blob decrypts in exactly the context that it was encrypted in, so a blob that
 * was moved to another row, or whose row was renamed or marked as not secret in the database, fails to decrypt. */
export type ValueContext = {
  readonly tenantId: string
  readonly table: string
  readonly rowId: string
  readonly column: string
  /** Increases with each change of the value, from 0 or 1. */
  readonly version: number
  /** The variable's name. */
  readonly name: string
  readonly isSecret: boolean
  /** The names that a composed value is built from, as its row has them; absent or null for any other value. */
  readonly templateParts?: string | null
}

/** Encrypt a value in one context, with AES-256-GCM and a subkey for this context.
 * @returns a blob, BLOB_OVERHEAD_BYTES longer than the value's UTF-8
 * @throws CryptoError bad_tenant_key · bad_context */
export function encryptValue(plaintext: Plaintext, tenantKey: Uint8Array, context: ValueContext): Uint8Array {
  requireTenantKey(tenantKey)
  return encryptBlob(plaintext.bytes(), derivationKey(tenantKey), framed(context))
}

/** @throws CryptoError bad_blob (malformed, changed, or encrypted in another context) · wrong_key (encrypted with
 *   another tenant key) · bad_tenant_key · bad_context · bad_text (the plaintext is not UTF-8) */
export function decryptValue(blob: Uint8Array, tenantKey: Uint8Array, context: ValueContext): Plaintext {
  requireTenantKey(tenantKey)
  return Plaintext.fromBytes(decryptBlob(blob, derivationKey(tenantKey), framed(context)))
}

/** The bytes that begin each value encrypted with a tenant key. */
export function valueStart(tenantKey: Uint8Array): Uint8Array {
  return blobStart(derivationKey(tenantKey))
}

function framed(context: ValueContext): Buffer {
  const { tenantId, table, rowId, column, version, name, isSecret, templateParts = null } = context
  if (!Number.isSafeInteger(version) || version < 0)
    throw new CryptoError('bad_context', 'version is not a safe integer from 0')
  const mark = isSecret ? 'secret' : 'public'
  try {
    const label = 'keyferry value v1'
    // Runs once for each value of a list, so it builds no array for an ordinary one.
    if (templateParts === null)
      return frame(label, tenantId, table, rowId, column, String(version), name, mark)
    return frame(label, tenantId, table, rowId, column, String(version), name, mark, templateParts)
  } catch (cause) {
    throw new CryptoError('bad_context', 'context is not well-formed text', { cause })
  }
}
