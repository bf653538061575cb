import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from '@keyferry/contract'
import {
  type BundlePolicyChange,
  isIn,
  isOver,
  keyAt,
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
import { type Event, type EventData, madeBy, ofTenant } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import { inChunks } from '../base/chunks.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { bundlesIn, deleteOf, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'
import { endGrants } from '../people/grant-ends.ts'
import { takeUnconfirmed } from '../people/groups.ts'
import { endInvitations } from '../people/invitations.ts'
import { lockTenant } from '../people/tenants.ts'
import {
  type FolderRules,
  linesAt,
  linesOf,
  placeOf,
  RULES,
  type RulesRow,
  ruledIn,
  ruledText,
  rulesAbove,
} from '../rules/set-rules.ts'
import { bundleEvent } from './bundle-changes.ts'
import { rowOf, rulesAt, settingOf, settingsIn } from './policies.ts'

export function policyRecords(transaction: Recorded): PolicyRecords {
  return { change: (at, change, stamp) => changeRules(transaction, { at, change }, stamp) }
}

/** The columns of changed rules. If people sign from now on, what lets others in without a signature ends. */
async function rulesAfter(
  transaction: Recorded,
  { locked, change, at }: { locked: RulesRow | null; change: PolicyChange; at: RulesAt },
  stamp: Stamp,
) {
  const { tenantId } = stamp
  const before = settingOf(locked)
  const after = changed(before, change)
  const { touch } = after
  if (touch !== before.touch && touch !== null && touch !== 'none') {
    await requireKeysOnly(transaction, tenantId, at)
    await endInvitations(transaction, stamp)
    await takeUnconfirmed(transaction, stamp)
  }
  const isFolder = at !== null && 'folder' in at
  const left = isFolder && locked === null ? await roomFor(transaction, tenantId, [at.folder]) : null
  await notePlaces(transaction, tenantId, linesAt(at, touch), left)
  return rowOf(after)
}

/** Note where rules are. The workspace is locked, so that none of two changes at once is lost.
 * @param left the lines that stay; null: all */
async function notePlaces(
  transaction: Query,
  tenantId: string,
  added: readonly string[],
  left: readonly string[] | null,
): Promise<void> {
  const ruled = await ruledIn(transaction, tenantId)
  const noted = ruledText([...(left ?? linesOf(ruled)), ...added])
  if (noted === ruled) return
  await transaction.updateTable('tenants').set({ ruled: noted }).where('id', '=', tenantId).execute()
}

/** Refuse more folders with rules than a workspace can have, or more keys that kept some. Those that set nothing any
 * more, and those of keys that are gone, make room first.
 * @returns the lines that stay
 * @throws DomainError conflict */
async function roomFor(transaction: Query, tenantId: string, added: readonly string[]): Promise<string[]> {
  const lines = linesOf(await ruledIn(transaction, tenantId))
  const isKept = keyAt(added[0] ?? '') !== null
  const [most, what, wayOut] = isKept
    ? [
        LIMITS.keptRules,
        'variables that left a bundle and kept some',
        'end them on the page Rules (PUT /api/v1/tenants/current/policy), or delete variables',
      ]
    : [LIMITS.ruledFolders, 'folders', 'end some first']
  const alike = lines.filter((line) => line.endsWith('/') && (keyAt(line) !== null) === isKept)
  const fresh = added.filter((folder) => !alike.includes(folder))
  if (alike.length + fresh.length <= most) return lines
  const { folders } = await rulesAbove(transaction, tenantId)
  const rows = await folders((folder) => alike.includes(folder))
  const keyIds = rows.flatMap(({ folder }) => keyAt(folder) ?? [])
  const keys = await inChunks(keyIds, (ids) =>
    selectOf(transaction, 'keys', tenantId).select('id').where('id', 'in', ids).execute(),
  )
  const known = new Set(keys.map(({ id }) => keyPlace(id)))
  const isUsed = (row: FolderRules) =>
    RULES.some((rule) => row[rule] !== null) && (!isKept || known.has(row.folder))
  const unused = rows.flatMap((row) => (isUsed(row) ? [] : [row.folder]))
  if (alike.length - unused.length + fresh.length > most)
    throw new DomainError('conflict', `a workspace has rules for at most ${most} ${what}: ${wayOut}`)
  for (const folder of unused) await deleteOf(transaction, 'policies', { tenantId, place: folder }).execute()
  return lines.filter((line) => !unused.includes(line))
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

async function changeRules(
  transaction: Recorded,
  { at, change }: { at: RulesAt; change: BundlePolicyChange },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  await lockTenant(transaction, tenantId)
  const bundle =
    at !== null && 'bundleId' in at ? await lockedBundle(transaction, tenantId, at.bundleId) : null
  const before = await rulesAt(transaction, tenantId, at)
  const { production } = bundle ?? {}
  requireExpected(change, { ...settingOf(before), ...(production && { production }) })
  if (bundle && change.production !== undefined && change.production !== production)
    await updateOf(transaction, 'bundles', { tenantId, id: bundle.id })
      .set({ production: change.production })
      .execute()
  const rules = await rulesAfter(transaction, { locked: before, change, at }, stamp)
  await keepRules(transaction, { tenantId, at }, rules)
  transaction.record(eventOf({ at, bundle }, change, stamp))
  await endGrants(transaction, { tenantId, ...at }, { reason: 'policy_changed', ...madeBy(stamp) })
}

// Locked until the transaction ends.
async function lockedBundle(transaction: Query, tenantId: string, id: string) {
  const locked = await updateOf(transaction, 'bundles', { tenantId, id })
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .returning(['id', 'name', 'production'])
    .executeTakeFirst()
  if (!locked) throw bundleNotFound()
  return locked
}

/** Store what a place sets. Without this row, a bundle is refused from now on. */
async function keepRules(
  transaction: Query,
  { tenantId, at }: { tenantId: string; at: RulesAt },
  rules: ReturnType<typeof rowOf>,
): Promise<void> {
  const { place, bundle_id } = placeOf(at)
  await transaction
    .insertInto('policies')
    .values({ tenant_id: tenantId, place, bundle_id, ...rules })
    .onConflict((taken) => taken.columns(['tenant_id', 'place']).doUpdateSet({ bundle_id, ...rules }))
    .execute()
  if (bundle_id === null) return
  const unnoted = updateOf(transaction, 'bundles', { tenantId, id: bundle_id }).where('ruled', 'is', null)
  await unnoted.set({ ruled: 1 }).execute()
}

type ChangedPlace = { at: RulesAt; bundle: { id: string; name: string } | null }

function eventOf({ at, bundle }: ChangedPlace, change: Partial<BundlePolicyChange>, stamp: Stamp): Event {
  const data = { ...(at !== null && 'folder' in at && at), ...changeData(change) }
  if (bundle) return bundleEvent(bundle, stamp, { action: 'bundle.policy_changed', data })
  return { ...madeBy(stamp), action: 'tenant.policy_changed', target: ofTenant(stamp.tenantId), data }
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

/** Let secrets keep rules that they came out of.
 * @throws DomainError conflict: too many keep rules */
export async function keepRulesOf(
  transaction: Recorded,
  leaving: readonly { id: string; kept: PolicySetting }[],
  stamp: Stamp,
): Promise<void> {
  if (leaving.length === 0) return
  const { tenantId } = stamp
  const places = leaving.map(({ id, kept }) => ({ at: { folder: keyPlace(id) }, kept }))
  const folders = places.map(({ at }) => at.folder)
  const left = await roomFor(transaction, tenantId, folders)
  for (const { at, kept } of places) {
    await keepRules(transaction, { tenantId, at }, rowOf(kept))
    transaction.record(eventOf({ at, bundle: null }, kept, stamp))
  }
  const lines = places.flatMap(({ at, kept }) => linesAt(at, kept.touch))
  await notePlaces(transaction, tenantId, lines, left)
}

/** Give a bundle under its new name, or a duplicate, what the rules of its old place demanded. Otherwise another name
 * would be a way around them. */
export async function takeRules(
  transaction: Recorded,
  { id, from, to }: { id: string; from: { id: string; name: string }; to: ProductionFacts },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const above = await rulesAbove(transaction, tenantId)
  const folders = await above.folders(isOver([from.name, to.name]))
  const locked = await rulesAt(transaction, tenantId, { bundleId: from.id })
  const rows = [above.workspace, locked, ...folders]
  const [workspace = NO_RULES, own = NO_RULES, ...sets] = await settingsIn(transaction, tenantId, rows)
  const over = (name: string) => sets.filter((_, index) => isIn(folders[index]?.folder ?? '', name))
  const taken = rulesTaken(own, { left: over(from.name), entered: over(to.name), workspace }, to)
  const added = RULES.filter((rule) => !isDeepStrictEqual(taken[rule], own[rule]))
  const isNew = id !== from.id
  if (isNew ? RULES.every((rule) => taken[rule] === null) : added.length === 0) return
  await keepRules(transaction, { tenantId, at: { bundleId: id } }, rowOf(taken))
  if (isNew) return
  const change = Object.fromEntries(added.map((rule) => [rule, taken[rule]]))
  const bundle = { id, name: to.name }
  transaction.record(eventOf({ at: { bundleId: id }, bundle }, change, stamp))
}
