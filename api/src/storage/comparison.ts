import type { ComparedEntry, ComparisonStore } from '../domain/comparison.ts'
import type { Query } from './queries.ts'
import { partsIn } from './value-vault.ts'

const NO_KEY = { key_id: null, key_name: null, templateParts: null } as const

export function createComparisonStore(query: Query): ComparisonStore {
  return {
    async entriesOf(tenantId, bundleIds) {
      if ((await countOf(query, tenantId, bundleIds)) !== bundleIds.length) return null
      const attached = await attachedTo(query, tenantId, bundleIds)
      const items = await itemsOf(query, tenantId, bundleIds)
      return [...attached, ...items.map((item) => ({ ...item, ...NO_KEY }))]
    },
  }
}

async function countOf(query: Query, tenantId: string, bundleIds: readonly string[]): Promise<number> {
  const { total } = await query
    .selectFrom('bundles')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', bundleIds)
    .executeTakeFirstOrThrow()
  return total
}

async function attachedTo(
  query: Query,
  tenantId: string,
  bundleIds: readonly string[],
): Promise<ComparedEntry[]> {
  const rows = await query
    .selectFrom('attachments')
    .innerJoin('keys', (join) =>
      join.onRef('keys.tenant_id', '=', 'attachments.tenant_id').onRef('keys.id', '=', 'attachments.key_id'),
    )
    .select(['attachments.bundle_id', 'attachments.delivered_name as name', 'attachments.key_id'])
    .select(['keys.name as key_name', 'keys.template_parts'])
    .where('attachments.tenant_id', '=', tenantId)
    .where('attachments.bundle_id', 'in', bundleIds)
    .execute()
  return rows.map(({ template_parts, ...row }) => ({ ...row, templateParts: partsIn(template_parts) }))
}

function itemsOf(query: Query, tenantId: string, bundleIds: readonly string[]) {
  return query
    .selectFrom('legacy_items')
    .select(['bundle_id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('bundle_id', 'in', bundleIds)
    .execute()
}
