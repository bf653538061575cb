import { madeBy } from '../domain/event.ts'
import type { Stamp } from '../domain/stamp.ts'
import { closeGaps } from './attachment-positions.ts'
import type { Query, Recorded } from './queries.ts'
import { holdTenant } from './tenants.ts'

type Removal = { tenantId: string; keyIds: readonly string[]; stamp: Stamp }

/** Delete keys, from every bundle too, and record an event for each.
 * @returns the ids of those that the tenant had */
export async function removeKeys(
  { transaction, record }: Recorded,
  { tenantId, keyIds, stamp }: Removal,
): Promise<ReadonlySet<string>> {
  // Everything that moves positions within a bundle holds the bundle's row, here the rows of all bundles that use a key.
  // Serialise deletes per tenant; otherwise two of them can deadlock.
  await holdTenant(transaction, tenantId)
  const bundleIds = await stampBundlesUsing(transaction, { tenantId, keyIds, stamp })
  const deleted = await transaction
    .deleteFrom('keys')
    .where('id', 'in', keyIds)
    .where('tenant_id', '=', tenantId)
    .returning(['id', 'name'])
    .execute()
  await closeGaps(transaction, tenantId, bundleIds)
  for (const { id, name } of deleted) {
    const target = { kind: 'key', id, name } as const
    await record(transaction, { tenantId, action: 'key.deleted', target, ...madeBy(stamp) })
  }
  return new Set(deleted.map(({ id }) => id))
}

async function stampBundlesUsing(
  transaction: Query,
  { tenantId, keyIds, stamp }: Removal,
): Promise<string[]> {
  const rows = await transaction
    .updateTable('bundles')
    .set({ updated_at: stamp.at, updated_by: stamp.by })
    .where('tenant_id', '=', tenantId)
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
