import type { Assurance } from '@keyferry/contract'
import {
  type AllPolicies,
  effectivePolicy,
  isOver,
  keyAt,
  NO_RULES,
  type Policy,
  type PolicyReads,
  type PolicySetting,
  type PolicyStore,
  type RulesAt,
  type ValueRules,
} from '../../domain/approvals/policy.ts'
import { namesTightened } from '../../domain/approvals/value-rules.ts'
import type { EventData } from '../../domain/base/event.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import { inChunks, inPages } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { readByIds } from '../base/prepared.ts'
import type { Queries, Query } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { keysAttached, selectOf } from '../base/tenant-rows.ts'
import { reachOf, wholeOf } from '../reach/reached-rows.ts'
import {
  type KeysInBundles,
  type KeysNamed,
  RULES,
  type RulesRow,
  rulesAbove,
  rulesOfAllBundles,
  rulesOfBundles,
  rulesOfKeys,
} from '../rules/set-rules.ts'
import { secretsElsewhere } from './value-rights.ts'

function settingIn(row: Pick<RulesRow, (typeof RULES)[number]>): PolicySetting {
  const { assurance, approvers, changers, approvals_needed, agents, remember_hours, tasks, touch } = row
  const people = row.people?.split(' ').filter((id) => id !== '') ?? null
  return { assurance, approvers, people, changers, approvals_needed, agents, remember_hours, tasks, touch }
}

export function rowOf(set: PolicySetting): Pick<RulesRow, (typeof RULES)[number]> {
  const { people, named: _, ...rules } = set
  return { ...rules, people: people === null ? null : people.join(' ') }
}

/** What rows set, in their order, with the members of the groups that they name. */
export async function settingsIn(
  query: Query,
  tenantId: string,
  rows: readonly (RulesRow | null)[],
): Promise<PolicySetting[]> {
  const settings = rows.map((row) => (row === null ? NO_RULES : settingIn(row)))
  if (settings.every(({ people }) => people === null)) return settings
  const confirmed = selectOf(query, 'group_members', tenantId).where('confirmed', '=', flag(true))
  const members = await ask(query, confirmed.select(['group_id', 'user_id']))
  const groups = Map.groupBy(members, ({ group_id }) => group_id)
  const namedBy = (id: string) => groups.get(id)?.map(({ user_id }) => user_id) ?? [id]
  return settings.map((set) =>
    set.people === null ? set : { ...set, named: [...new Set(set.people.flatMap(namedBy))] },
  )
}

/** The reads that approvals are judged by, for a transaction or outside of any. */
export function policyReads({ query }: Queries): (transaction?: Query) => PolicyReads {
  return (transaction = wholeOf(query)) => ({
    find: async (tenantId, bundleId) => (await setOver(transaction, tenantId, bundleId)).rules,
    findAll: (tenantId) => allRules(transaction, tenantId, (folder) => keyAt(folder) === null),
    ofSharedValues: (tenantId, bundleId, names) => sharedValues(transaction, { tenantId, bundleId }, names),
  })
}

/** @param isWanted which folders */
export async function allRules(
  query: Query,
  tenantId: string,
  isWanted: (folder: string) => boolean = () => true,
): Promise<AllPolicies> {
  const { workspace, inBundles, ...above } = await rulesAbove(query, tenantId)
  const folders = await above.folders(isWanted)
  const all = inBundles ? await rulesOfAllBundles(query, tenantId) : []
  const ruled = all.filter(({ rules }) => rules !== null)
  const rows = [workspace, ...folders, ...ruled.map(({ rules }) => rules)]
  const [first = NO_RULES, ...sets] = await settingsIn(query, tenantId, rows)
  const inFolders = folders.map(({ folder }, index) => [folder, sets[index] ?? NO_RULES] as const)
  const own = sets.slice(folders.length)
  return {
    workspace: first,
    folders: new Map(inFolders),
    bundles: new Map(ruled.map(({ id }, index) => [id, own[index] ?? NO_RULES])),
  }
}

async function setOver(query: Query, tenantId: string, bundleId: string) {
  const [above, [bundle]] = await Promise.all([
    rulesAbove(query, tenantId),
    rulesOfBundles(query, tenantId, [bundleId]),
  ])
  const over = bundle ? await above.folders(isOver([bundle.name])) : []
  const rows = [above.workspace, bundle?.rules ?? null, ...over]
  const [workspace = NO_RULES, own = NO_RULES, ...folders] = await settingsIn(query, tenantId, rows)
  return { rules: { workspace, folders, bundle: own, areElsewhere: above.inBundles }, bundle }
}

export function createPolicyStore(queries: Queries): PolicyStore {
  const { query } = queries
  return {
    ...policyReads(queries)(),
    async findTenant(tenantId) {
      const { workspace } = await rulesAbove(query, tenantId)
      const [set = NO_RULES] = await settingsIn(query, tenantId, [workspace])
      return set
    },
    async ofKeys(tenantId, keyIds) {
      // The rules tell the names of the keys, so they are asked of keys within reach.
      const known = reachOf(query) === null ? keyIds : (await keyNames(query, tenantId, keyIds)).keys()
      return ofKeys(wholeOf(query), tenantId, [...known])
    },
    findPlaces: (tenantId) => allRules(query, tenantId),
    keyNames: (tenantId, keyIds) => keyNames(query, tenantId, keyIds),
    sharing: (tenantId, bundleId) => sharing(query, tenantId, bundleId),
    async bundles(tenantId) {
      const bundles = selectOf(query, 'bundles', tenantId).select(['id', 'name', 'tags', 'production'])
      const all = await inPages((after, count) =>
        bundles.where('id', '>', after).orderBy('id').limit(count).execute(),
      )
      return all.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    },
  }
}

async function sharedValues(
  query: Query,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  names: readonly string[] | null,
): Promise<ValueRules[]> {
  const shared = secretsElsewhere(query, tenantId, [bundleId]).select([
    'attachments.delivered_name as name',
    'others.bundle_id',
  ])
  const inBundles: KeysInBundles = (some) => shared.where('attachments.delivered_name', 'in', some)
  const own = keysAttached(query, tenantId)
    .where('bundle_id', '=', bundleId)
    .where('keys.is_secret', '=', flag(true))
  const named: KeysNamed = (some) =>
    own.where('delivered_name', 'in', some).select(['delivered_name as name', 'key_id'])
  const page = (after: string, count: number) =>
    own.where('delivered_name', '>', after).select('delivered_name as id').orderBy('id').limit(count)
  const all = names ?? (await inPages((after, count) => ask(query, page(after, count)))).map(({ id }) => id)
  return bySet(query, tenantId, await rulesOfKeys({ query, tenantId }, all, { inBundles, named }))
}

const readNames = readByIds((query, tenantId, ids) =>
  selectOf(query, 'keys', tenantId).select(['id', 'name']).where('id', 'in', ids),
)

async function keyNames(query: Query, tenantId: string, keyIds: readonly string[]) {
  const rows = await inChunks(keyIds, (ids) => readNames(query, tenantId, ids))
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function ofKeys(
  query: Query,
  tenantId: string,
  keyIds: readonly string[],
): Promise<ValueRules[]> {
  const secrets = keysAttached(query, tenantId)
    .where('keys.is_secret', '=', flag(true))
    .select(['keys.name', 'attachments.bundle_id'])
  const inBundles: KeysInBundles = (some) => secrets.where('keys.id', 'in', some)
  const keys = selectOf(query, 'keys', tenantId).where('keys.is_secret', '=', flag(true))
  const named: KeysNamed = (some) => keys.where('id', 'in', some).select(['name', 'id as key_id'])
  return bySet(query, tenantId, await rulesOfKeys({ query, tenantId }, keyIds, { inBundles, named }))
}

async function bySet(
  query: Query,
  tenantId: string,
  rows: readonly (RulesRow & { name: string })[],
): Promise<ValueRules[]> {
  const sets = [...Map.groupBy(rows, (row) => RULES.map((rule) => row[rule]).join('/')).values()]
  const settings = await settingsIn(
    query,
    tenantId,
    sets.flatMap(([first]) => first ?? []),
  )
  return settings.map((set, index) => ({
    ...set,
    people: set.named ?? set.people,
    names: [...new Set(sets[index]?.map(({ name }) => name))],
  }))
}

async function sharing(query: Query, tenantId: string, bundleId: string): ReturnType<PolicyStore['sharing']> {
  const rows = await secretsElsewhere(query, tenantId, [bundleId])
    .innerJoin('bundles', 'bundles.id', 'others.bundle_id')
    .select(({ fn }) => ['bundles.id', 'bundles.name', fn.countAll<number>().as('secrets')])
    .groupBy(['bundles.id', 'bundles.name'])
    .orderBy('bundles.name')
    .execute()
  return rows.map(({ secrets, ...bundle }) => ({ bundle, secrets }))
}

export const settingOf = (row: RulesRow | null): PolicySetting => (row ? settingIn(row) : NO_RULES)

/** What a place sets, without the members of groups. */
export async function rulesAt(query: Query, tenantId: string, at: RulesAt): Promise<RulesRow | null> {
  if (at !== null && 'bundleId' in at) {
    return (await rulesOfBundles(query, tenantId, [at.bundleId]))[0]?.rules ?? null
  }
  const { workspace, folders } = await rulesAbove(query, tenantId)
  if (at === null) return workspace
  return (await folders((folder) => folder === at.folder))[0] ?? null
}

/** What an event tells of copies of keys that a bundle gets: the secrets for which bundles that contain the keys set
 * more than this one. Their copies come under weaker rules. */
export async function weakerCopies(
  query: Query,
  { tenantId, bundleId, assurance }: PolicyPlace,
  keyIds: readonly string[],
): Promise<Pick<EventData, 'weaker'>> {
  const rules = keyIds.length === 0 ? [] : await ofKeys(query, tenantId, keyIds)
  if (rules.length === 0) return {}
  const weaker = namesTightened(rules, await policyOfBundle(query, { tenantId, bundleId, assurance }))
  return weaker.length === 0 ? {} : { weaker }
}

type PolicyPlace = { tenantId: string; bundleId: string; assurance: Assurance }

/** The rules of a bundle without those that come with values.
 * @throws DomainError not_found */
export async function policyOfBundle(
  query: Query,
  { tenantId, bundleId, assurance }: PolicyPlace,
): Promise<Policy> {
  const { rules: set, bundle } = await setOver(query, tenantId, bundleId)
  if (!bundle) throw bundleNotFound()
  return effectivePolicy(assurance, set, bundle)
}
