import {
  createReceiptSeed,
  endorseReceiptKey,
  type ReceiptKey,
  receiptKeyOf,
  unwrapReceiptSeed,
  wrapReceiptSeed,
} from '@keyferry/crypto/receipt'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Database, Query } from '../base/queries.ts'

/** A key that signs receipts, or signed them before the newest. `endorsement`: of the key before it. */
export type KnownReceiptKey = ReceiptKey & {
  createdAt: string
  endorsement: { kid: string; signature: string } | null
}

type ReceiptKeyParts = { ring: RootKeyRing; now: string }

/** How many keys are in use at one time: the newest signs, and the one before it is still accepted. */
const LIVE = 2

/** The keys of this database, the newest first; the first call makes one.
 * @throws CryptoError when a stored key was changed or its root key is not in use */
export async function openReceiptKeys(
  database: Database,
  making: ReceiptKeyParts,
): Promise<KnownReceiptKey[]> {
  return database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const known = await keysIn(transaction, making.ring)
    return known.length > 0 ? known : [await insertKey(transaction, making, null)]
  })
}

/** Make a new key that the newest one endorses. The one before the newest is deleted.
 * @returns the new key's id */
export async function rotateReceiptKey(database: Database, making: ReceiptKeyParts): Promise<string> {
  return database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const [newest = null, ...older] = await keysIn(transaction, making.ring)
    const { kid } = await insertKey(transaction, making, newest)
    const gone = older.slice(LIVE - 2).map((key) => key.kid)
    if (gone.length > 0) await transaction.deleteFrom('receipt_keys').where('id', 'in', gone).execute()
    return kid
  })
}

async function keysIn(query: Query, ring: RootKeyRing): Promise<KnownReceiptKey[]> {
  const rows = await query.selectFrom('receipt_keys').selectAll().orderBy('serial', 'desc').execute()
  return rows.map((row) => ({
    ...receiptKeyOf(unwrapReceiptSeed(row.wrapped_key, ring)),
    createdAt: row.created_at,
    endorsement:
      row.endorsed_by === null || row.endorsement === null
        ? null
        : { kid: row.endorsed_by, signature: row.endorsement },
  }))
}

async function insertKey(transaction: Query, { ring, now }: ReceiptKeyParts, before: KnownReceiptKey | null) {
  const seed = createReceiptSeed()
  const key = receiptKeyOf(seed)
  const signature = before && Buffer.from(endorseReceiptKey(key.publicKey, before)).toString('base64')
  const newest = await transaction
    .selectFrom('receipt_keys')
    .select('serial')
    .orderBy('serial', 'desc')
    .executeTakeFirst()
  await transaction
    .insertInto('receipt_keys')
    .values({
      id: key.kid,
      serial: (newest?.serial ?? 0) + 1,
      wrapped_key: wrapReceiptSeed(seed, ring.first),
      root_key_id: ring.first.id,
      endorsed_by: before?.kid ?? null,
      endorsement: signature,
      created_at: now,
    })
    .execute()
  const endorsement = before && signature !== null ? { kid: before.kid, signature } : null
  return { ...key, createdAt: now, endorsement }
}
