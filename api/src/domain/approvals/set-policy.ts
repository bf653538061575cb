import { type BundlePolicy, isProduction, type TenantPolicy } from '@keyferry/contract'
import { compareEnvironments, environmentOf } from '@keyferry/contract/siblings'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type BundleStore, findBundle } from '../library/bundle.ts'
import type { GroupStore } from '../people/group.ts'
import type { Caller } from '../people/membership.ts'
import type { RuleParts } from './approval-grounds.ts'
import type { EndParts } from './ending.ts'
import {
  type AllPolicies,
  type BundlePolicyChange,
  effectivePolicy,
  isAtLeast,
  isOver,
  keyAt,
  limitBy,
  NO_RULES,
  type PolicyChange,
  type PolicySetting,
  type ProductionFacts,
  policiesFor,
  type SetPolicies,
  UNNAMED,
} from './policy.ts'
import { changeRules } from './set-touch.ts'
import type { SigningParts } from './signed-approval.ts'
import { namesTightened } from './value-rules.ts'

/* What owners set, for a bundle and for the workspace. Members read it; owners change it. */

export type PolicyParts = RuleParts &
  EndParts &
  SigningParts & {
    stores: { bundles: BundleStore; groups: Pick<GroupStore, 'list'> }
    clock: ClockAndIds
    /** The server serves one person on this machine. */
    isLocal: boolean
  }

/** A bundle's rules, and where each comes from.
 * @throws DomainError not_found */
export async function bundlePolicy(
  parts: PolicyParts,
  caller: Caller,
  bundleId: string,
): Promise<z.output<typeof BundlePolicy>> {
  const bundle = await findBundle(parts.stores.bundles, caller, bundleId)
  const { policies } = parts.stores
  const [set, ofValues] = await Promise.all([
    policies.find(caller.tenantId, bundle.id),
    policies.ofSharedValues(caller.tenantId, bundle.id, null),
  ])
  // Not in parallel with the others: each takes long.
  const also = await policies.sharing(caller.tenantId, bundle.id)
  const { assurance } = parts
  const effective = effectivePolicy(assurance, set, bundle)
  return {
    workspace: shownSetting(set.workspace),
    bundle: shownSetting(set.bundle),
    also: [...also],
    stricter: namesTightened(ofValues, effective),
    effective,
    server: { assurance },
    production: bundle.production,
    is_production: isProduction(bundle),
  }
}

/** @throws DomainError not_found · invalid (`named` without people, or a person who is no member) */
export async function changeBundlePolicy(
  parts: PolicyParts,
  caller: Caller,
  { bundleId, change: { production, ...change } }: { bundleId: string; change: BundlePolicyChange },
): Promise<z.output<typeof BundlePolicy>> {
  const changed = { ...(await withPeople(parts, caller, change)), production }
  await changeRules(parts, caller, { at: { bundleId }, change: changed })
  return bundlePolicy(parts, caller, bundleId)
}

/** The rules of a bundle that sets none and is in no folder. */
export async function tenantPolicy(
  { stores, assurance, isLocal }: PolicyParts,
  { tenantId }: Caller,
): Promise<z.output<typeof TenantPolicy>> {
  const workspace = await stores.policies.findTenant(tenantId)
  const effective = effectivePolicy(assurance, { workspace, folders: [], bundle: NO_RULES }, UNNAMED)
  const isUnbound = !isAtLeast(effective.assurance, 'bound')
  const advice = isUnbound && !isLocal ? ['use_bound' as const] : []
  return { effective, workspace: shownSetting(workspace), server: { assurance }, advice }
}

type AskedPlace = { bundleId?: string | undefined; folder?: string | undefined }

const PLACES_AT_ONCE = 200

/** Every place of a workspace that sets rules, every environment, and the place that is asked for, some at a time. */
export async function* rulesPlaces(
  { stores: { policies }, assurance }: PolicyParts,
  { tenantId, reach }: Caller,
  { bundleId, folder: asked }: AskedPlace,
): AsyncGenerator<NonNullable<z.output<typeof TenantPolicy>['places']>> {
  const [all, bundles] = await Promise.all([policies.findPlaces(tenantId), policies.bundles(tenantId)])
  const environments = bundles.flatMap(({ name }) => environmentOf(name) || [])
  const folders = new Set([
    ...[...all.folders].flatMap(([folder, set]) => (setsAny(set) ? [folder] : [])),
    ...environments.map((name) => `${name}/`),
    ...(asked ? [asked] : []),
  ])
  const kept = await policies.keyNames(
    tenantId,
    [...all.folders.keys()].flatMap((at) => keyAt(at) ?? []),
  )
  // A limited member sees the folders of what they see.
  const isOverSome = isOver(bundles.map(({ name }) => name))
  const isSeen = (folder: string) =>
    (reach === null || isOverSome(folder)) && (keyAt(folder) === null || kept.has(keyAt(folder) ?? ''))
  const places: RulingPlace[] = [
    { folder: null, bundle: null, named: UNNAMED },
    ...[...folders]
      .filter(isSeen)
      .toSorted(compareEnvironments)
      .map((folder) => ({ folder, bundle: null, named: { ...UNNAMED, name: folder } })),
    ...bundles
      .filter(({ id }) => setsAny(all.bundles.get(id)) || id === bundleId)
      .map(({ id, ...named }) => ({ folder: null, bundle: { id, name: named.name }, named })),
  ]
  const shownPlace = (place: RulingPlace) => {
    const { folder, bundle, named } = place
    const [set, above] = setAt(all, place)
    const found = policiesFor(all, { id: bundle?.id ?? null, name: named.name })
    return {
      folder,
      variable: kept.get(keyAt(folder) ?? '') ?? null,
      bundle,
      set: shownSetting(set),
      production: named.production,
      limit: limitBy(assurance, above),
      above: effectivePolicy(assurance, above, named),
      effective: effectivePolicy(assurance, found, named),
      is_production: isProduction(named),
    }
  }
  for (let from = 0; from < places.length; from += PLACES_AT_ONCE)
    yield places.slice(from, from + PLACES_AT_ONCE).map(shownPlace)
}

function setsAny(set: PolicySetting | undefined): boolean {
  return set !== undefined && Object.values(set).some((rule) => rule !== null)
}

type RulingPlace = {
  folder: string | null
  bundle: { id: string; name: string } | null
  named: ProductionFacts
}

/** What a place sets, and what counts there without it. */
function setAt(
  all: AllPolicies,
  { folder, bundle, named: { name } }: RulingPlace,
): [PolicySetting, SetPolicies] {
  if (bundle) return [all.bundles.get(bundle.id) ?? NO_RULES, policiesFor(all, { id: null, name })]
  if (folder === null)
    return [all.workspace, policiesFor({ ...all, workspace: NO_RULES }, { id: null, name })]
  const others = new Map([...all.folders].filter(([other]) => other !== folder))
  return [all.folders.get(folder) ?? NO_RULES, policiesFor({ ...all, folders: others }, { id: null, name })]
}

function shownSetting(setting: PolicySetting) {
  const { named: _, ...set } = setting
  return set
}

/** @throws DomainError invalid (`named` without people, or a person who is no member) */
export async function changeTenantPolicy(
  parts: PolicyParts,
  caller: Caller,
  { folder, change }: { folder: string | null; change: PolicyChange },
): Promise<z.output<typeof TenantPolicy>> {
  const at = folder === null ? null : { folder }
  await changeRules(parts, caller, { at, change: await withPeople(parts, caller, change) })
  return tenantPolicy(parts, caller)
}

// Names belong to `named` only: another choice removes them.
async function withPeople(
  { stores: { memberships, groups } }: Pick<PolicyParts, 'stores'>,
  { tenantId }: Caller,
  change: PolicyChange,
): Promise<PolicyChange> {
  const { approvers, people } = change
  if (approvers === undefined && people === undefined) return change
  if (approvers === undefined) throw peopleInvalid('people come with the approvers "named"')
  if (approvers !== 'named') return { ...change, people: null }
  if (people == null) throw peopleInvalid('people must name who may approve')
  const members = (await memberships.listActive(tenantId)).map(({ userId }) => userId)
  const known = new Set([...members, ...(await groups.list(tenantId)).map(({ id }) => id)])
  const strangers = people.filter((id) => !known.has(id))
  if (strangers.length > 0)
    throw peopleInvalid('people must be active members or groups of the workspace', strangers)
  return { ...change, people: [...new Set(people)].toSorted() }
}

function peopleInvalid(message: string, ids?: readonly string[]): DomainError {
  return new DomainError('invalid', message, { details: { field: 'people', ...(ids ? { ids } : {}) } })
}
