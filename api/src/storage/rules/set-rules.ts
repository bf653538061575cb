import type { TouchRule } from '@keyferry/contract'
import type { AliasableExpression, Compilable } from 'kysely'
import { foldersOver, isOver, keyAt, keyPlace, type RulesAt } from '../../domain/approvals/policy.ts'
import { inChunks, inPages } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { readByIds } from '../base/prepared.ts'
import type { Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import type { Tables } from '../base/tables.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { changedPastServer } from '../row-macs/row-macs.ts'

/*
 * Rules loosen when their row is missing. So `tenants.ruled` says where rules are in a workspace, and `bundles.ruled`
 * that a bundle has some: the MACs of these rows cover it. What judges by rules reads them here, and nowhere else.
 */

export const RULES = [
  'assurance',
  'approvers',
  'people',
  'changers',
  'approvals_needed',
  'agents',
  'remember_hours',
  'tasks',
  'touch',
] as const

/** What a place sets, as it is stored. */
export type RulesRow = Pick<Tables['policies'], (typeof RULES)[number]>

/** The lines of `tenants.ruled` beside the places of folders, which end with a slash. The workspace is a place too. */
const WORKSPACE = 'workspace'
export const [BUNDLES, TOUCH] = ['bundles', 'touch'] as const

/** As `policies` names a place. */
export function placeOf(at: RulesAt): Pick<Tables['policies'], 'place' | 'bundle_id'> {
  if (at === null) return { place: WORKSPACE, bundle_id: null }
  return 'folder' in at
    ? { place: at.folder, bundle_id: null }
    : { place: at.bundleId, bundle_id: at.bundleId }
}

export type FolderRules = RulesRow & { folder: string }

export const folderOf = ({ folder }: FolderRules): string => folder

// A row, as an operator finds it.
const nameOf = (tenantId: string, place: string) => `policies ${tenantId} ${place}`

/** What a workspace sets, and where else rules are. */
type RulesAbove = {
  workspace: RulesRow | null
  /** What some folders set, by their names. Others are not read.
   * @throws DomainError internal: a row of rules is missing */
  folders: (isWanted: (folder: string) => boolean) => Promise<FolderRules[]>
  /** False: no bundle has rules, and no folder. */
  inBundles: boolean
  /** False: no key kept rules. */
  isKept: boolean
  /** False: no place has a rule `touch`. */
  inTouch: boolean
}

const readTenants = readByIds((query, _, ids) =>
  query
    .selectFrom('tenants')
    .leftJoin('policies', (join) =>
      join.onRef('policies.tenant_id', '=', 'tenants.id').on('policies.place', '=', WORKSPACE),
    )
    .select(['tenants.ruled', 'policies.place', ...RULES])
    .where('tenants.id', 'in', ids),
)

/** @throws DomainError internal: a row of rules is missing */
export async function rulesAbove(query: Query, tenantId: string): Promise<RulesAbove> {
  const [tenant] = await readTenants(query, tenantId, [tenantId])
  const lines = linesOf(tenant?.ruled ?? null)
  const named = lines.filter((line) => line.endsWith('/'))
  if (lines.includes(WORKSPACE) && tenant?.place === null)
    throw changedPastServer(nameOf(tenantId, WORKSPACE))
  // Building a statement costs more than a read, and most workspaces have no folder with rules.
  const rows = () =>
    selectOf(query, 'policies', tenantId)
      .select(['place as folder', ...RULES])
      .orderBy('place')
  return {
    workspace: tenant?.place == null ? null : tenant,
    async folders(isWanted) {
      const wanted = named.filter(isWanted)
      const found = await inChunks(wanted, (some) => ask(query, rows().where('place', 'in', some)))
      const known = new Set(found.map(({ folder }) => folder))
      const missing = wanted.find((name) => !known.has(name))
      // Its rules may have ended since.
      if (missing !== undefined && linesOf(await ruledIn(query, tenantId)).includes(missing))
        throw changedPastServer(nameOf(tenantId, missing))
      return found
    },
    inBundles: lines.includes(BUNDLES) || named.length > 0,
    isKept: named.some((line) => keyAt(line) !== null),
    inTouch: lines.includes(TOUCH),
  }
}

export async function ruledIn(query: Query, tenantId: string): Promise<string | null> {
  const [tenant] = await ask(query, query.selectFrom('tenants').select('ruled').where('id', '=', tenantId))
  return tenant?.ruled ?? null
}

export function linesOf(ruled: string | null): string[] {
  return ruled?.split('\n') ?? []
}

/** As `tenants.ruled` contains the lines. They stay when a rule ends, because its row stays too. */
export function ruledText(lines: readonly string[]): string | null {
  return [...new Set(lines)].toSorted().join('\n') || null
}

export function linesAt(at: RulesAt, touch: TouchRule | null): string[] {
  const { place, bundle_id } = placeOf(at)
  return [bundle_id === null ? place : BUNDLES, ...(asksTouch(touch) ? [TOUCH] : [])]
}

export function asksTouch(touch: TouchRule | null): boolean {
  return touch !== null && touch !== 'none'
}

function bundlesRuled(query: Query, tenantId: string) {
  return selectOf(query, 'bundles', tenantId)
    .leftJoin('policies', (join) => join.on(inOneTenant('policies.place', 'bundles.id')))
    .select(['bundles.id', 'bundles.name', 'bundles.tags', 'bundles.production', 'bundles.created_by'])
    .select(['bundles.ruled', 'policies.place', ...RULES])
}

export type RuledBundles = ReturnType<typeof bundlesRuled>

const readBundles = readByIds((query, tenantId, ids) =>
  bundlesRuled(query, tenantId).where('bundles.id', 'in', ids),
)

/** Bundles, each with what it sets.
 * @param which the ids of some, or a condition
 * @throws DomainError internal: a row of rules is missing */
export async function rulesOfBundles(
  query: Query,
  tenantId: string,
  which: readonly string[] | ((bundles: RuledBundles) => RuledBundles),
) {
  const rows =
    typeof which === 'function'
      ? await ask(query, which(bundlesRuled(query, tenantId)))
      : await readBundles(query, tenantId, which)
  return rows.map(({ ruled, place, id, name, tags, production, created_by, ...rules }) => {
    if (ruled === 1 && place === null) throw changedPastServer(nameOf(tenantId, id))
    return { id, name, tags, production, created_by, rules: place === null ? null : rules }
  })
}

/** All bundles, each with what it sets. */
export function rulesOfAllBundles(query: Query, tenantId: string) {
  return inPages((after, count) =>
    rulesOfBundles(query, tenantId, (bundles) =>
      bundles.where('bundles.id', '>', after).orderBy('bundles.id').limit(count),
    ),
  )
}

/** Selects some of the keys, each with a bundle that has it. `name`: the name under which the rules are reported. */
export type KeysInBundles = (
  some: readonly string[],
) => AliasableExpression<{ name: string; bundle_id: string }>

export type KeysNamed = (some: readonly string[]) => Compilable<{ name: string; key_id: string }>

/** What bundles set that contain keys, the folders that these bundles are in, and what the keys kept, for each key.
 * @param named selects the ids of the keys */
export async function rulesOfKeys(
  { query, tenantId, above }: { query: Query; tenantId: string; above?: RulesAbove },
  wanted: readonly string[],
  { inBundles, named }: { inBundles: KeysInBundles; named: KeysNamed },
): Promise<(RulesRow & { name: string })[]> {
  above ??= await rulesAbove(query, tenantId)
  if (!above.inBundles) return []
  const keys = above.isKept ? await inChunks(wanted, (some) => ask(query, named(some))) : []
  const keyed = new Map(keys.map(({ name, key_id }) => [keyPlace(key_id), name]))
  const kept = await above.folders((folder) => keyed.has(folder))
  const own = kept.map((rules) => ({ ...rules, name: keyed.get(rules.folder) ?? '' }))
  const ofBundles = await inChunks(wanted, async (some) => {
    const pairs = query.selectFrom(inBundles(some).as('pairs'))
    const found = await rulesOfBundles(query, tenantId, (bundles) =>
      bundles.where('bundles.id', 'in', pairs.select('pairs.bundle_id')),
    )
    const over = foldersOver(await above.folders(isOver(found.map(({ name }) => name))), folderOf)
    const sets = new Map(found.map(({ id, name, rules }) => [id, [...(rules ? [rules] : []), ...over(name)]]))
    const ruled = [...sets].flatMap(([id, places]) => (places.length > 0 ? [id] : []))
    const names = pairs.select(['pairs.name', 'pairs.bundle_id']).distinct()
    const rows = await inChunks(ruled, (ids) => ask(query, names.where('pairs.bundle_id', 'in', ids)))
    return rows.flatMap(({ name, bundle_id }) =>
      (sets.get(bundle_id) ?? []).map((rules) => ({ ...rules, name })),
    )
  })
  return [...ofBundles, ...own]
}

/** `bundle_id` and `folder`: null for the workspace. A rule of a folder comes by itself, and for each bundle in it. */
export type TouchRuleAt = { bundle_id: string | null; folder: string | null; touch: TouchRule | null }

/** The rules `touch` that ask for something. */
export async function touchRules(query: Query, tenantId: string): Promise<TouchRuleAt[]> {
  const { workspace, inBundles, inTouch, ...above } = await rulesAbove(query, tenantId)
  if (!inTouch) return []
  const folders = await above.folders(() => true)
  const over = foldersOver(folders, folderOf)
  const bundles = inBundles ? await rulesOfAllBundles(query, tenantId) : []
  const ofBundles = bundles.flatMap(({ id: bundle_id, name, rules }) =>
    [...(rules ? [rules] : []), ...over(name)].map(({ touch }) => ({
      bundle_id,
      folder: null,
      touch,
    })),
  )
  const all: TouchRuleAt[] = [
    ...(workspace ? [{ bundle_id: null, folder: null, touch: workspace.touch }] : []),
    ...folders.map(({ folder, touch }) => ({ bundle_id: null, folder, touch })),
    ...ofBundles,
  ]
  return all.filter(({ touch }) => asksTouch(touch))
}
