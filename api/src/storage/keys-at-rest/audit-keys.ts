import {
  type AuditKey,
  auditKeyOf,
  createAuditSeed,
  openAuditSeed,
  wrapAuditSeed,
} from '@keyferry/crypto/audit-key'
import { keyId } from '@keyferry/crypto/derivation-key'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Database, Query } from '../base/queries.ts'

/** `name` is what notes are signed as. */
export type NamedAuditKey = AuditKey & { readonly name: string }

type AuditKeyParts = { ring: RootKeyRing; name: string; now: string }

/** The audit key of this database, made at the first call. It keeps the name that it got then. From this call on, the
 * database makes the MACs of the rows that decide, and refuses rows without one.
 * @throws CryptoError when the stored key was changed or its root key is not in use */
export async function openAuditKey(database: Database, naming: AuditKeyParts): Promise<NamedAuditKey> {
  const key = await database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const row = await transaction
      .selectFrom('audit_keys')
      .selectAll()
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst()
    if (!row) return await insertKey(transaction, naming)
    return { ...auditKeyOf(openAuditSeed(row.wrapped_key, naming.ring)), name: row.name }
  })
  database.rowMacs.key = key.rows
  return key
}

async function insertKey(transaction: Query, { ring, name, now }: AuditKeyParts): Promise<NamedAuditKey> {
  const seed = createAuditSeed()
  const key = auditKeyOf(seed)
  await transaction
    .insertInto('audit_keys')
    .values({
      id: keyId(seed),
      name,
      public_key: key.publicKey,
      wrapped_key: wrapAuditSeed(seed, ring.first),
      root_key_id: ring.first.id,
      created_at: now,
    })
    .execute()
  return { ...key, name }
}
