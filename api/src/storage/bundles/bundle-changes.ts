import type { AuditAction } from '@keyferry/contract'
import { type Bounds, bundleFull } from '../../domain/base/bounds.ts'
import { type EventData, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { countOf, selectOf, updateOf } from '../base/tenant-rows.ts'

/** Hold a bundle until the transaction ends, so that one change of its positions happens at a time.
 * @throws DomainError not_found */
export async function holdBundle(transaction: Query, tenantId: string, bundleId: string): Promise<void> {
  const { numUpdatedRows } = await updateOf(transaction, 'bundles', { tenantId, id: bundleId })
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw bundleNotFound()
}

type BundleStamp = { tenantId: string; bundleId: string; stamp: Stamp }

/** Note who changed a bundle and when, in a transaction that holds it, and record what changed. */
export async function stampBundle(
  transaction: Recorded,
  place: BundleStamp,
  { action, data = {} }: { action: AuditAction; data?: EventData },
): Promise<void> {
  await stampBundleForEach(transaction, place, { action, told: [data] })
}

/** As `stampBundle`, for a change of several things: records an event for each of them. */
export async function stampBundleForEach(
  transaction: Recorded,
  { tenantId, bundleId, stamp }: BundleStamp,
  { action, told }: { action: AuditAction; told: readonly EventData[] },
): Promise<void> {
  const { name } = await updateOf(transaction, 'bundles', { tenantId, id: bundleId })
    .set({ updated_at: stamp.at, updated_by: stamp.by })
    .returning('name')
    .executeTakeFirstOrThrow()
  const target = { kind: 'bundle', id: bundleId, name } as const
  for (const data of told) transaction.record({ tenantId, target, action, data, ...madeBy(stamp) })
}

/** What an event about a key in a bundle tells of the name there: only one that differs from the key's. */
export function deliveredAs(keyName: string, deliveredName: string): { as?: string } {
  return keyName === deliveredName ? {} : { as: deliveredName }
}

/** Call after entries were added to a bundle, in the transaction that holds it.
 * @throws DomainError bundle_full, which undoes the transaction */
export async function requireWithinBound(
  transaction: Query,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  bounds: Bounds,
): Promise<void> {
  let entries = 0
  for (const table of ['attachments', 'legacy_items'] as const) {
    entries += await countOf(selectOf(transaction, table, tenantId).where('bundle_id', '=', bundleId))
  }
  if (entries > bounds.bundleEntries) throw bundleFull(bounds)
}
