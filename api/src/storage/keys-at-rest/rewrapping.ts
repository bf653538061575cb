import type { RootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { sql } from 'kysely'
import type { Query } from '../base/queries.ts'

/** Wrap the keys of one table with the ring's first root key.
 * @param rewrap the same key under the given root key */
export async function rewrapKeys(
  transaction: Query,
  table: 'audit_keys' | 'receipt_keys' | 'deposit_keys',
  { ring, rewrap }: { ring: RootKeyRing; rewrap: (wrapped: Uint8Array, rootKey: RootKey) => Uint8Array },
): Promise<void> {
  const { id: first } = ring.first
  const { rows } = await sql<{ id: string; wrapped_key: Uint8Array }>`
    select id, wrapped_key from ${sql.table(table)} where root_key_id <> ${first}`.execute(transaction)
  for (const { id, wrapped_key } of rows) {
    const wrapped = rewrap(wrapped_key, ring.first)
    await sql`update ${sql.table(table)} set wrapped_key = ${wrapped}, root_key_id = ${first} where id = ${id}`.execute(
      transaction,
    )
  }
}
