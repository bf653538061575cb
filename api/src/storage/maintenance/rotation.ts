import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { unwrapTenantKey, wrapTenantKey } from '@keyferry/crypto/tenant-key'
import type { Database, Query } from '../base/queries.ts'
import { rewrapServerKeys } from '../keys-at-rest/rewrapping.ts'
import { KEY_COLUMNS } from '../keys-at-rest/tenant-keys.ts'

const TENANTS_AT_ONCE = 200

/** `rewrapped`: tenants whose key this run wrapped anew; `forgotten`: ids of the root keys that nothing needs now. */
export type KeyRotation = { rewrapped: number; forgotten: readonly string[] }

/** Wrap every tenant's key and the server's own keys with the ring's first root key. What is done stays done, so the
 * next run continues one that was stopped. */
export async function rewrapTenantKeys(database: Database, ring: RootKeyRing): Promise<KeyRotation> {
  let rewrapped = 0
  for (;;) {
    const done = await database.query
      .transaction()
      .execute((transaction) => rewrapSome(transaction, { ring, lock: database.lock }))
    rewrapped += done
    if (done === 0) break
  }
  await database.query.transaction().execute((transaction) => rewrapServerKeys(transaction, ring))
  return { rewrapped, forgotten: await forgetOthers(database, ring) }
}

async function rewrapSome(transaction: Query, { ring, lock }: { ring: RootKeyRing; lock: Database['lock'] }) {
  const { first } = ring
  const tenants = await transaction
    .selectFrom('tenants')
    .select(['id', ...KEY_COLUMNS])
    .where('root_key_id', '<>', first.id)
    .orderBy('id')
    .limit(TENANTS_AT_ONCE)
    .modifyEnd(lock)
    .execute()
  for (const { id, wrapped_key, next_key, old_key } of tenants) {
    const rewrap = (key: Uint8Array) => wrapTenantKey(unwrapTenantKey(key, ring, id), first, id)
    const others = { next_key: next_key && rewrap(next_key), old_key: old_key && rewrap(old_key) }
    await transaction
      .updateTable('tenants')
      .set({ wrapped_key: rewrap(wrapped_key), ...others, root_key_id: first.id })
      .where('id', '=', id)
      .execute()
  }
  return tenants.length
}

// A server with the old key still in front may make a tenant at any moment; the old key stays known while one has it.
async function forgetOthers({ query }: Database, ring: RootKeyRing): Promise<readonly string[]> {
  const rows = await query
    .deleteFrom('root_keys')
    .where('id', '<>', ring.first.id)
    .where('id', 'not in', (inUse) => inUse.selectFrom('tenants').select('root_key_id').distinct())
    .where('id', 'not in', (inUse) => inUse.selectFrom('audit_keys').select('root_key_id'))
    .where('id', 'not in', (inUse) => inUse.selectFrom('receipt_keys').select('root_key_id'))
    .where('id', 'not in', (inUse) => inUse.selectFrom('deposit_keys').select('root_key_id'))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
