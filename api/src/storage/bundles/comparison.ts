import type { ComparisonStore } from '../../domain/library/comparison.ts'
import type { Query } from '../base/queries.ts'
import { countOf, keysAttached, selectOf } from '../base/tenant-rows.ts'
import { partsIn } from '../keys-at-rest/value-vault.ts'

const NO_KEY = { key_id: null, key_name: null, templateParts: null } as const

export function createComparisonStore(query: Query): ComparisonStore {
  return {
    async areAllThere(tenantId, bundleIds) {
      const known = selectOf(query, 'bundles', tenantId).where('id', 'in', bundleIds)
      return (await countOf(known)) === bundleIds.length
    },
    async entriesOf(tenantId, bundleId) {
      const attached = await attachedTo(query, tenantId, bundleId)
      const items = await itemsOf(query, tenantId, bundleId)
      return [...attached, ...items.map((item) => ({ ...item, ...NO_KEY }))]
    },
  }
}

async function attachedTo(query: Query, tenantId: string, bundleId: string) {
  const rows = await keysAttached(query, tenantId)
    .select(['attachments.bundle_id', 'attachments.delivered_name as name', 'attachments.key_id'])
    .select(['keys.name as key_name', 'keys.template_parts'])
    .where('attachments.bundle_id', '=', bundleId)
    .execute()
  return rows.map(({ template_parts, ...row }) => ({ ...row, templateParts: partsIn(template_parts) }))
}

function itemsOf(query: Query, tenantId: string, bundleId: string) {
  return selectOf(query, 'legacy_items', tenantId)
    .select(['bundle_id', 'name'])
    .where('bundle_id', '=', bundleId)
    .execute()
}
