import type { LegacyItem, LegacyItemStore } from '../domain/legacy-item.ts'
import type { Opening } from '../domain/opening.ts'
import type { Query } from './database.ts'
import type { ValueVault } from './value-vault.ts'

export function createLegacyItemStore(query: Query, vault: ValueVault): LegacyItemStore {
  return {
    list: (tenantId, bundleId, opening) => list(query, vault, { tenantId, bundleId, opening }),
  }
}

async function list(
  query: Query,
  vault: ValueVault,
  { tenantId, bundleId, opening }: { tenantId: string; bundleId: string; opening: Opening },
): Promise<LegacyItem[]> {
  const open = await vault.opener(tenantId, opening)
  const rows = await query
    .selectFrom('legacy_items')
    .select(['id', 'name', 'value', 'value_version', 'is_secret'])
    .where('bundle_id', '=', bundleId)
    .where('tenant_id', '=', tenantId)
    .orderBy('name')
    .execute()
  return rows.map((row) => ({ name: row.name, value: open(row), is_secret: row.is_secret === 1 }))
}
