import { isDeepStrictEqual } from 'node:util'
import type { TouchRule } from '@keyferry/contract'
import {
  type BundlePolicyChange,
  isIn,
  keyPlace,
  NO_RULES,
  type PolicyChange,
  type PolicyRecords,
  type PolicySetting,
  type ProductionFacts,
  type RulesAt,
  rulesTaken,
} from '../../domain/approvals/policy.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { type EventData, madeBy, ofTenant } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { bundlesIn, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'
import { endGrants } from '../people/grant-ends.ts'
import { takeUnconfirmed } from '../people/groups.ts'
import { endInvitations } from '../people/invitations.ts'
import { holdTenant } from '../people/tenants.ts'
import { linesAt, linesOf, RULES, type RulesRow, ruledText, rulesAbove } from '../rules/set-rules.ts'
import { bundleEvent } from './bundle-changes.ts'
import { rowOf, rulesAt, settingOf, settingsIn } from './policies.ts'

/** `markSigned`: marks the keys of the workspace. */
type RuleWriting = { readonly markSigned: (transaction: Query, tenantId: string) => Promise<void> }

export function policyRecords(transaction: Recorded, writing: RuleWriting): PolicyRecords {
  return {
    changeBundle: (change, stamp) => changeBundle({ ...writing, transaction }, change, stamp),
    changeTenant: (change, stamp) => changeTenant({ ...writing, transaction }, change, stamp),
  }
}

// What an earlier build let wait here ends with the next change.
const NO_LOOSENING = { loosens_to: null, loosens_by: null, loosens_at: null } as const

type Writing = RuleWriting & { transaction: Recorded }

/** The columns of changed rules. If people sign from now on, what lets others in without a signature ends. */
async function rulesAfter(
  { transaction, markSigned }: Writing,
  { held, change, at }: { held: RulesRow | null; change: PolicyChange; at: RulesAt },
  stamp: Stamp,
) {
  const { tenantId } = stamp
  const before = settingOf(held)
  const after = changed(before, change)
  const { touch } = after
  if (touch !== before.touch && touch !== null && touch !== 'none') {
    await requireKeysOnly(transaction, tenantId, at)
    await endInvitations(transaction, stamp)
    await takeUnconfirmed(transaction, stamp)
    await markSigned(transaction, tenantId)
  }
  await notePlace(transaction, tenantId, { at, touch })
  return { ...rowOf(after), ...NO_LOOSENING }
}

// The workspace is held, so that none of two changes at once is lost.
async function notePlace(
  transaction: Query,
  tenantId: string,
  { at, touch }: { at: RulesAt; touch: TouchRule | null },
): Promise<void> {
  const tenant = transaction.selectFrom('tenants').select('ruled').where('id', '=', tenantId)
  const { ruled } = await tenant.executeTakeFirstOrThrow()
  const noted = ruledText([...linesOf(ruled), ...linesAt(at, touch)])
  if (noted === ruled) return
  await transaction.updateTable('tenants').set({ ruled: noted }).where('id', '=', tenantId).execute()
}

// Without its row of rules, the bundle is refused from now on.
async function noteBundle(transaction: Query, tenantId: string, id: string): Promise<void> {
  const unnoted = updateOf(transaction, 'bundles', { tenantId, id }).where('ruled', 'is', null)
  await unnoted.set({ ruled: 1 }).execute()
}

async function requireKeysOnly(query: Query, tenantId: string, at: RulesAt): Promise<void> {
  const items = selectOf(query, 'legacy_items', tenantId)
  const theirs =
    at === null
      ? items
      : 'folder' in at
        ? items.where('bundle_id', 'in', bundlesIn(query, tenantId, at.folder))
        : items.where('bundle_id', '=', at.bundleId)
  if (await isFound(theirs))
    throw new DomainError('conflict', 'convert the legacy items into keys first: they cannot be signed')
}

async function changeBundle(
  { transaction, ...writing }: Writing,
  { bundleId, ...change }: BundlePolicyChange & { bundleId: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  await holdTenant(transaction, tenantId)
  const place = { tenantId, id: bundleId }
  // Holds the bundle until the transaction ends.
  const held = await updateOf(transaction, 'bundles', place)
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .returning(['id', 'name', 'production'])
    .executeTakeFirst()
  if (!held) throw bundleNotFound()
  const at = { bundleId }
  const before = await rulesAt(transaction, tenantId, at)
  const { production } = held
  requireExpected(change, { ...settingOf(before), production })
  if (change.production !== undefined && change.production !== production)
    await updateOf(transaction, 'bundles', place).set({ production: change.production }).execute()
  const rules = await rulesAfter({ transaction, ...writing }, { held: before, change, at }, stamp)
  await transaction
    .insertInto('bundle_policies')
    .values({ tenant_id: tenantId, bundle_id: bundleId, ...rules })
    .onConflict((taken) => taken.columns(['tenant_id', 'bundle_id']).doUpdateSet(rules))
    .execute()
  await noteBundle(transaction, tenantId, bundleId)
  const event = { action: 'bundle.policy_changed', data: changeData(change) } as const
  transaction.record(bundleEvent(held, stamp, event))
  await endGrants(transaction, { tenantId, bundleId }, { reason: 'policy_changed', ...madeBy(stamp) })
}

async function changeTenant(
  { transaction, ...writing }: Writing,
  { folder, ...change }: PolicyChange & { folder: string | null },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  await holdTenant(transaction, tenantId)
  const at = folder === null ? null : { folder }
  const held = await rulesAt(transaction, tenantId, at)
  requireExpected(change, settingOf(held))
  const rules = await rulesAfter({ transaction, ...writing }, { held, change, at }, stamp)
  await keepRules(transaction, { tenantId, folder }, rules)
  transaction.record({
    ...madeBy(stamp),
    action: 'tenant.policy_changed',
    target: ofTenant(tenantId),
    data: { ...(folder !== null && { folder }), ...changeData(change) },
  })
  const ended = { tenantId, ...(folder !== null && { folder }) }
  await endGrants(transaction, ended, { reason: 'policy_changed', ...madeBy(stamp) })
}

async function keepRules(
  transaction: Query,
  { tenantId, folder }: { tenantId: string; folder: string | null },
  rules: Awaited<ReturnType<typeof rulesAfter>>,
): Promise<void> {
  const row = { tenant_id: tenantId, ...rules }
  const insertion =
    folder === null
      ? transaction
          .insertInto('tenant_policies')
          .values(row)
          .onConflict((taken) => taken.column('tenant_id').doUpdateSet(rules))
      : transaction
          .insertInto('folder_policies')
          .values({ ...row, folder })
          .onConflict((taken) => taken.columns(['tenant_id', 'folder']).doUpdateSet(rules))
  await insertion.execute()
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

/** Let a secret keep rules that it came out of. */
export async function keepRulesOf(
  transaction: Recorded,
  { id, kept }: { id: string; kept: PolicySetting },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const folder = keyPlace(id)
  await keepRules(transaction, { tenantId, folder }, { ...rowOf(kept), ...NO_LOOSENING })
  await notePlace(transaction, tenantId, { at: { folder }, touch: kept.touch })
  const target = { kind: 'tenant', id: tenantId, name: null } as const
  const data = { folder, ...changeData(kept) }
  transaction.record({ ...madeBy(stamp), action: 'tenant.policy_changed', target, data })
}

/** Give a bundle under its new name, or a duplicate, what the rules of its old place demanded. Otherwise another name
 * would be a way around them. */
export async function takeRules(
  transaction: Recorded,
  { id, from, to }: { id: string; from: { id: string; name: string }; to: ProductionFacts },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const { folders } = await rulesAbove(transaction, tenantId)
  const held = await rulesAt(transaction, tenantId, { bundleId: from.id })
  const [own = NO_RULES, ...sets] = await settingsIn(transaction, tenantId, [held, ...folders])
  const over = (name: string) => sets.filter((_, index) => isIn(folders[index]?.folder ?? '', name))
  const taken = rulesTaken(own, { left: over(from.name), entered: over(to.name) }, to)
  const added = RULES.filter((rule) => !isDeepStrictEqual(taken[rule], own[rule]))
  const isNew = id !== from.id
  if (isNew ? RULES.every((rule) => taken[rule] === null) : added.length === 0) return
  const rules = { ...rowOf(taken), ...NO_LOOSENING }
  await transaction
    .insertInto('bundle_policies')
    .values({ tenant_id: tenantId, bundle_id: id, ...rules })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'bundle_id']).doUpdateSet(rules))
    .execute()
  await noteBundle(transaction, tenantId, id)
  if (isNew) return
  const data = changeData(Object.fromEntries(added.map((rule) => [rule, taken[rule]])))
  transaction.record(bundleEvent({ id, name: to.name }, stamp, { action: 'bundle.policy_changed', data }))
}
