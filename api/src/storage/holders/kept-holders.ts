import { chunks } from '../base/chunks.ts'
import type { Recorded } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

/** `copies`: the new key of the bundle, by the key in whose place it is. */
type Split = { tenantId: string; bundleId: string; copies: ReadonlyMap<string, string> }

/** After a bundle got its own keys: a holder of a key before who was given values of this bundle holds that version of
 * the new key too. A copy continues the count of versions, so an older value stays an older version. */
export async function keepHolders(
  transaction: Recorded,
  { tenantId, bundleId, copies }: Split,
): Promise<void> {
  const given = selectOf(transaction, 'deliveries', { tenantId, bundle_id: bundleId })
    .select('holder')
    .where('state', '<>', 'void')
  for (const ids of chunks([...copies.keys()])) {
    const holdings = await selectOf(transaction, 'holdings', tenantId)
      .selectAll()
      .where('key_id', 'in', ids)
      .where('dismissed_at', 'is', null)
      .where('holder', 'in', given)
      .execute()
    const rows = holdings.map((row) => ({ ...row, key_id: copies.get(row.key_id) ?? row.key_id }))
    for (const some of chunks(rows)) await transaction.insertAll('holdings', some)
  }
}
