import { madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { type KeyStore, keyNameTaken } from '../../domain/library/key.ts'
import { isTaken, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { deleteOf, keysAttached, selectOf, updateOf } from '../base/tenant-rows.ts'
import { closeGaps } from '../bundles/attachment-positions.ts'
import { deliveredAs } from '../bundles/bundle-changes.ts'
import { changersOf, reading } from '../bundles/value-rights.ts'
import { storedUses, type ValueVault } from '../keys-at-rest/value-vault.ts'
import { lockTenant } from '../people/tenants.ts'
import { changeLocked, lockKey } from './key-changes.ts'
import { readKeys } from './key-reading.ts'
import { newKeyRow, writeNewKeys } from './key-writes.ts'

export function createKeyStore(
  queries: Queries,
  vault: ValueVault,
  bounds: { versionsKept: number },
): KeyStore {
  const { write } = queries
  return {
    ...readKeys(queries, vault),
    changersOf: (tenantId, keyIds) => changersOf(reading(queries.query), tenantId, keyIds),
    insert: inserter(queries, vault),
    update: updater(queries, vault, bounds),
    delete: (tenantId, keyId, stamp) =>
      write(async (transaction) => {
        const removed = await removeKeys(transaction, { tenantId, keyIds: [keyId], stamp })
        return removed.length === 1
      }),
  }
}

function inserter({ write }: Queries, vault: ValueVault): KeyStore['insert'] {
  return async (tenantId, { value, templateUses = null, ...key }, stamp) => {
    const locked = await vault.toWrite(tenantId)
    const row = {
      ...key,
      tenant_id: tenantId,
      is_secret: flag(key.is_secret),
      value_version: 1,
      template_parts: storedUses(templateUses),
    }
    return refusing(isTaken, keyNameTaken, () =>
      write(async (transaction) => {
        const { encrypt } = await locked(transaction)
        await writeNewKeys(transaction, [newKeyRow(encrypt(value, row))], stamp)
      }),
    )
  }
}

function updater(
  { write }: Queries,
  vault: ValueVault,
  { versionsKept }: { versionsKept: number },
): KeyStore['update'] {
  return async (tenantId, keyId, change) => {
    const locked = await vault.toWrite(tenantId)
    return write(async (transaction) => {
      const parts = { versionsKept, vault: await locked(transaction), transaction }
      await changeLocked(parts, { current: await lockKey(transaction, tenantId, keyId), change })
    })
  }
}

type Removal = { tenantId: string; keyIds: readonly string[]; stamp: Stamp }

/** Delete keys, from every bundle too, and record an event for each of them and for each place in a bundle.
 * @returns those that the tenant had */
export async function removeKeys(
  transaction: Recorded,
  { tenantId, keyIds, stamp }: Removal,
): Promise<{ id: string; name: string }[]> {
  // Everything that moves positions within a bundle locks the bundle's row, here the rows of all bundles that use a
  // key. Serialise deletes per tenant; otherwise two of them can deadlock.
  await lockTenant(transaction, tenantId)
  const removal = { tenantId, keyIds, stamp }
  await stampBundlesUsing(transaction, removal)
  await lockForRemoval(transaction, removal)
  const bundleIds = await stampBundlesUsing(transaction, removal)
  const places = await placesOf(transaction, tenantId, keyIds)
  // The database would do it, but nothing would record their ends.
  await deleteOf(transaction, 'attachments', tenantId).where('key_id', 'in', keyIds).execute()
  const deleted = await deleteOf(transaction, 'keys', tenantId)
    .where('id', 'in', keyIds)
    .returning(['id', 'name'])
    .execute()
  await closeGaps(transaction, tenantId, bundleIds)
  for (const { bundle, key, as } of places) {
    const event = { action: 'bundle.detached', data: { key, ...as }, ...madeBy(stamp) } as const
    transaction.record({ ...event, target: { kind: 'bundle', ...bundle } })
  }
  for (const { id, name } of deleted) {
    const target = { kind: 'key', id, name } as const
    transaction.record({ action: 'key.deleted', target, ...madeBy(stamp) })
  }
  return deleted
}

// What attaches a key locks the bundle before the key. So the bundles are locked first, and those that got a key until
// it was locked after it.
async function lockForRemoval(transaction: Recorded, { tenantId, keyIds }: Removal): Promise<void> {
  const keys = selectOf(transaction, 'keys', tenantId).select('id').where('id', 'in', keyIds)
  await keys.orderBy('id').modifyEnd(transaction.lock).execute()
}

async function stampBundlesUsing(transaction: Query, { tenantId, keyIds, stamp }: Removal) {
  const rows = await updateOf(transaction, 'bundles', tenantId)
    .set({ updated_at: stamp.at, updated_by: stamp.by })
    .where('id', 'in', (attachments) =>
      attachments
        .selectFrom('attachments')
        .select('bundle_id')
        .where('key_id', 'in', keyIds)
        .where('tenant_id', '=', tenantId),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

async function placesOf(transaction: Query, tenantId: string, keyIds: readonly string[]) {
  const rows = await keysAttached(transaction, tenantId)
    .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
    .select(['keys.id as keyId', 'keys.name as keyName', 'attachments.delivered_name'])
    .select(['bundles.id', 'bundles.name'])
    .where('attachments.key_id', 'in', keyIds)
    .execute()
  return rows.map(({ keyId, keyName, delivered_name, ...bundle }) => ({
    bundle,
    key: { id: keyId, name: keyName },
    as: deliveredAs(keyName, delivered_name),
  }))
}
