import { depositKeyId } from '@keyferry/crypto/deposit'
import { unwrapDepositKey, wrapDepositKey } from '@keyferry/crypto/deposit-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Selectable } from 'kysely'
import type { DepositKey, DepositKeyStore } from '../../domain/transfer/deposit-key.ts'
import type { Database, Queries, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'

type DepositKeyParts = { ring: RootKeyRing; now: string }

/** How many keys open deposits at one time: a deposit that was sealed before a rotation must still open. */
const LIVE = 2

/** Reads the keys at each use, so that every node knows a new key at once. */
export function createDepositKeyStore({ query }: Pick<Queries, 'query'>, ring: RootKeyRing): DepositKeyStore {
  return {
    async newest() {
      const row = await newestOf(query).executeTakeFirstOrThrow()
      return depositKey(row, ring)
    },
    async find(kid) {
      const row = await query.selectFrom('deposit_keys').selectAll().where('id', '=', kid).executeTakeFirst()
      return row === undefined ? null : depositKey(row, ring)
    },
  }
}

/** Make the first key of this database, if there is none. */
export async function beginDepositKeys(database: Database, making: DepositKeyParts): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    if ((await newestOf(transaction).executeTakeFirst()) === undefined) await insertKey(transaction, making)
  })
}

/** Make a new key. The one before it still opens deposits; older ones are deleted.
 * @returns the new key's id */
export async function rotateDepositKey(database: Database, making: DepositKeyParts): Promise<string> {
  return database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const kid = await insertKey(transaction, making)
    const kept = newestOf(transaction).clearSelect().select('id').limit(LIVE)
    const ids = (await kept.execute()).map(({ id }) => id)
    await transaction.deleteFrom('deposit_keys').where('id', 'not in', ids).execute()
    return kid
  })
}

function newestOf(query: Query) {
  return query.selectFrom('deposit_keys').selectAll().orderBy('serial', 'desc').limit(1)
}

function depositKey(row: Selectable<Tables['deposit_keys']>, ring: RootKeyRing): DepositKey {
  return { kid: row.id, pair: unwrapDepositKey(row.wrapped_key, ring), createdAt: row.created_at }
}

async function insertKey(transaction: Query, { ring, now }: DepositKeyParts): Promise<string> {
  const pair = generateKeyPair()
  const id = depositKeyId(pair.publicKey)
  const newest = await newestOf(transaction).executeTakeFirst()
  await transaction
    .insertInto('deposit_keys')
    .values({
      id,
      serial: (newest?.serial ?? 0) + 1,
      wrapped_key: wrapDepositKey(pair, ring.first),
      root_key_id: ring.first.id,
      created_at: now,
    })
    .execute()
  return id
}
