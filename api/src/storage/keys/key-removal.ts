import { madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { deleteOf, keysAttached, updateOf } from '../base/tenant-rows.ts'
import { closeGaps } from '../bundles/attachment-positions.ts'
import { deliveredAs } from '../bundles/bundle-changes.ts'
import { holdTenant } from '../people/tenants.ts'

type Removal = { tenantId: string; keyIds: readonly string[]; stamp: Stamp }

/** Delete keys, from every bundle too, and record an event for each of them and for each place in a bundle.
 * @returns the ids of those that the tenant had */
export async function removeKeys(
  transaction: Recorded,
  { tenantId, keyIds, stamp }: Removal,
): Promise<ReadonlySet<string>> {
  // Everything that moves positions within a bundle holds the bundle's row, here the rows of all bundles that use a
  // key. Serialise deletes per tenant; otherwise two of them can deadlock.
  await holdTenant(transaction, tenantId)
  const bundleIds = await stampBundlesUsing(transaction, { tenantId, keyIds, stamp })
  const places = await placesOf(transaction, tenantId, keyIds)
  const deleted = await deleteOf(transaction, 'keys', tenantId)
    .where('id', 'in', keyIds)
    .returning(['id', 'name'])
    .execute()
  await closeGaps(transaction, tenantId, bundleIds)
  for (const { bundle, key, as } of places) {
    const event = { tenantId, action: 'bundle.detached', data: { key, ...as }, ...madeBy(stamp) } as const
    transaction.record({ ...event, target: { kind: 'bundle', ...bundle } })
  }
  for (const { id, name } of deleted) {
    const target = { kind: 'key', id, name } as const
    transaction.record({ tenantId, action: 'key.deleted', target, ...madeBy(stamp) })
  }
  return new Set(deleted.map(({ id }) => id))
}

async function stampBundlesUsing(
  transaction: Query,
  { tenantId, keyIds, stamp }: Removal,
): Promise<string[]> {
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
