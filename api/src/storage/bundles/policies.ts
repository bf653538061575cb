import type { Assurance } from '@keyferry/contract'
import { sql } from 'kysely'
import {
  type BundlePolicyChange,
  effectivePolicy,
  type Loosening,
  NO_RULES,
  type PolicyChange,
  type PolicyReads,
  type PolicyRecords,
  type PolicySetting,
  type PolicyStore,
  type ValueRules,
} from '../../domain/approvals/policy.ts'
import { touchStep } from '../../domain/approvals/set-touch.ts'
import { namesTightened } from '../../domain/approvals/value-rules.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { type EventData, madeBy } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { flag, type Tables } from '../base/tables.ts'
import { isFound, keysAttached, selectOf, updateOf } from '../base/tenant-rows.ts'
import { endGrants } from '../people/grant-ends.ts'
import { endInvitations } from '../people/invitations.ts'
import { holdTenant } from '../people/tenants.ts'
import { bundleEvent } from './bundle-changes.ts'
import { secretsElsewhere } from './value-rights.ts'

const RULES = [
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
  return { ...row, people: people === null ? null : people.split(' ') }
}

function rowOf({ people, ...rules }: PolicySetting): RulesRow {
  return { ...rules, people: people === null ? null : people.join(' ') }
}

const asPlace = (name: 'workspace' | 'bundle') => sql.lit(name).as('place')

/** The reads that approvals are judged by, for a transaction or outside of any. */
export function policyReads({ query }: Queries): (transaction?: Query) => PolicyReads {
  return (transaction = query) => ({
    async find(tenantId, bundleId) {
      const rows = await ask(
        transaction,
        tenantRules(transaction, tenantId)
          .select(asPlace('workspace'))
          .unionAll(bundleRules(transaction, tenantId, bundleId).select(asPlace('bundle'))),
      )
      return { workspace: rulesOf(rows, 'workspace'), bundle: rulesOf(rows, 'bundle') }
    },
    async findAll(tenantId) {
      const [ofTenant, bundles] = await Promise.all([
        ask(transaction, tenantRules(transaction, tenantId)),
        ask(transaction, selectOf(transaction, 'bundle_policies', tenantId).select(['bundle_id', ...RULES])),
      ])
      return {
        workspace: settingOf(ofTenant[0]),
        bundles: new Map(bundles.map(({ bundle_id, ...row }) => [bundle_id, settingIn(row)])),
      }
    },
    areSetElsewhere: (tenantId, bundleId) => areSetElsewhere(transaction, tenantId, bundleId),
    ofSharedValues: (tenantId, bundleId, names) => sharedValues(transaction, { tenantId, bundleId }, names),
  })
}

export function createPolicyStore(queries: Queries): PolicyStore {
  const { query } = queries
  return {
    ...policyReads(queries)(),
    findTenant: async (tenantId) => settingOf(await tenantRules(query, tenantId).executeTakeFirst()),
    ofKeys: (tenantId, keyIds) => ofKeys(query, tenantId, keyIds),
    sharing: (tenantId, bundleId) => sharing(query, tenantId, bundleId),
    loosening: (tenantId, bundleId) => looseningOf(query, tenantId, bundleId),
  }
}

/** `markSigned`: marks the keys of the workspace. */
type RuleWriting = { readonly markSigned: (transaction: Query, tenantId: string) => Promise<void> }

export function policyRecords(transaction: Recorded, writing: RuleWriting): PolicyRecords {
  return {
    changeBundle: (change, stamp) => changeBundle({ ...writing, transaction }, change, stamp),
    changeTenant: (change, stamp) => changeTenant({ ...writing, transaction }, change, stamp),
  }
}

// For a workspace without such rules this is all that an approval reads of them.
async function areSetElsewhere(query: Query, tenantId: string, bundleId: string): Promise<boolean> {
  const others = selectOf(query, 'bundle_policies', tenantId).where('bundle_id', '<>', bundleId)
  return (await ask(query, others.select('bundle_id').limit(1))).length > 0
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
    .crossJoin('bundle_policies')
    .crossJoin('keys')
    .whereRef('others.tenant_id', '=', 'attachments.tenant_id')
    .whereRef('others.key_id', '=', 'attachments.key_id')
    .where('others.bundle_id', '<>', bundleId)
    .whereRef('bundle_policies.tenant_id', '=', 'others.tenant_id')
    .whereRef('bundle_policies.bundle_id', '=', 'others.bundle_id')
    .whereRef('keys.tenant_id', '=', 'attachments.tenant_id')
    .whereRef('keys.id', '=', 'attachments.key_id')
    .where('keys.is_secret', '=', flag(true))
    .select('attachments.delivered_name as name')
    .select(RULES)
    .distinct()
  return bySet(
    await inChunks(all, (some) => ask(query, shared.where('attachments.delivered_name', 'in', some))),
  )
}

async function ofKeys(query: Query, tenantId: string, keyIds: readonly string[]): Promise<ValueRules[]> {
  const held = keysAttached(query, tenantId)
    .innerJoin('bundle_policies', (join) =>
      join.on(inOneTenant('bundle_policies.bundle_id', 'attachments.bundle_id')),
    )
    .where('keys.is_secret', '=', flag(true))
    .select('keys.name')
    .select(RULES)
    .distinct()
  return bySet(await inChunks(keyIds, (some) => held.where('keys.id', 'in', some).execute()))
}

function bySet(rows: readonly (RulesRow & { name: string })[]): ValueRules[] {
  const sets = Map.groupBy(rows, (row) => RULES.map((rule) => row[rule]).join('/'))
  return [...sets.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { name: _, ...rules } = first
    return [{ ...settingIn(rules), names: same.map(({ name }) => name) }]
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

type PlacedRules = RulesRow & { place: 'workspace' | 'bundle' }

function rulesOf(rows: readonly PlacedRules[], wanted: PlacedRules['place']): PolicySetting {
  const row = rows.find(({ place }) => place === wanted) ?? { place: wanted, ...rowOf(NO_RULES) }
  const { place: _, ...rules } = row
  return settingIn(rules)
}

const settingOf = (row: RulesRow | undefined): PolicySetting => (row ? settingIn(row) : NO_RULES)

function tenantRules(query: Query, tenantId: string) {
  return selectOf(query, 'tenant_policies', tenantId).select(RULES)
}

function bundleRules(query: Query, tenantId: string, bundleId: string) {
  return selectOf(query, 'bundle_policies', { tenantId, bundle_id: bundleId }).select(RULES)
}

async function looseningOf(
  query: Query,
  tenantId: string,
  bundleId: string | null,
): Promise<Loosening | null> {
  const rows =
    bundleId === null
      ? selectOf(query, 'tenant_policies', tenantId).select(LOOSENS)
      : selectOf(query, 'bundle_policies', { tenantId, bundle_id: bundleId }).select(LOOSENS)
  const { loosens_to: to, loosens_by: by, loosens_at: at } = (await rows.executeTakeFirst()) ?? {}
  if (!to || !by || !at) return null
  const asker = selectOf(query, 'memberships', { tenantId, user_id: by }).where('role', '=', 'owner')
  return (await isFound(asker)) ? { to, by, at } : null
}

type Writing = RuleWriting & { transaction: Recorded }

/** The columns of changed rules. If people sign from now on, what lets others in without a signature ends. */
async function rulesAfter(
  { transaction, markSigned }: Writing,
  { before, change, bundleId }: { before: PolicySetting; change: PolicyChange; bundleId: string | null },
  stamp: Stamp,
) {
  const { tenantId } = stamp
  const known = await looseningOf(transaction, tenantId, bundleId)
  const { touch, loosening } =
    change.touch === undefined
      ? { touch: before.touch, loosening: known }
      : touchStep({ touch: before.touch, loosening: known }, change.touch, stamp)
  if (touch !== before.touch && touch !== null && touch !== 'none') {
    await requireKeysOnly(transaction, tenantId, bundleId)
    await endInvitations(transaction, stamp)
    await markSigned(transaction, tenantId)
  }
  const { to: loosens_to = null, by: loosens_by = null, at: loosens_at = null } = loosening ?? {}
  return { ...rowOf({ ...changed(before, change), touch }), loosens_to, loosens_by, loosens_at }
}

async function requireKeysOnly(query: Query, tenantId: string, bundleId: string | null): Promise<void> {
  const items = selectOf(query, 'legacy_items', tenantId)
  if (await isFound(bundleId === null ? items : items.where('bundle_id', '=', bundleId)))
    throw new DomainError('conflict', 'convert the legacy items into keys first: nobody can sign them')
}

async function changeBundle(
  { transaction, ...writing }: Writing,
  { bundleId, ...change }: BundlePolicyChange & { bundleId: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const place = { tenantId, id: bundleId }
  // Holds the bundle until the transaction ends.
  const held = await updateOf(transaction, 'bundles', place)
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .returning(['id', 'name', 'production'])
    .executeTakeFirst()
  if (!held) throw bundleNotFound()
  const before = settingOf(await bundleRules(transaction, tenantId, bundleId).executeTakeFirst())
  const { production } = held
  requireExpected(change, { ...before, production })
  if (change.production !== undefined && change.production !== production)
    await updateOf(transaction, 'bundles', place).set({ production: change.production }).execute()
  const rules = await rulesAfter({ transaction, ...writing }, { before, change, bundleId }, stamp)
  await transaction
    .insertInto('bundle_policies')
    .values({ tenant_id: tenantId, bundle_id: bundleId, ...rules })
    .onConflict((taken) => taken.columns(['tenant_id', 'bundle_id']).doUpdateSet(rules))
    .execute()
  const event = { action: 'bundle.policy_changed', data: changeData(change) } as const
  transaction.record(bundleEvent(held, stamp, event))
  await endGrants(transaction, { tenantId, bundleId }, { reason: 'policy_changed', ...madeBy(stamp) })
}

async function changeTenant(
  { transaction, ...writing }: Writing,
  change: PolicyChange,
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  await holdTenant(transaction, tenantId)
  const before = settingOf(await tenantRules(transaction, tenantId).executeTakeFirst())
  requireExpected(change, before)
  const rules = await rulesAfter({ transaction, ...writing }, { before, change, bundleId: null }, stamp)
  await transaction
    .insertInto('tenant_policies')
    .values({ tenant_id: tenantId, ...rules })
    .onConflict((taken) => taken.column('tenant_id').doUpdateSet(rules))
    .execute()
  const { name } = await transaction
    .selectFrom('tenants')
    .select('name')
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const target = { kind: 'tenant', id: tenantId, name } as const
  transaction.record({
    ...madeBy(stamp),
    action: 'tenant.policy_changed',
    target,
    data: changeData(change),
  })
  await endGrants(transaction, { tenantId }, { reason: 'policy_changed', ...madeBy(stamp) })
}

function changed(before: PolicySetting, change: PolicyChange): PolicySetting {
  const given = RULES.filter((rule) => change[rule] !== undefined).map((rule) => [rule, change[rule]])
  return { ...before, ...Object.fromEntries(given) }
}

function changeData(change: Partial<BundlePolicyChange>): EventData {
  const rules = [...RULES, 'production' as const].flatMap((rule) => {
    const set = change[rule]
    const isImplied = rule === 'people' && set === null
    return set === undefined || isImplied
      ? []
      : [`${rule}: ${Array.isArray(set) ? set.join(' ') : (set ?? 'not set')}`]
  })
  return { rules }
}

/** What an event tells of copies of keys that a bundle gets: the secrets for which bundles that hold the keys set more
 * than this one. Their copies come under weaker rules. */
export async function weakerCopies(
  query: Query,
  { tenantId, bundleId, assurance }: { tenantId: string; bundleId: string; assurance: Assurance },
  keyIds: readonly string[],
): Promise<Pick<EventData, 'weaker'>> {
  const rules = keyIds.length === 0 ? [] : await ofKeys(query, tenantId, keyIds)
  if (rules.length === 0) return {}
  const [[named], [ofTenant], [ofBundle]] = await Promise.all([
    ask(query, selectOf(query, 'bundles', { tenantId, id: bundleId }).select(['name', 'tags', 'production'])),
    ask(query, tenantRules(query, tenantId)),
    ask(query, bundleRules(query, tenantId, bundleId)),
  ])
  if (!named) throw bundleNotFound()
  const set = { workspace: settingOf(ofTenant), bundle: settingOf(ofBundle) }
  const weaker = namesTightened(rules, effectivePolicy(assurance, set, named))
  return weaker.length === 0 ? {} : { weaker }
}

/** Give a new bundle the rules of the bundle that it is a duplicate of. Otherwise a duplicate would be a way around
 * them. */
export async function copyRules(
  transaction: Query,
  tenantId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const rules = await bundleRules(transaction, tenantId, from).executeTakeFirst()
  if (!rules) return
  await transaction
    .insertInto('bundle_policies')
    .values({ tenant_id: tenantId, bundle_id: to, ...rules })
    .execute()
}
