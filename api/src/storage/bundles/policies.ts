import type { Assurance } from '@keyferry/contract'
import { sql } from 'kysely'
import {
  effectivePolicy,
  type Loosening,
  NO_RULES,
  type Policy,
  type PolicyReads,
  type PolicySetting,
  type PolicyStore,
  type RulesAt,
  type SetPolicies,
  type ValueRules,
} from '../../domain/approvals/policy.ts'
import { namesTightened } from '../../domain/approvals/value-rules.ts'
import type { EventData } from '../../domain/base/event.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import type { Queries, Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { flag, type Tables } from '../base/tables.ts'
import { FOLDER_HAS_BUNDLE, isFound, keysAttached, selectOf } from '../base/tenant-rows.ts'
import { reachOf, wholeOf } from '../reach/reached-rows.ts'
import { secretsElsewhere } from './value-rights.ts'

export const RULES = [
  'assurance',
  'approvers',
  'people',
  'changers',
  'approvals_needed',
  'agents',
  'remember_hours',
  'touch',
] as const

const LOOSENS = ['loosens_to', 'loosens_by', 'loosens_at'] as const

type RulesRow = Pick<Tables['tenant_policies'], (typeof RULES)[number]>

function settingIn<Row extends RulesRow>({ people, ...row }: Row) {
  return { ...row, people: people?.split(' ').filter((id) => id !== '') ?? null }
}

export function rowOf(set: PolicySetting): RulesRow {
  const { people, named: _, ...rules } = set
  return { ...rules, people: people === null ? null : people.join(' ') }
}

/** What rows set, with the members of the groups that they name. */
export async function settingsIn<Row extends RulesRow>(query: Query, tenantId: string, rows: readonly Row[]) {
  type Named = ReturnType<typeof settingIn<Row>> & Pick<PolicySetting, 'named'>
  const settings = rows.map((row): Named => settingIn(row))
  if (settings.every(({ people }) => people === null)) return settings
  const confirmed = selectOf(query, 'group_members', tenantId).where('confirmed', '=', flag(true))
  const members = await ask(query, confirmed.select(['group_id', 'user_id']))
  const groups = Map.groupBy(members, ({ group_id }) => group_id)
  const namedBy = (id: string) => groups.get(id)?.map(({ user_id }) => user_id) ?? [id]
  return settings.map((set) =>
    set.people === null ? set : { ...set, named: [...new Set(set.people.flatMap(namedBy))] },
  )
}

const asPlace = (name: 'workspace' | 'folder' | 'bundle') => sql.lit(name).as('place')

/** The reads that approvals are judged by, for a transaction or outside of any. */
export function policyReads({ query }: Queries): (transaction?: Query) => PolicyReads {
  return (transaction = wholeOf(query)) => ({
    find: (tenantId, bundleId) => setOver(transaction, tenantId, bundleId),
    async findAll(tenantId) {
      const [ofTenant, folders, bundles] = await Promise.all([
        ask(transaction, tenantRules(transaction, tenantId)),
        ask(transaction, selectOf(transaction, 'folder_policies', tenantId).select(['folder', ...RULES])),
        ask(transaction, selectOf(transaction, 'bundle_policies', tenantId).select(['bundle_id', ...RULES])),
      ])
      const [workspace = NO_RULES] = await settingsIn(transaction, tenantId, ofTenant)
      const inFolders = await settingsIn(transaction, tenantId, folders)
      const inBundles = await settingsIn(transaction, tenantId, bundles)
      return {
        workspace,
        folders: new Map(inFolders.map(({ folder, ...set }) => [folder, set])),
        bundles: new Map(inBundles.map(({ bundle_id, ...set }) => [bundle_id, set])),
      }
    },
    areSetElsewhere: (tenantId, bundleId) => areSetElsewhere(transaction, tenantId, bundleId),
    ofSharedValues: (tenantId, bundleId, names) => sharedValues(transaction, { tenantId, bundleId }, names),
  })
}

async function setOver(query: Query, tenantId: string, bundleId: string): Promise<SetPolicies> {
  const rows = await ask(
    query,
    tenantRules(query, tenantId)
      .select(asPlace('workspace'))
      .unionAll(bundleRules(query, tenantId, bundleId).select(asPlace('bundle')))
      .unionAll(foldersOver(query, { tenantId, id: bundleId }).select(RULES).select(asPlace('folder'))),
  )
  const set = await settingsIn(query, tenantId, rows)
  const at = (wanted: (typeof set)[number]['place']) =>
    set.flatMap(({ place, ...rules }) => (place === wanted ? [rules] : []))
  const [[workspace = NO_RULES], [bundle = NO_RULES]] = [at('workspace'), at('bundle')]
  return { workspace, folders: at('folder'), bundle }
}

export function createPolicyStore(queries: Queries): PolicyStore {
  const { query } = queries
  return {
    ...policyReads(queries)(),
    async findTenant(tenantId) {
      const [set = NO_RULES] = await settingsIn(query, tenantId, await tenantRules(query, tenantId).execute())
      return set
    },
    async ofKeys(tenantId, keyIds) {
      const known = reachOf(query) === null ? keyIds : await knownKeys(query, tenantId, keyIds)
      return ofKeys(wholeOf(query), tenantId, known)
    },
    sharing: (tenantId, bundleId) => sharing(query, tenantId, bundleId),
    loosening: (tenantId, at) => looseningOf(query, tenantId, at),
    bundles: (tenantId) =>
      selectOf(query, 'bundles', tenantId)
        .select(['id', 'name', 'tags', 'production'])
        .orderBy('name')
        .execute(),
  }
}

// For a workspace without such rules this is all that an approval reads of them.
async function areSetElsewhere(query: Query, tenantId: string, bundleId: string): Promise<boolean> {
  const others = selectOf(query, 'bundle_policies', tenantId).where('bundle_id', '<>', bundleId)
  const folders = selectOf(query, 'folder_policies', tenantId).select('folder as place')
  return (await ask(query, others.select('bundle_id as place').unionAll(folders).limit(1))).length > 0
}

async function sharedValues(
  query: Query,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  names: readonly string[] | null,
): Promise<ValueRules[]> {
  const attached = selectOf(query, 'attachments', tenantId).where('attachments.bundle_id', '=', bundleId)
  const all = names ?? (await ask(query, attached.select('delivered_name as name'))).map(({ name }) => name)
  // SQLite keeps the order of a cross join.
  const shared = attached
    .crossJoin('attachments as others')
    .crossJoin('keys')
    .whereRef('others.tenant_id', '=', 'attachments.tenant_id')
    .whereRef('others.key_id', '=', 'attachments.key_id')
    .where('others.bundle_id', '<>', bundleId)
    .whereRef('keys.tenant_id', '=', 'attachments.tenant_id')
    .whereRef('keys.id', '=', 'attachments.key_id')
    .where('keys.is_secret', '=', flag(true))
    .select('attachments.delivered_name as name')
    .distinct()
  const ofBundles = shared
    .crossJoin('bundle_policies')
    .where(inOneTenant('bundle_policies.bundle_id', 'others.bundle_id'))
    .select(RULES)
  const ofFolders = shared
    .where((has) => has.exists(selectOf(query, 'folder_policies', tenantId).select('folder')))
    .crossJoin('bundles')
    .crossJoin('folder_policies')
    .where(inOneTenant('bundles.id', 'others.bundle_id'))
    .where(FOLDER_HAS_BUNDLE)
    .select(RULES)
  const rows = await inChunks(all, async (some) => {
    const sets = [
      ask(query, ofBundles.where('attachments.delivered_name', 'in', some)),
      ask(query, ofFolders.where('attachments.delivered_name', 'in', some)),
    ]
    return (await Promise.all(sets)).flat()
  })
  return bySet(query, tenantId, rows)
}

// The rules tell the names of the keys, so they are asked of keys within reach.
async function knownKeys(query: Query, tenantId: string, keyIds: readonly string[]): Promise<string[]> {
  const rows = await inChunks(keyIds, (ids) =>
    ask(query, selectOf(query, 'keys', tenantId).select('id').where('id', 'in', ids)),
  )
  return rows.map(({ id }) => id)
}

export async function ofKeys(
  query: Query,
  tenantId: string,
  keyIds: readonly string[],
): Promise<ValueRules[]> {
  const held = keysAttached(query, tenantId)
    .where('keys.is_secret', '=', flag(true))
    .select('keys.name')
    .distinct()
  const ofBundles = held
    .innerJoin('bundle_policies', (join) =>
      join.on(inOneTenant('bundle_policies.bundle_id', 'attachments.bundle_id')),
    )
    .select(RULES)
  const ofFolders = held
    .innerJoin('bundles', (join) => join.on(inOneTenant('bundles.id', 'attachments.bundle_id')))
    .innerJoin('folder_policies', (join) => join.on(FOLDER_HAS_BUNDLE))
    .select(RULES)
  const rows = await inChunks(keyIds, async (some) => {
    const sets = [
      ask(query, ofBundles.where('keys.id', 'in', some)),
      ask(query, ofFolders.where('keys.id', 'in', some)),
    ]
    return (await Promise.all(sets)).flat()
  })
  return bySet(query, tenantId, rows)
}

async function bySet(
  query: Query,
  tenantId: string,
  rows: readonly (RulesRow & { name: string })[],
): Promise<ValueRules[]> {
  const sets = Map.groupBy(rows, (row) => RULES.map((rule) => row[rule]).join('/'))
  const firsts = [...sets.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, names: [first, ...others].map(({ name }) => name) }] : [],
  )
  const settings = await settingsIn(query, tenantId, firsts)
  return settings.map((set) => {
    const { name: _, ...rules } = set
    return { ...rules, people: rules.named ?? rules.people }
  })
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

export const settingOf = (row: RulesRow | undefined): PolicySetting => (row ? settingIn(row) : NO_RULES)

export function tenantRules(query: Query, tenantId: string) {
  return selectOf(query, 'tenant_policies', tenantId).select(RULES)
}

export function folderRules(query: Query, tenantId: string, folder: string) {
  return selectOf(query, 'folder_policies', { tenantId, folder }).select(RULES)
}

export function bundleRules(query: Query, tenantId: string, bundleId: string) {
  return selectOf(query, 'bundle_policies', { tenantId, bundle_id: bundleId }).select(RULES)
}

function foldersOver(query: Query, bundle: { tenantId: string; id: string }) {
  return selectOf(query, 'bundles', bundle).innerJoin('folder_policies', (join) => join.on(FOLDER_HAS_BUNDLE))
}

export async function looseningOf(query: Query, tenantId: string, at: RulesAt): Promise<Loosening | null> {
  const { loosens_to: to, loosens_by: by, loosens_at: since } = (await loosensAt(query, tenantId, at)) ?? {}
  if (!to || !by || !since) return null
  const asker = selectOf(query, 'memberships', { tenantId, user_id: by }).where('role', '=', 'owner')
  return (await isFound(asker)) ? { to, by, at: since } : null
}

function loosensAt(query: Query, tenantId: string, at: RulesAt) {
  if (at === null) return selectOf(query, 'tenant_policies', tenantId).select(LOOSENS).executeTakeFirst()
  const rows =
    'folder' in at
      ? selectOf(query, 'folder_policies', { tenantId, folder: at.folder }).select(LOOSENS)
      : selectOf(query, 'bundle_policies', { tenantId, bundle_id: at.bundleId }).select(LOOSENS)
  return rows.executeTakeFirst()
}

/** What an event tells of copies of keys that a bundle gets: the secrets for which bundles that hold the keys set more
 * than this one. Their copies come under weaker rules. */
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
  const [[named], set] = await Promise.all([
    ask(query, selectOf(query, 'bundles', { tenantId, id: bundleId }).select(['name', 'tags', 'production'])),
    setOver(query, tenantId, bundleId),
  ])
  if (!named) throw bundleNotFound()
  return effectivePolicy(assurance, set, named)
}
