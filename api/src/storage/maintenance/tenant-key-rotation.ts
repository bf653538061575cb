import { setTimeout as sleep } from 'node:timers/promises'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import {
  createTenantKey,
  type TenantKeyRing,
  tenantKeyFor,
  unwrapTenantKey,
  wrapTenantKey,
} from '@keyferry/crypto/tenant-key'
import { decryptValue, encryptValue, valueStart } from '@keyferry/crypto/value-cipher'
import { sql } from 'kysely'
import type { Database, Query } from '../base/queries.ts'
import { storedValues } from '../keys-at-rest/stored-values.ts'
import { KEY_COLUMNS, KEY_KEPT_MS, TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import type { StoredValue } from '../schema/encrypted.ts'

/*
 * A tenant gets a new key while servers read and write. First every process learns the new key (`next_key`). Then the
 * new key encrypts, and the previous one only decrypts (`old_key`): a transaction that encrypts locks the tenant's row,
 * so none uses the old key from then on. Then each value is encrypted again, and the old key is destroyed. The row says
 * how far a tenant is, so the next run continues one that was stopped.
 */

const TENANTS_AT_ONCE = 20

// Between two pieces of the walk, so that servers can write to SQLite, which has one writer.
const PAUSE_MS = 50

type Rotated = {
  ring: RootKeyRing
  /** Null: all tenants. */
  tenantId: string | null
  /** For how long calls can still use what they read before a step. */
  settleMs?: number
}

/** @returns how many tenants have a new key, and how many values this run encrypted */
export async function rotateTenantKeys(
  database: Database,
  { ring, tenantId, settleMs = 3 * KEY_KEPT_MS }: Rotated,
): Promise<{ tenants: number; values: number }> {
  if ((await tenantsOf(database.query, tenantId).limit(1).execute()).length === 0)
    return { tenants: 0, values: 0 }
  const locked = locker(database, tenantId)
  await locked((transaction, ids) => addNextKeys(transaction, { ids, ring }))
  await sleep(settleMs)
  await locked(useNextKeys)
  const ids = await unfinished(database.query, tenantId)
  const tenantKeys = new TenantKeys(database, ring)
  let values = 0
  for (const id of ids) values += await encryptAnew(database, tenantKeys, id)
  await sleep(settleMs)
  for (const id of ids) await locker(database, id)((transaction) => dropOldKey(transaction, tenantKeys, id))
  return { tenants: ids.length, values }
}

async function unfinished(query: Query, tenantId: string | null): Promise<string[]> {
  const rows = await tenantsOf(query, tenantId).where('old_key', 'is not', null).execute()
  return rows.map(({ id }) => id)
}

function tenantsOf(query: Query, tenantId: string | null) {
  const tenants = query.selectFrom('tenants').select('id').orderBy('id')
  return tenantId === null ? tenants : tenants.where('id', '=', tenantId)
}

// A transaction that waits for those that encrypt for these tenants, and that new ones wait for. It takes some tenants
// at a time, so that the others do not wait.
function locker({ query, lock }: Database, tenantId: string | null) {
  return async (work: (transaction: Query, ids: readonly string[]) => Promise<void>) => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const some = tenantsOf(query, tenantId).where('id', '>', after).limit(TENANTS_AT_ONCE)
      after = await query.transaction().execute(async (transaction): Promise<string | undefined> => {
        const { rows } = await transaction.executeQuery(some.modifyEnd(lock))
        const ids = rows.map(({ id }) => id)
        if (ids.length > 0) await work(transaction, ids)
        return ids.at(-1)
      })
    }
  }
}

async function addNextKeys(transaction: Query, { ids, ring }: { ids: readonly string[]; ring: RootKeyRing }) {
  for (const id of ids) {
    const row = transaction.selectFrom('tenants').select(KEY_COLUMNS).where('id', '=', id)
    const { wrapped_key, next_key, old_key } = await row.executeTakeFirstOrThrow()
    // A run that was stopped has begun with this one.
    if (next_key !== null || old_key !== null) continue
    const tenantKey = unwrapTenantKey(wrapped_key, ring, id)
    const wrap = (bytes: Uint8Array) => wrapTenantKey(bytes, ring.first, id)
    await transaction
      .updateTable('tenants')
      .set({ wrapped_key: wrap(tenantKey), next_key: wrap(createTenantKey()), root_key_id: ring.first.id })
      .where('id', '=', id)
      .execute()
  }
}

async function useNextKeys(transaction: Query, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await sql`update tenants set old_key = wrapped_key, wrapped_key = next_key, next_key = null
      where id = ${id} and next_key is not null`.execute(transaction)
}

async function encryptAnew(database: Database, tenantKeys: TenantKeys, tenantId: string): Promise<number> {
  let changed = 0
  const [key] = await tenantKeys.of(tenantId)
  for await (const values of storedValues(database.query, tenantId, valueStart(key))) {
    await database.query.transaction().execute(async (transaction) => {
      const keys = await tenantKeys.locked(transaction, tenantId)
      changed += await encryptSome(transaction, keys, values)
    })
    await sleep(PAUSE_MS)
  }
  return changed
}

async function encryptSome(transaction: Query, keys: TenantKeyRing, values: readonly StoredValue[]) {
  let changed = 0
  for (const { table, column, tenantId, id, blob, context } of values) {
    const key = tenantKeyFor(blob, keys)
    if (key === keys[0]) continue
    const renewed = encryptValue(decryptValue(blob, key, context), keys[0], context)
    const idColumn = sql.ref(table === 'key_versions' ? 'key_id' : 'id')
    // A blob that was replaced since has the new key already.
    const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${renewed}
      where tenant_id = ${tenantId} and ${idColumn} = ${id} and ${sql.ref(column)} = ${blob}`.execute(
      transaction,
    )
    changed += Number(numAffectedRows)
  }
  return changed
}

async function dropOldKey(transaction: Query, tenantKeys: TenantKeys, tenantId: string): Promise<void> {
  const keys = await tenantKeys.locked(transaction, tenantId)
  // A value may have moved to a place that the walk had passed already. Writers wait, so the database looks for it.
  for await (const values of storedValues(transaction, tenantId, valueStart(keys[0])))
    await encryptSome(transaction, keys, values)
  await transaction.updateTable('tenants').set({ old_key: null }).where('id', '=', tenantId).execute()
}
