import { Plaintext } from '@keyferry/crypto/plaintext'
import { decryptValue, encryptValue, type ValueContext } from '@keyferry/crypto/value-cipher'
import type { Tables } from '../base/tables.ts'

/** The columns that decide what a signing key may sign. The public key is encrypted for exactly these, so an edited
 * row gives an error, and never a key that counts. */
export type KeyColumns = Pick<
  Tables['approval_keys'],
  | 'tenant_id'
  | 'id'
  | 'user_id'
  | 'credential_id'
  | 'is_synced'
  | 'aaguid'
  | 'rp_id'
  | 'state'
  | 'confirmed_by'
  | 'created_at'
>

export function encryptPublicKey(publicKey: Uint8Array, row: KeyColumns, tenantKey: Uint8Array): Uint8Array {
  const text = Buffer.from(publicKey).toString('base64')
  return encryptValue(Plaintext.of(text), tenantKey, approvalKeyContext(row))
}

/** @throws CryptoError bad_blob or wrong_key: the row was changed or moved */
export function openPublicKey(
  row: KeyColumns & Pick<Tables['approval_keys'], 'public_key'>,
  tenantKey: Uint8Array,
): Uint8Array {
  const text = decryptValue(row.public_key, tenantKey, approvalKeyContext(row)).reveal()
  return Uint8Array.from(Buffer.from(text, 'base64'))
}

/** What a stored public key is bound to. */
export function approvalKeyContext({ tenant_id: tenantId, id: rowId, ...row }: KeyColumns): ValueContext {
  const facts = [row.user_id, row.credential_id, row.is_synced, row.aaguid, row.rp_id]
  const name = JSON.stringify([...facts, row.state, row.confirmed_by, row.created_at])
  const place = { table: 'approval_keys', column: 'public_key', version: 1 } as const
  return { tenantId, rowId, ...place, name, isSecret: true }
}
