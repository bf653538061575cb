import { type Bounds, bundleFull } from '../domain/bounds.ts'
import type { Query } from './queries.ts'

/** Call after entries were added to a bundle, in the transaction that holds it.
 * @throws DomainError bundle_full, which undoes the transaction */
export async function requireWithinBound(
  transaction: Query,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  bounds: Bounds,
): Promise<void> {
  let entries = 0
  for (const table of ['attachments', 'legacy_items'] as const) {
    const { total } = await transaction
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('tenant_id', '=', tenantId)
      .where('bundle_id', '=', bundleId)
      .executeTakeFirstOrThrow()
    entries += total
  }
  if (entries > bounds.bundleEntries) throw bundleFull(bounds)
}
