import { openAuditSeed, wrapAuditSeed } from '@keyferry/crypto/audit-key'
import { unwrapDepositKey, wrapDepositKey } from '@keyferry/crypto/deposit-key'
import { unwrapReceiptSeed, wrapReceiptSeed } from '@keyferry/crypto/receipt'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { sql } from 'kysely'
import type { Query } from '../base/queries.ts'

type Rewrap = (wrapped: Uint8Array, ring: RootKeyRing) => Uint8Array

/** The tables of the server's own keys, each with the function that wraps one of its keys anew. */
const SERVER_KEYS: Record<'audit_keys' | 'receipt_keys' | 'deposit_keys', Rewrap> = {
  audit_keys: (wrapped, ring) => wrapAuditSeed(openAuditSeed(wrapped, ring), ring.first),
  receipt_keys: (wrapped, ring) => wrapReceiptSeed(unwrapReceiptSeed(wrapped, ring), ring.first),
  deposit_keys: (wrapped, ring) => wrapDepositKey(unwrapDepositKey(wrapped, ring), ring.first),
}

/** Wrap the server's own keys with the ring's first root key. */
export async function rewrapServerKeys(transaction: Query, ring: RootKeyRing): Promise<void> {
  const { id: first } = ring.first
  for (const [name, rewrap] of Object.entries(SERVER_KEYS)) {
    const table = sql.table(name)
    const { rows } = await sql<{ id: string; wrapped_key: Uint8Array }>`
      select id, wrapped_key from ${table} where root_key_id <> ${first}`.execute(transaction)
    for (const { id, wrapped_key } of rows) {
      const changes = sql`wrapped_key = ${rewrap(wrapped_key, ring)}, root_key_id = ${first}`
      await sql`update ${table} set ${changes} where id = ${id}`.execute(transaction)
    }
  }
}
