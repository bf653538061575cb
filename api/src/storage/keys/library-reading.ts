import { type Assurance, isProduction } from '@keyferry/contract'
import { UNNAMED } from '../../domain/approvals/policy.ts'
import type { BundleReach } from '../../domain/people/reach.ts'
import type { ImportReading } from '../../domain/transfer/library-import.ts'
import type { FoundKey, ImportLibrary, WantedSizes } from '../../domain/transfer/library-import-step.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { keysAttached, selectOf } from '../base/tenant-rows.ts'
import { rightsOfBundles } from '../bundles/value-rights.ts'
import { partsIn, type ReadingVault } from '../keys-at-rest/value-vault.ts'
import { readCopyRules } from './copy-rules.ts'
import { attachedIn, type BundleRef, type Keys, keysWith, sourceBundles, sourcesOf } from './found-keys.ts'

/*
 * What an import reads of a library, with values: the keys that the bundle delivers, and those that have the name of an
 * entry or are delivered under it elsewhere.
 */

/** @param query may be a transaction that has locked the tenant and the bundle */
export async function readLibrary(
  query: Query,
  { open }: ReadingVault,
  { tenantId, reading, assurance }: { tenantId: string; reading: ImportReading; assurance: Assurance },
): Promise<ImportLibrary> {
  const bundle = await bundleNamed(query, tenantId, reading.bundleName)
  const { reach } = reading
  const place = { tenantId, bundleId: bundle?.id ?? null, reach }
  const [receiver, attachedIds, templates, legacyNames, isTaken] = await Promise.all([
    receiverOf({ query, reach }, { tenantId, bundle, name: reading.bundleName }),
    attachedIn(query, place),
    reading.detach.length === 0 ? new Map() : templatesIn(query, place),
    legacyNamesIn(query, place),
    takenNames(query, tenantId, reading),
  ])
  const candidateIds = await candidatesFor(query, place, { reading, attachedIds })
  const wanted = [...reading.names, ...reading.detach]
  const known = wanted.flatMap((name) => attachedIds.get(name) ?? [])
  const ids = [...new Set([...known, ...[...candidateIds.values()].flatMap((each) => [...each])])]
  const sizes = sizesById(reading.sizes, { attachedIds, candidateIds })
  const bundleIds = await sourceBundles(query, place, reading.sources)
  const [keys, sources] = await Promise.all([
    keysWith(query, { ...place, ids, open, sizes }),
    sourcesOf(query, { ...place, open, attachedIds }, reading.sources, bundleIds),
  ])
  const attached = attachedKeys(wanted, attachedIds, keys)
  return {
    ...receiver,
    attached,
    parts: await partsOf(query, { attached, attachedIds }, { ...place, open }),
    templates,
    candidates: candidateKeys(candidateIds, keys, reach),
    sources,
    copyRules: await readCopyRules(
      query,
      { ...place, assurance },
      { wanted: reading.sources, sources, bundleIds },
    ),
    legacyNames,
    isTaken,
  }
}

type FoundIds = {
  attachedIds: ReadonlyMap<string, string>
  candidateIds: ReadonlyMap<string, ReadonlySet<string>>
}

/** A key may be found by several names. */
function sizesById(sizes: ImportReading['sizes'], { attachedIds, candidateIds }: FoundIds) {
  const byId = new Map<string, WantedSizes>()
  for (const [name, wanted] of sizes) {
    const attached = attachedIds.get(name)
    for (const id of [...(candidateIds.get(name) ?? []), ...(attached === undefined ? [] : [attached])]) {
      const known = byId.get(id) ?? new Set()
      byId.set(id, known === 'any' || wanted === 'any' ? 'any' : new Set([...known, ...wanted]))
    }
  }
  return byId
}

function attachedKeys(names: readonly string[], ids: ReadonlyMap<string, string>, keys: Keys): Keys {
  const found = names.map((name) => [name, keys.get(ids.get(name) ?? '')] as const)
  return new Map(found.flatMap(([name, key]) => (key === undefined ? [] : [[name, key]])))
}

type Templates = { attached: Keys; attachedIds: ReadonlyMap<string, string> }

/** The values that templates of a bundle are built from, by delivered name. A template is never a part. */
async function partsOf(
  query: Query,
  { attached, attachedIds }: Templates,
  place: BundleRef & { open: ReadingVault['open'] },
): Promise<ImportLibrary['parts']> {
  const names = new Set([...attached.values()].flatMap(({ templateParts }) => templateParts ?? []))
  const ids = [...names].flatMap((name) => attachedIds.get(name) ?? [])
  if (ids.length === 0) return new Map()
  const sizes = new Map(ids.map((id) => [id, 'any' as const]))
  const keys = await keysWith(query, { ...place, ids, sizes })
  const parts = [...names].map((name) => [name, keys.get(attachedIds.get(name) ?? '')] as const)
  return new Map(
    parts.flatMap(([name, key]) => {
      if (key?.templateParts !== null || key.value === null) return []
      return [[name, key.value]]
    }),
  )
}

async function templatesIn(query: Query, { tenantId, bundleId }: BundleRef) {
  if (bundleId === null) return new Map()
  const rows = await ask(
    query,
    keysAttached(query, tenantId)
      .select(['attachments.delivered_name', 'keys.template_parts'])
      .where('attachments.bundle_id', '=', bundleId)
      .where('keys.template_parts', 'is not', null)
      .orderBy('attachments.position'),
  )
  return new Map(
    rows.map(({ delivered_name, template_parts }) => [delivered_name, partsIn(template_parts) ?? []]),
  )
}

// A key that no bundle within reach contains is not found.
function candidateKeys(ids: ReadonlyMap<string, ReadonlySet<string>>, keys: Keys, reach: BundleReach) {
  const isSeen = ({ elsewhere }: FoundKey) => reach === null || elsewhere.length > 0
  const sorted = (name: string, each: ReadonlySet<string>) =>
    [...each]
      .flatMap((id) => keys.get(id) ?? [])
      .filter(isSeen)
      .toSorted((a, b) => Number(b.name === name) - Number(a.name === name) || (a.name < b.name ? -1 : 1))
  return new Map([...ids].map(([name, each]) => [name, sorted(name, each)]))
}

function bundleNamed(query: Query, tenantId: string, name: string) {
  return selectOf(query, 'bundles', { tenantId, name })
    .select(['id', 'name', 'tags', 'production'])
    .executeTakeFirst()
}

type ReceivingName = { tenantId: string; bundle: Awaited<ReturnType<typeof bundleNamed>>; name: string }

async function receiverOf(
  from: { query: Query; reach: BundleReach },
  { tenantId, bundle, name }: ReceivingName,
) {
  const rights = bundle && (await rightsOfBundles(from, tenantId, [bundle.id])).get(bundle.id)
  return {
    bundle: bundle && rights ? { id: bundle.id, ...rights } : null,
    isForProduction: isProduction(bundle ?? { ...UNNAMED, name }),
  }
}

async function legacyNamesIn(query: Query, { tenantId, bundleId }: BundleRef): Promise<ReadonlySet<string>> {
  if (bundleId === null) return new Set()
  const items = selectOf(query, 'legacy_items', { tenantId, bundle_id: bundleId })
  const rows = await ask(query, items.select('name'))
  return new Set(rows.map(({ name }) => name))
}

type Unattached = { reading: ImportReading; attachedIds: ReadonlyMap<string, string> }

/** For each name that the bundle does not deliver, the ids of other keys that have it or are delivered under it. */
async function candidatesFor(query: Query, { tenantId }: BundleRef, { reading, attachedIds }: Unattached) {
  const candidates = new Map<string, Set<string>>()
  const inBundle = new Set(attachedIds.values())
  const missing = reading.names.filter((name) => !attachedIds.has(name))
  const rows = await inChunks(missing, async (names) =>
    (await Promise.all([named(query, tenantId, names), delivered(query, tenantId, names)])).flat(),
  )
  for (const { name, id } of rows)
    if (!inBundle.has(id)) candidates.set(name, (candidates.get(name) ?? new Set()).add(id))
  return candidates
}

function named(query: Query, tenantId: string, names: readonly string[]) {
  return ask(query, selectOf(query, 'keys', tenantId).select(['name', 'id']).where('name', 'in', names))
}

function delivered(query: Query, tenantId: string, names: readonly string[]) {
  const attached = selectOf(query, 'attachments', tenantId)
  const found = attached.select(['delivered_name as name', 'key_id as id'])
  return ask(query, found.where('delivered_name', 'in', names))
}

/** Whether the library has a key of a name, for the names that new keys of an import may get. */
async function takenNames(query: Query, tenantId: string, { keyNames, prefix }: ImportReading) {
  // Every name that begins with the prefix, by the index: `~` follows all characters of a name.
  const prefixed = selectOf(query, 'keys', tenantId)
    .select('name')
    .where('name', '>=', prefix)
    .where('name', '<', `${prefix}~`)
  const [given, rows] = await Promise.all([
    inChunks(keyNames, (names) => named(query, tenantId, names)),
    ask(query, prefixed),
  ])
  const taken = new Set([...given, ...rows].map(({ name }) => name))
  return (name: string) => taken.has(name)
}
