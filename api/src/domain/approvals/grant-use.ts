import { ASKS_AGAIN, isProduction } from '@keyferry/contract'
import { type ClockAndIds, latestEnd, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import type { DeliveredKey } from '../deliveries/delivery.ts'
import { bundleEntries } from '../library/bundle-entry.ts'
import { type Caller, roleAt } from '../people/membership.ts'
import { reaches } from '../people/reach.ts'
import { changeRequest, type RequestParts } from '../requests/request.ts'
import { approveStep } from '../requests/request-steps.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import type { RuleParts } from './approval-grounds.ts'
import { type GrantStore, type KnownGrant, lengthSeconds, namesDigest, usesLeft } from './grant.ts'
import { type GrantMismatch, mismatch } from './grant-match.ts'
import { effectivePolicy, mayApprove, tightened } from './policy.ts'
import { requestOrigin } from './request-delivery.ts'
import { prepareDelivery, type SealingParts } from './sealed-delivery.ts'
import type { Together } from './together.ts'
import { rulesOfValues } from './value-rules.ts'

/*
 * The use of a remembered approval. Everything that the approval rested on is checked again: the terminal's key, the
 * command, the names, the person's membership and role, the rules, and the time. Anything different asks a person
 * again and says why.
 */

export type GrantUseParts = RequestParts &
  SealingParts &
  RuleParts & { together: Together; stores: { grants: GrantStore } }

type GrantRefusal = (typeof ASKS_AGAIN)[number]

export type GrantUse = {
  remembered: { grant_id: string; expires_at: string; uses_left: number; task?: true }
}

/** Answer a new request by a remembered approval, if one is valid for it.
 * @returns what was used; or why a person has to approve; or null: nothing is remembered for the terminal */
export async function useGrant(
  parts: GrantUseParts,
  request: ApprovalRequest,
  origin: Origin,
): Promise<GrantUse | GrantMismatch | null> {
  if (request.deviceKey === null) return null
  const grants = (await parts.stores.grants.ofDevice(request.deviceKey)).filter((grant) =>
    isRequested(grant, request),
  )
  const reasons: GrantMismatch[] = []
  for (const grant of grants) {
    const differs = mismatch(grant, request)
    const used = differs === null ? await tryGrant(parts, grant, { request, origin }) : null
    if (used !== null && typeof used !== 'string') return used
    reasons.push(differs ?? { asks_again: used ?? 'revoked' })
  }
  return (
    reasons.toSorted((a, b) => ASKS_AGAIN.indexOf(a.asks_again) - ASKS_AGAIN.indexOf(b.asks_again))[0] ?? null
  )
}

/** Answer waiting requests by a remembered approval, one after another. A request that has ended or was approved in the
 * meantime stays as it is. */
export async function useGrantFor(parts: GrantUseParts, requests: readonly ApprovalRequest[]): Promise<void> {
  for (const request of requests) {
    try {
      await useGrant(parts, request, requestOrigin(request))
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'unavailable') throw error
    }
  }
}

function isRequested(
  { bundle, tenant }: KnownGrant,
  { suggestedBundle, suggestedWorkspace }: ApprovalRequest,
) {
  const isTenant = suggestedWorkspace === null || [tenant.id, tenant.name].includes(suggestedWorkspace)
  return isTenant && suggestedBundle !== null && [bundle.id, bundle.name].includes(suggestedBundle)
}

type Use = { request: ApprovalRequest; origin: Origin }

async function tryGrant(parts: GrantUseParts, grant: KnownGrant, use: Use): Promise<GrantRefusal | GrantUse> {
  const reason = endOf(grant, parts.clock) ?? (await changeSince(parts, grant))
  if (reason !== null) return reason
  try {
    return await sealByGrant(parts, grant, use)
  } catch (error) {
    // The names were there a moment ago: another call changed the bundle.
    if (error instanceof DomainError && (error.code === 'invalid' || error.code === 'too_large'))
      return 'bundle_changed'
    throw error
  }
}

function endOf(grant: KnownGrant, clock: ClockAndIds): GrantRefusal | null {
  if (grant.ended !== null) return grant.ended
  const { expiresAt } = grant
  if (expiresAt <= timestamp(clock) || expiresAt > latestEnd(clock, lengthSeconds(grant))) return 'expired'
  return usesLeft(grant) === 0 ? 'used_up' : null
}

// What the approval rested on, as it is now.
async function changeSince(
  { stores, assurance }: GrantUseParts,
  { tenant, bundle, userId, ...grant }: KnownGrant,
): Promise<GrantRefusal | null> {
  const role = await roleAt(stores.memberships, { userId, tenantId: tenant.id }, bundle.name)
  if (role === null) return 'person_removed'
  const place = { tenantId: tenant.id, bundleId: bundle.id }
  const set = await stores.policies.find(tenant.id, bundle.id)
  const own = effectivePolicy(assurance, set, bundle)
  const policy = tightened(own, await rulesOfValues(stores, place, grant.keys, set))
  if (!mayApprove(policy, { userId, role })) return policy.people === null ? 'role_changed' : 'policy_changed'
  if (policy.approvals_needed > 1 || grant.hours > policy.remember_hours) return 'policy_changed'
  if (grant.agent !== null && policy.agents !== 'remember') return 'policy_changed'
  const { repository, once, task } = grant.use ?? {}
  if ((repository !== undefined || once) && isProduction(bundle)) return 'policy_changed'
  if (task && policy.tasks !== 'allow') return 'policy_changed'
  if ((once || task?.versions) && policy.assurance === 'local') return 'policy_changed'
  const entries = await bundleEntries(stores, place, 'none')
  return isSameBundle(grant, entries) ? null : 'bundle_changed'
}

function isSameBundle(
  { keys, leftOut, asked, bundleNames }: Pick<KnownGrant, 'keys' | 'leftOut' | 'asked' | 'bundleNames'>,
  entries: readonly { name: string; required: boolean }[],
): boolean {
  const names = entries.map(({ name }) => name)
  const known = new Set([...keys, ...leftOut])
  const isAllThere = keys.every((name) => names.includes(name))
  const isNothingNew = entries.every(({ name, required }) => !required || known.has(name))
  return isAllThere && isNothingNew && (asked.length > 0 || namesDigest(names) === bundleNames)
}

// A command of a task may ask for fewer names than were approved.
function namesFor({ keys, use }: KnownGrant, { templateKeys }: ApprovalRequest): readonly string[] {
  return use?.task && templateKeys.length > 0 ? keys.filter((name) => templateKeys.includes(name)) : keys
}

/** Undoes the use of a grant. */
class NotUsed extends Error {
  readonly why: GrantRefusal

  constructor(why: GrantRefusal) {
    super(why)
    this.why = why
  }
}

async function sealByGrant(parts: GrantUseParts, grant: KnownGrant, { request, origin }: Use) {
  const { id, tenant, bundle, userId, use } = grant
  const caller: Caller = { userId, tenantId: tenant.id, role: 'member', reach: null, origin }
  const toSeal = {
    caller,
    bundle,
    request,
    names: namesFor(grant, request),
    hold: null,
    first: null,
    grantId: id,
    expiresAtMs: request.expiresAtMs,
  }
  const { delivery, sealed } = await prepareDelivery(parts, toSeal)
  const given = use?.task?.versions
  const isOther = ({ id: key, version }: DeliveredKey) => given?.[key] !== version
  if (given && (delivery.unversioned.length > 0 || delivery.keys.some(isOther))) return 'bundle_changed'
  // A value may have come under other rules before it was read.
  const changed = await changeSince(parts, grant)
  if (changed !== null) return changed
  const step = { ...sealed, seen: { first: null, vouch: null }, hold: null }
  try {
    await parts.together(async (own) => {
      const member = await own.lockMember(caller, false)
      if (member === null || !reaches(member.reach, bundle.name)) throw new NotUsed('person_removed')
      const joined = { ...parts, requests: own.requests }
      const [, isUsed] = await Promise.all([
        changeRequest(joined, request.id, (stored) => approveStep(stored, step)),
        own.grants.use(tenant.id, id, delivery),
      ])
      if (!isUsed) throw new NotUsed('revoked')
    })
  } catch (error) {
    if (error instanceof NotUsed) return error.why
    throw error
  }
  const uses_left = usesLeft({ uses: grant.uses + 1 })
  const remembered = { grant_id: id, expires_at: grant.expiresAt, uses_left }
  return { remembered: { ...remembered, ...(use?.task ? { task: true as const } : {}) } }
}
