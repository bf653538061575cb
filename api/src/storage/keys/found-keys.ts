import { isProduction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { type BundleReach, reaches } from '../../domain/people/reach.ts'
import type { ImportReading } from '../../domain/transfer/library-import.ts'
import {
  type FoundKey,
  type ImportLibrary,
  needsValue,
  type WantedSizes,
} from '../../domain/transfer/library-import-step.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { changersOf } from '../bundles/value-rights.ts'
import { partsIn, type TenantVault, VALUE_BYTES } from '../keys-at-rest/value-vault.ts'
import { SET_BY_NAME } from './key-reading.ts'

/*
 * The keys that an import may use, with their values and the other bundles that use them.
 */

/** `bundleId`: null for a bundle that the import creates. `reach`: of who imports. */
export type BundleRef = { tenantId: string; bundleId: string | null; reach: BundleReach }

/** By id or by name. */
export type Keys = ReadonlyMap<string, FoundKey>

type WantedKeys = BundleRef & {
  ids: readonly string[]
  open: TenantVault['open']
  /** By id; without: none. */
  sizes: ReadonlyMap<string, WantedSizes>
}

/** Keys by their ids, with the values that are needed. */
export async function keysWith(query: Query, { ids, ...wanted }: WantedKeys): Promise<Keys> {
  const found = await inChunks(ids, (some) => someKeysWith(query, { ...wanted, ids: some }))
  return new Map(found.map((key) => [key.id, key]))
}

async function someKeysWith(query: Query, wanted: WantedKeys): Promise<FoundKey[]> {
  const { tenantId, bundleId, reach, ids, open, sizes } = wanted
  const columns = selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value_version', 'is_secret', 'description', 'value_set_by', 'value_proposed_by'])
    .select(['value_set_at', 'template_parts', VALUE_BYTES, SET_BY_NAME.as('setByName')])
  const [elsewhere, changers, rows] = await Promise.all([
    bundlesUsing(query, { tenantId, bundleId, reach, ids }),
    changersOf({ query, reach }, tenantId, ids),
    ask(query, columns.where('id', 'in', ids)),
  ])
  const found = rows.map((row) => ({
    ...row,
    is_secret: row.is_secret === 1,
    templateParts: partsIn(row.template_parts),
    changers: changers.get(row.id) ?? ('owner' as const),
    ...(elsewhere.get(row.id) ?? { elsewhere: [], inProduction: 0 }),
  }))
  const needed = found.filter(({ templateParts, ...key }) =>
    needsValue({ ...key, isTemplate: templateParts !== null }, sizes.get(key.id) ?? NO_SIZES),
  )
  const values = await valuesOf(query, { tenantId, keys: needed, open })
  // One of them has changed since.
  if (needed.some(({ id }) => !values.has(id))) return await someKeysWith(query, wanted)
  return found.map((key): FoundKey => ({ ...key, value: values.get(key.id) ?? null }))
}

const NO_SIZES: WantedSizes = new Set()

type ReadKey = Pick<FoundKey, 'id' | 'value_version' | 'is_secret'>

// Without those of keys that changed after they were read: what was readable then can be a secret now.
async function valuesOf(
  query: Query,
  { tenantId, keys, open }: { tenantId: string; keys: readonly ReadKey[]; open: TenantVault['open'] },
): Promise<ReadonlyMap<string, Plaintext | null>> {
  if (keys.length === 0) return new Map()
  const known = new Map(keys.map((key) => [key.id, key]))
  const columns = ['id', 'name', 'value', 'value_version', 'is_secret', 'template_parts'] as const
  const wanted = selectOf(query, 'keys', tenantId)
    .select(columns)
    .where('id', 'in', [...known.keys()])
  const rows = await ask(query, wanted)
  const isAsRead = ({ id, value_version, is_secret }: (typeof rows)[number]) =>
    value_version === known.get(id)?.value_version && (is_secret === 1) === known.get(id)?.is_secret
  return new Map(rows.filter(isAsRead).map((row) => [row.id, open(row)]))
}

/** The names of the other bundles within reach that use each key, sorted, and how many of them are for production. */
async function bundlesUsing(
  query: Query,
  { tenantId, bundleId, reach, ids }: BundleRef & { ids: readonly string[] },
): Promise<ReadonlyMap<string, Pick<FoundKey, 'elsewhere' | 'inProduction'>>> {
  const using = selectOf(query, 'attachments', tenantId)
    .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
    .select(['attachments.key_id', 'bundles.id', 'bundles.name', 'bundles.tags', 'bundles.production'])
    .where('attachments.key_id', 'in', ids)
    .orderBy('bundles.name')
  const rows = await ask(query, using)
  const others = Map.groupBy(
    rows.filter(({ id, name }) => id !== bundleId && reaches(reach, name)),
    ({ key_id }) => key_id,
  )
  return new Map(
    [...others].map(([id, bundles]) => [
      id,
      { elsewhere: bundles.map(({ name }) => name), inProduction: bundles.filter(isProduction).length },
    ]),
  )
}

/** The ids of the keys attached to a bundle, by delivered name. */
export async function attachedIn(
  query: Query,
  { tenantId, bundleId }: Omit<BundleRef, 'reach'>,
): Promise<ReadonlyMap<string, string>> {
  if (bundleId === null) return new Map()
  const attached = selectOf(query, 'attachments', { tenantId, bundle_id: bundleId })
  const rows = await ask(query, attached.select(['delivered_name', 'key_id']))
  return new Map(rows.map(({ delivered_name, key_id }) => [delivered_name, key_id]))
}

/** Maps the name of each bundle that an import takes keys from to its id. It has only bundles within reach. A bundle
 * can be renamed meanwhile, so keys and rules are read by the same id. */
export type SourceBundles = ReadonlyMap<string, string>

export async function sourceBundles(
  query: Query,
  { tenantId, reach }: Pick<BundleRef, 'tenantId' | 'reach'>,
  wanted: ImportReading['sources'],
): Promise<SourceBundles> {
  const reached = [...new Set(wanted.values())].filter((name) => reaches(reach, name))
  const bundles = selectOf(query, 'bundles', tenantId).select(['id', 'name'])
  const rows = await inChunks(reached, (names) => ask(query, bundles.where('name', 'in', names)))
  return new Map(rows.map(({ id, name }) => [name, id]))
}

type ReceivingBundle = BundleRef & { open: TenantVault['open']; attachedIds: ReadonlyMap<string, string> }

/** The keys that an import takes from other bundles, with their values. Leaves out those that the receiving bundle has
 * under another name. */
export async function sourcesOf(
  query: Query,
  { attachedIds, ...receiving }: ReceivingBundle,
  wanted: ImportReading['sources'],
  bundleIds: SourceBundles,
): Promise<ImportLibrary['sources']> {
  const { tenantId } = receiving
  const names = new Map([...attachedIds].map(([name, id]) => [id, name]))
  const found = new Map<string, FoundKey>()
  for (const [bundle, entries] of Map.groupBy(wanted, ([, bundleName]) => bundleName)) {
    const bundleId = bundleIds.get(bundle) ?? null
    const delivered = await attachedIn(query, { tenantId, bundleId })
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
