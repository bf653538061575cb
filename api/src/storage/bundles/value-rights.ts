import type { Changers } from '@keyferry/contract'
import { foldersOver, isOver } from '../../domain/approvals/policy.ts'
import type { Bundle } from '../../domain/library/bundle.ts'
import { type BundleRights, changersAt } from '../../domain/library/value-rights.ts'
import { type BundleReach, reaches } from '../../domain/people/reach.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { readByIds } from '../base/prepared.ts'
import type { Query } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { keysAttached, selectOf } from '../base/tenant-rows.ts'
import { reachOf, wholeOf } from '../reach/reached-rows.ts'
import { folderOf, RULES, rulesAbove, rulesOfBundles, rulesOfKeys } from '../rules/set-rules.ts'

/** Who reads, with the whole library: rules out of reach count too. */
type Reading = { query: Query; reach: BundleReach }

export const reading = (query: Query): Reading => ({ query: wholeOf(query), reach: reachOf(query) })

/** Who may change each key, by its id. A key that a bundle out of reach contains too is for owners. */
export async function changersOf(
  { query, reach }: Reading,
  tenantId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, Changers>> {
  const above = await rulesAbove(query, tenantId)
  const { workspace } = above
  const [rows, outside] = await Promise.all([
    rulesOfKeys({ query, tenantId, above }, keyIds, {
      inBundles: (some) =>
        selectOf(query, 'attachments', tenantId)
          .select(['key_id as name', 'bundle_id'])
          .where('key_id', 'in', some),
      named: (some) =>
        selectOf(query, 'keys', tenantId).select(['id as name', 'id as key_id']).where('id', 'in', some),
    }),
    reach === null ? [] : keysOutside({ query, reach }, tenantId, keyIds),
  ])
  const places = Map.groupBy(rows, ({ name }) => name)
  const theirs = new Set(outside)
  const changers = (id: string) => changersAt([...(workspace ? [workspace] : []), ...(places.get(id) ?? [])])
  return new Map(keyIds.map((id) => [id, theirs.has(id) ? 'owner' : changers(id)]))
}

/** Those of the keys that bundles out of reach contain. */
function keysOutside({ query, reach }: Reading, tenantId: string, keyIds: readonly string[]) {
  return inChunks(keyIds, async (ids) => {
    // Thousands of keys can be in a few bundles: compare the name of each bundle once.
    const bundles = await readBundlesWith(query, tenantId, ids)
    const outside = new Set(bundles.flatMap(({ id, name }) => (reaches(reach, name) ? [] : [id])))
    if (outside.size === 0) return []
    const places = selectOf(query, 'attachments', tenantId).where('key_id', 'in', ids)
    const rows = await ask(query, places.select(['key_id', 'bundle_id']))
    return rows.flatMap(({ key_id, bundle_id }) => (outside.has(bundle_id) ? [key_id] : []))
  })
}

const readBundlesWith = readByIds((query, tenantId, keyIds) => {
  const places = selectOf(query, 'attachments', tenantId).where('key_id', 'in', keyIds).select('bundle_id')
  return selectOf(query, 'bundles', tenantId).select(['id', 'name']).where('id', 'in', places)
})

/** By the bundle's id. Bundles that are known are not read again where no bundle has rules. */
export async function rightsOfBundles(
  { query, reach }: Reading,
  tenantId: string,
  bundleIds: readonly string[],
  known?: readonly Bundle[],
): Promise<ReadonlyMap<string, BundleRights>> {
  const above = await rulesAbove(query, tenantId)
  const rows =
    known && !above.inBundles
      ? known.map((bundle) => ({ ...bundle, rules: null }))
      : await inChunks(bundleIds, (ids) => rulesOfBundles(query, tenantId, ids))
  const over = foldersOver(await above.folders(isOver(rows.map(({ name }) => name))), folderOf)
  const outside = await secretsOutside({ query: wholeOf(query), reach }, tenantId, bundleIds)
  return new Map(
    rows.map(({ id, name, created_by, production, rules: own }) => {
      const places = [...(own ? [own] : []), ...over(name)]
      const isRuled =
        production === 'yes' || places.some((rules) => RULES.some((rule) => rules[rule] !== null))
      const changers = changersAt([...(above.workspace ? [above.workspace] : []), ...places])
      return [id, { created_by, changers, isRuled, sharedOutside: outside.get(id) ?? NONE }]
    }),
  )
}

/** By the bundle's id, the secrets that bundles out of reach contain too. */
async function secretsOutside({ query, reach }: Reading, tenantId: string, bundleIds: readonly string[]) {
  if (reach === null) return new Map<string, Set<string>>()
  const rows = await inChunks(bundleIds, async (ids) => {
    const bundles = await readSharing(query, tenantId, ids)
    const outside = bundles.flatMap(({ id, name }) => (reaches(reach, name) ? [] : [id]))
    return inChunks(outside, (some) => {
      const secrets = secretsElsewhere(query, tenantId, ids).where('others.bundle_id', 'in', some)
      return ask(query, secrets.select(['attachments.bundle_id', 'attachments.key_id']))
    })
  })
  const byBundle = [...Map.groupBy(rows, ({ bundle_id }) => bundle_id)]
  return new Map(byBundle.map(([id, keys]) => [id, new Set(keys.map(({ key_id }) => key_id))]))
}

const readSharing = readByIds((query, tenantId, bundleIds) => {
  const others = secretsElsewhere(query, tenantId, bundleIds).select('others.bundle_id')
  return selectOf(query, 'bundles', tenantId).select(['id', 'name']).where('id', 'in', others)
})

const NONE: ReadonlySet<string> = new Set()

/** The secret keys of bundles, once for each other bundle (`others`) that contains them. */
export function secretsElsewhere(query: Query, tenantId: string, bundleIds: readonly string[]) {
  // SQLite keeps the order of a cross join. By itself, it reads all attachments of the workspace first.
  return keysAttached(query, tenantId)
    .crossJoin('attachments as others')
    .whereRef('others.tenant_id', '=', 'attachments.tenant_id')
    .whereRef('others.key_id', '=', 'attachments.key_id')
    .whereRef('others.bundle_id', '<>', 'attachments.bundle_id')
    .where('attachments.bundle_id', 'in', bundleIds)
    .where('keys.is_secret', '=', flag(true))
}
