import { type BundlePolicy, isProduction, type TenantPolicy } from '@keyferry/contract'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import { type BundleStore, findBundle } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'
import type { RuleParts } from './approval-grounds.ts'
import type { EndParts } from './ending.ts'
import {
  type BundlePolicyChange,
  effectivePolicy,
  isAtLeast,
  type Loosening,
  NO_RULES,
  type PolicyChange,
  UNNAMED,
} from './policy.ts'
import { changingTouch, loosensFrom } from './set-touch.ts'
import type { SigningParts } from './signed-approval.ts'
import type { JoinedStores } from './together.ts'
import { namesTightened } from './value-rules.ts'

/* What owners set, for a bundle and for the workspace. Members read it; owners change it. */

export type PolicyParts = RuleParts &
  EndParts &
  SigningParts & {
    stores: { bundles: BundleStore }
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
  const [set, also, ofValues, loosening] = await Promise.all([
    policies.find(caller.tenantId, bundle.id),
    policies.sharing(caller.tenantId, bundle.id),
    policies.ofSharedValues(caller.tenantId, bundle.id, null),
    policies.loosening(caller.tenantId, bundle.id),
  ])
  const { assurance } = parts
  const effective = effectivePolicy(assurance, set, bundle)
  return {
    ...set,
    also: [...also],
    stricter: namesTightened(ofValues, effective),
    effective,
    server: { assurance },
    loosening: shownLoosening(loosening),
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
  const stamp = stampOf(caller, parts.clock)
  const changed = { ...(await withPeople(parts, caller, change)), production, bundleId }
  const setting = {
    touch: change.touch,
    change: (own: JoinedStores) => own.policies.changeBundle(changed, stamp),
  }
  await changingTouch(parts, caller, setting)
  return bundlePolicy(parts, caller, bundleId)
}

/** The rules of a bundle that sets none. */
export async function tenantPolicy(
  { stores, assurance, isLocal }: PolicyParts,
  { tenantId }: Caller,
): Promise<z.output<typeof TenantPolicy>> {
  const [workspace, loosening] = await Promise.all([
    stores.policies.findTenant(tenantId),
    stores.policies.loosening(tenantId, null),
  ])
  const effective = effectivePolicy(assurance, { workspace, bundle: NO_RULES }, UNNAMED)
  const isUnbound = !isAtLeast(effective.assurance, 'bound')
  const advice = isUnbound && !isLocal ? ['use_bound' as const] : []
  return { effective, workspace, server: { assurance }, loosening: shownLoosening(loosening), advice }
}

function shownLoosening(loosening: Loosening | null) {
  return loosening && { to: loosening.to, by: loosening.by, from: loosensFrom(loosening) }
}

/** @throws DomainError invalid (`named` without people, or a person who is no member) */
export async function changeTenantPolicy(
  parts: PolicyParts,
  caller: Caller,
  change: PolicyChange,
): Promise<z.output<typeof TenantPolicy>> {
  const changed = await withPeople(parts, caller, change)
  const stamp = stampOf(caller, parts.clock)
  const setting = {
    touch: change.touch,
    change: (own: JoinedStores) => own.policies.changeTenant(changed, stamp),
  }
  await changingTouch(parts, caller, setting)
  return tenantPolicy(parts, caller)
}

// Names belong to `named` only: another choice removes them.
async function withPeople(
  { stores: { memberships } }: Pick<PolicyParts, 'stores'>,
  { tenantId }: Caller,
  change: PolicyChange,
): Promise<PolicyChange> {
  const { approvers, people } = change
  if (approvers === undefined && people === undefined) return change
  if (approvers === undefined) throw peopleInvalid('people come with the approvers "named"')
  if (approvers !== 'named') return { ...change, people: null }
  if (people == null) throw peopleInvalid('people must name who may approve')
  const members = new Set((await memberships.listActive(tenantId)).map(({ userId }) => userId))
  const strangers = people.filter((id) => !members.has(id))
  if (strangers.length > 0) throw peopleInvalid('people must be active members of the workspace', strangers)
  return { ...change, people: [...new Set(people)].toSorted() }
}

function peopleInvalid(message: string, ids?: readonly string[]): DomainError {
  return new DomainError('invalid', message, { details: { field: 'people', ...(ids ? { ids } : {}) } })
}
