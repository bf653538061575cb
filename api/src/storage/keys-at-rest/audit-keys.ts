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
import { isFound } from '../base/tenant-rows.ts'

/** `name` is what notes are signed as. */
export type NamedAuditKey = AuditKey & { readonly name: string }

const ACCEPTED = 'audit.accepted'

type AuditKeyParts = { ring: RootKeyRing; name: string; now: string }

/** The audit key of this database, made at the first call. It keeps the name that it got then. From this call on, the
 * database makes the MACs of the rows that decide. It refuses rows without a MAC if all rows had one at some time.
 * @throws CryptoError when the stored key was changed or its root key is not in use */
export async function openAuditKey(database: Database, naming: AuditKeyParts): Promise<NamedAuditKey> {
  const { areMacsRequired, ...key } = await database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const row = await storedKey(transaction).executeTakeFirst()
    if (!row) return { ...(await insertKey(transaction, naming)), areMacsRequired: true }
    const { seed, mark } = openAuditSeed(row.wrapped_key, naming.ring)
    return {
      ...auditKeyOf(seed),
      name: row.name,
      areMacsRequired: mark === 'sealed' || (await wereAccepted(transaction)),
    }
  })
  database.rowMacs.key = key.rows
  database.rowMacs.areRequired ||= areMacsRequired
  return key
}

function storedKey(query: Query) {
  return query.selectFrom('audit_keys').selectAll().orderBy('created_at').limit(1)
}

// A program that puts the key of before back, without its mark, does not make rows without a MAC count.
async function wereAccepted(query: Query): Promise<boolean> {
  const logged = query
    .selectFrom('tenants')
    .innerJoin('audit_log', 'audit_log.tenant_id', 'tenants.id')
    .where('audit_log.action', '=', ACCEPTED)
  const waiting = query.selectFrom('events').where('body', 'like', `%"action":"${ACCEPTED}"%`)
  return (await isFound(logged)) || (await isFound(waiting))
}

/** Require MACs from now on, also after a restart and on other nodes. The mark is in what only the root key can make.
 * Builds without MACs cannot open the key any more. */
export async function markMacsRequired(transaction: Query, ring: RootKeyRing): Promise<void> {
  const { id, wrapped_key } = await storedKey(transaction).executeTakeFirstOrThrow()
  const { seed } = openAuditSeed(wrapped_key, ring)
  const wrapped = { wrapped_key: wrapAuditSeed(seed, ring.first, 'sealed'), root_key_id: ring.first.id }
  await transaction.updateTable('audit_keys').set(wrapped).where('id', '=', id).execute()
}

/** Require MACs if another node, or an operator, marked that all rows have MACs. */
export async function readMark({ query, rowMacs }: Database, ring: RootKeyRing): Promise<void> {
  if (rowMacs.areRequired) return
  const { wrapped_key } = await storedKey(query).executeTakeFirstOrThrow()
  rowMacs.areRequired = openAuditSeed(wrapped_key, ring).mark === 'sealed'
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
      wrapped_key: wrapAuditSeed(seed, ring.first, 'sealed'),
      root_key_id: ring.first.id,
      created_at: now,
    })
    .execute()
  return { ...key, name }
}
