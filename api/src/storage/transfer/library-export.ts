import type { LibraryContent } from '@keyferry/contract'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'

/*
 * Reads a whole library, with values, for a move to another server.
 */

type ExportFilter = {
  tenantId: string
  /** Only these bundles and their keys; empty: everything. */
  bundleNames: readonly string[]
}

/** @throws Error with one line for the operator: a bundle does not exist, or a bundle has inline items */
export async function readWholeLibrary(
  query: Query,
  vault: ValueVault,
  wanted: ExportFilter,
): Promise<LibraryContent> {
  await requireNoLegacyItems(query, wanted.tenantId)
  const bundles = await bundlesOf(query, wanted)
  const attached = await selectOf(query, 'attachments', wanted.tenantId)
    .select(['bundle_id', 'key_id', 'delivered_name', 'required'])
    .orderBy('bundle_id')
    .orderBy('position')
    .execute()
  const byBundle = Map.groupBy(attached, ({ bundle_id }) => bundle_id)
  const used = new Set(bundles.flatMap(({ id }) => (byBundle.get(id) ?? []).map(({ key_id }) => key_id)))
  const all = await keysOf(query, vault, wanted.tenantId)
  const moved = wanted.bundleNames.length === 0 ? all : all.filter(({ id }) => used.has(id))
  const places = new Map(moved.map(({ id }, index) => [id, index]))
  return {
    v: 1,
    keys: moved.map(({ key }) => key),
    bundles: bundles.map(({ id, ...bundle }) => ({
      ...bundle,
      // The file leaves out a key that another call makes or deletes during this read.
      entries: (byBundle.get(id) ?? []).flatMap(({ key_id, delivered_name: name, required }) => {
        const key = places.get(key_id)
        return key === undefined ? [] : [{ key, name, required: required === 1 }]
      }),
    })),
  }
}

async function requireNoLegacyItems(query: Query, tenantId: string): Promise<void> {
  const item = await selectOf(query, 'legacy_items', tenantId)
    .innerJoin('bundles', 'bundles.id', 'legacy_items.bundle_id')
    .select('bundles.name')
    .executeTakeFirst()
  if (item) throw new Error(`the bundle ${item.name} has inline items: convert them into keys first`)
}

async function bundlesOf(query: Query, { tenantId, bundleNames }: ExportFilter) {
  const rows = await selectOf(query, 'bundles', tenantId)
    .select(['id', 'name', 'description', 'tags'])
    .orderBy('name')
    .execute()
  const known = new Set(rows.map(({ name }) => name))
  const missing = bundleNames.find((name) => !known.has(name))
  if (missing !== undefined) throw new Error(`the bundle ${JSON.stringify(missing)} does not exist`)
  return bundleNames.length === 0 ? rows : rows.filter(({ name }) => bundleNames.includes(name))
}

async function keysOf(query: Query, vault: ValueVault, tenantId: string) {
  const { open } = await vault.of(tenantId)
  const rows = await selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value', 'value_version', 'is_secret', 'template_parts', 'description'])
    .select(['expires_at', 'rotate_after_days', 'value_set_at', 'value_changed_elsewhere_at'])
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    key: {
      name: row.name,
      value: open(row)?.reveal() ?? '',
      is_secret: row.is_secret === 1,
      is_template: row.template_parts !== null,
      description: row.description,
      expires_at: row.expires_at,
      rotate_after_days: row.rotate_after_days,
      // A value that moved before keeps its first claim.
      changed_at: row.value_changed_elsewhere_at ?? row.value_set_at,
    },
  }))
}
