import { type Bounds, bundleFull } from '../../domain/base/bounds.ts'
import type { Query } from '../base/queries.ts'
import { countOf, selectOf } from '../base/tenant-rows.ts'

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
