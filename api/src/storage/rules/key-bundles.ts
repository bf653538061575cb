import { isProduction } from '@keyferry/contract'
import type { BundleOfKey } from '../../domain/deliveries/holder.ts'
import { inChunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

/** The bundles of each key, production first. */
export async function bundlesOf(
  query: Query,
  tenantId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, BundleOfKey[]>> {
  const rows = await inChunks([...new Set(keyIds)], (some) =>
    selectOf(query, 'attachments', tenantId)
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['attachments.key_id', 'bundles.id', 'bundles.name', 'bundles.tags', 'bundles.production'])
      .where('attachments.key_id', 'in', some)
      .orderBy('bundles.name')
      .execute(),
  )
  const bundles = rows
    .map(({ key_id, id, name, ...marks }) => ({
      key_id,
      id,
      name,
      is_production: isProduction({ name, ...marks }),
    }))
    .toSorted((a, b) => Number(b.is_production) - Number(a.is_production))
  const byKey = Map.groupBy(bundles, ({ key_id }) => key_id)
  return new Map([...byKey].map(([id, own]) => [id, own.map(({ key_id: _key, ...bundle }) => bundle)]))
}
