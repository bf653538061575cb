import { isProduction } from '@keyferry/contract'
import type { BundleOfKey } from '../../domain/deliveries/holder.ts'
import { chunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

/** The bundles of each key, production first. */
export async function bundlesOf(
  query: Query,
  tenantId: string,
  keys: readonly { key_id: string }[],
): Promise<ReadonlyMap<string, BundleOfKey[]>> {
  const bundles = new Map<string, BundleOfKey[]>()
  for (const some of chunks([...new Set(keys.map(({ key_id }) => key_id))])) {
    const rows = await selectOf(query, 'attachments', tenantId)
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['attachments.key_id', 'bundles.id', 'bundles.name', 'bundles.tags', 'bundles.production'])
      .where('attachments.key_id', 'in', some)
      .orderBy('bundles.name')
      .execute()
    for (const { key_id, id, name, ...marks } of rows) {
      const bundle = { id, name, is_production: isProduction({ name, ...marks }) }
      const known = bundles.get(key_id) ?? []
      bundles.set(key_id, bundle.is_production ? [bundle, ...known] : [...known, bundle])
    }
  }
  return bundles
}
