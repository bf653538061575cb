import { sql } from 'kysely'
import type { ComparedKey, ComparisonStore } from '../../domain/library/comparison.ts'
import { inChunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { countOf, keysAttached, selectOf } from '../base/tenant-rows.ts'
import { OLDER_HOLDERS } from '../holders/holders.ts'
import { listedColumns, partsIn, type ValueVault } from '../keys-at-rest/value-vault.ts'

const NO_KEY = { key_id: null, key_name: null, required: false, order: 0, templateParts: null } as const

export function createComparisonStore(query: Query, vault: ValueVault): ComparisonStore {
  return {
    factsOf: (tenantId, keyIds) => factsOf(query, vault, { tenantId, keyIds }),
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
    .select(['attachments.required', 'attachments.position as order'])
    .select(['keys.name as key_name', 'keys.template_parts'])
    .where('attachments.bundle_id', '=', bundleId)
    .execute()
  return rows.map(({ template_parts, required, ...row }) => {
    return { ...row, required: required === 1, templateParts: partsIn(template_parts) }
  })
}

function itemsOf(query: Query, tenantId: string, bundleId: string) {
  return selectOf(query, 'legacy_items', tenantId)
    .select(['bundle_id', 'name'])
    .where('bundle_id', '=', bundleId)
    .execute()
}

type ComparedKeys = { tenantId: string; keyIds: readonly string[] }

const SET_BY_NAME = sql<string | null>`(select username from users where users.id = keys.value_set_by)`

const USES = sql<number>`(
  select count(*) from attachments
  where attachments.tenant_id = keys.tenant_id and attachments.key_id = keys.id
)`

async function factsOf(query: Query, vault: ValueVault, { tenantId, keyIds }: ComparedKeys) {
  const { open } = await vault.of(tenantId)
  const rows = await inChunks(keyIds, (ids) =>
    selectOf(query, 'keys', tenantId)
      .select(['id', 'name', 'value_version', 'is_secret', 'template_parts', 'description'])
      .select(['value_set_at as set_at', 'value_set_by', 'value_proposed_by', SET_BY_NAME.as('set_by_name')])
      .select(['expires_at', 'rotate_at', USES.as('used_in_bundles'), OLDER_HOLDERS.as('older_holders')])
      .select(listedColumns('public'))
      .where('id', 'in', ids)
      .execute(),
  )
  return new Map(
    rows.map((row): [string, ComparedKey] => {
      const { id, name: _, value_version: version, is_secret, template_parts: _parts, ...rest } = row
      const { value_set_by, set_by_name: name, is_long, ...facts } = rest
      const set_by = { kind: 'user', id: value_set_by, name } as const
      const value = open(row)
      return [id, { ...facts, version, is_secret: is_secret === 1, set_by, value, isLong: is_long === 1 }]
    }),
  )
}
