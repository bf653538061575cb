import type { ImportReading } from '../../domain/transfer/library-import.ts'
import type { FoundKey, ImportLibrary } from '../../domain/transfer/library-import-step.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'
import type { TenantVault } from '../keys-at-rest/value-vault.ts'
import { type BundleRef, keysWith } from './found-keys.ts'

/** Null: the tenant has no such bundle. */
async function idOfBundle(query: Query, tenantId: string, name: string): Promise<string | null> {
  const row = await selectOf(query, 'bundles', { tenantId, name }).select('id').executeTakeFirst()
  return row?.id ?? null
}

/** The ids of the keys attached to a bundle, by delivered name. */
export async function attachedIn(
  query: Query,
  { tenantId, bundleId }: BundleRef,
): Promise<ReadonlyMap<string, string>> {
  if (bundleId === null) return new Map()
  const rows = await selectOf(query, 'attachments', { tenantId, bundle_id: bundleId })
    .select(['delivered_name', 'key_id'])
    .execute()
  return new Map(rows.map(({ delivered_name, key_id }) => [delivered_name, key_id]))
}

type Receiving = BundleRef & { open: TenantVault['open']; attachedIds: ReadonlyMap<string, string> }

/** The keys that an import takes from other bundles, with their values. Leaves out those that the receiving bundle has
 * under another name. */
export async function sourcesOf(
  query: Query,
  { attachedIds, ...receiving }: Receiving,
  wanted: ImportReading['sources'],
): Promise<ImportLibrary['sources']> {
  const { tenantId } = receiving
  const names = new Map([...attachedIds].map(([name, id]) => [id, name]))
  const found = new Map<string, FoundKey>()
  for (const [bundle, entries] of Map.groupBy(wanted, ([, bundleName]) => bundleName)) {
    const delivered = await attachedIn(query, {
      tenantId,
      bundleId: await idOfBundle(query, tenantId, bundle),
    })
    const ids = new Map(entries.map(([name]) => [name, delivered.get(name) ?? '']))
    const sizes = new Map([...ids.values()].map((id) => [id, 'any' as const]))
    const keys = await keysWith(query, { ...receiving, ids: [...ids.values()], sizes })
    for (const [name, id] of ids) {
      const key = keys.get(id)
      if (key && (names.get(id) ?? name) === name) found.set(name, key)
    }
  }
  return found
}
