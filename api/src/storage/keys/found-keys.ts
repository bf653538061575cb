import { isProduction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { type FoundKey, needsValue, type WantedSizes } from '../../domain/transfer/library-import-step.ts'
import { chunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { changersOf } from '../bundles/value-rights.ts'
import { partsIn, type TenantVault, VALUE_BYTES } from '../keys-at-rest/value-vault.ts'

/*
 * The keys that an import may use, with their values and the other bundles that use them.
 */

/** `bundleId`: null for a bundle that the import creates. */
export type BundleRef = { tenantId: string; bundleId: string | null }

/** By id or by name. */
export type Keys = ReadonlyMap<string, FoundKey>

type WantedKeys = BundleRef & {
  ids: readonly string[]
  open: TenantVault['open']
  /** By id; without: none. */
  sizes: ReadonlyMap<string, WantedSizes>
}

/** Keys by their ids, with the values that are needed. */
export async function keysWith(
  query: Query,
  { tenantId, bundleId, ids, open, sizes }: WantedKeys,
): Promise<Keys> {
  const keys = new Map<string, FoundKey>()
  for (const chunk of chunks(ids)) {
    const elsewhere = await bundlesUsing(query, { tenantId, bundleId, ids: chunk })
    const changers = await changersOf(query, tenantId, chunk)
    const rows = await selectOf(query, 'keys', tenantId)
      .select(['id', 'name', 'value_version', 'is_secret', 'description', 'value_set_by'])
      .select(['template_parts', VALUE_BYTES])
      .where('id', 'in', chunk)
      .execute()
    const found = rows.map((row) => ({
      ...row,
      is_secret: row.is_secret === 1,
      templateParts: partsIn(row.template_parts),
      changers: changers.get(row.id) ?? ('owner' as const),
      ...(elsewhere.get(row.id) ?? { elsewhere: [], production: [] }),
    }))
    const needed = found.filter(({ templateParts, ...key }) =>
      needsValue({ ...key, isTemplate: templateParts !== null }, sizes.get(key.id) ?? NO_SIZES),
    )
    const values = await valuesOf(query, { tenantId, ids: needed.map(({ id }) => id), open })
    for (const key of found) keys.set(key.id, { ...key, value: values.get(key.id) ?? null })
  }
  return keys
}

const NO_SIZES: WantedSizes = new Set()

async function valuesOf(
  query: Query,
  { tenantId, ids, open }: { tenantId: string; ids: readonly string[]; open: TenantVault['open'] },
): Promise<ReadonlyMap<string, Plaintext | null>> {
  if (ids.length === 0) return new Map()
  const rows = await selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value', 'value_version', 'is_secret', 'template_parts'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, open(row)]))
}

/** The names of the other bundles that use each key, sorted, and which of them are for production. */
async function bundlesUsing(
  query: Query,
  { tenantId, bundleId, ids }: BundleRef & { ids: readonly string[] },
): Promise<ReadonlyMap<string, Pick<FoundKey, 'elsewhere' | 'production'>>> {
  const rows = await selectOf(query, 'attachments', tenantId)
    .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
    .select(['attachments.key_id', 'bundles.id', 'bundles.name', 'bundles.tags', 'bundles.production'])
    .where('attachments.key_id', 'in', ids)
    .orderBy('bundles.name')
    .execute()
  const others = Map.groupBy(
    rows.filter(({ id }) => id !== bundleId),
    ({ key_id }) => key_id,
  )
  const namesOf = (bundles: typeof rows) => bundles.map(({ name }) => name)
  return new Map(
    [...others].map(([id, bundles]) => [
      id,
      { elsewhere: namesOf(bundles), production: namesOf(bundles.filter(isProduction)) },
    ]),
  )
}
