import { LIMITS, type Release, type ReleaseWay, type VouchRequest } from '@keyferry/contract'
import type { z } from 'zod'
import { groundsOf, otherApprovers } from '../approvals/approval-grounds.ts'
import {
  DELIVERY_REFUSALS,
  type Grounds,
  mayAskOthers,
  refusalOf,
  refused,
  releaseRequired,
  waysOf,
} from '../approvals/approval-rules.ts'
import { findPending } from '../approvals/decision.ts'
import { isSameCommand, openFrom, openVouches } from '../approvals/open-vouches.ts'
import type { AuditStore } from '../audit/audit.ts'
import { isSameNetwork } from '../base/address-block.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Event, madeBy } from '../base/event.ts'
import { stampOf } from '../base/stamp.ts'
import { heldNames } from '../deliveries/sealed-values.ts'
import { type Bundle, findBundle } from '../library/bundle.ts'
import { type Caller, requireMember } from '../people/membership.ts'
import { findSelf } from '../people/tenant.ts'
import { newHold } from '../requests/release-hold.ts'
import { changeRequest, requireInside, requireOpen } from '../requests/request.ts'
import { vouchStep } from '../requests/request-steps.ts'
import type { ApprovalRequest, Vouch } from '../requests/stored-request.ts'
import { type ApprovalParts, judgedDelivery, placeOf, requireDelivery } from './request-approval.ts'

/*
 * Where the rules let only others approve, the person who ran the command vouches for it: this is my terminal. The
 * vouch returns to that terminal as an approval does, so it cannot be given for another person's. It approves nothing.
 * The others then decide without a code, for the same bundle and the same or fewer names: see `groundsOf`.
 */

export type VouchParts = ApprovalParts & { stores: { audit: AuditStore } }

/** Earlier vouches of a person that are looked at. */
const KNOWN = 100

type Asked = { requestId: string; choice: z.output<typeof VouchRequest> }

type Vouched = { approved: { ok: true; release: z.output<typeof Release> }; request: ApprovalRequest }

/** Say that a request is of the caller's own terminal, and ask those who may approve it.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved or
 *   vouched for already, another kind, or the caller may approve it) · invalid (a name that the bundle does not hold) ·
 *   release_required · owner_approves · named_approves · agents_denied · second_person · too_many · forbidden */
export async function vouch(
  parts: VouchParts,
  caller: Caller,
  { requestId, choice }: Asked,
): Promise<Vouched> {
  const stored = await findPending(parts, requestId)
  requireInside(stored, caller)
  requireDelivery(stored.request)
  const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
  const keys = await heldNames(parts.stores, placeOf(bundle), choice.include_keys)
  const grounds = await groundsOf(parts, { caller, stored }, judgedDelivery(parts, bundle, keys))
  const deciders = await requireDeciders(parts, grounds)
  if (!waysOf(grounds).includes(choice.release)) throw refused(releaseRequired(grounds.policy))
  const { hold, release } = newHold(parts.clock, stored, choice.release)
  const given = await newVouch(parts, caller, { bundle, keys, deciders })
  const step = { vouch: given, hold }
  await requireRoom(parts, caller, stored.request)
  await parts.together(async (own) => {
    const joined = { ...parts, requests: own.requests }
    requireMember(await own.holdMember(caller, true), caller)
    await requireOwnRoom(joined, caller, stored.request)
    const outcome = await changeRequest(joined, requestId, (now) => vouchStep(now, step))
    if (outcome !== 'done') {
      requireOpen(outcome)
      throw new DomainError('conflict', 'Another person decides this request already. Load the page again.')
    }
    await own.events.record(vouchedEvent(parts, caller, given, choice.release))
  })
  return { approved: { ok: true, release }, request: stored.request }
}

async function requireDeciders({ stores }: VouchParts, grounds: Grounds): Promise<Vouch['deciders']> {
  const refusal = refusalOf(DELIVERY_REFUSALS, grounds)
  if (refusal === null) throw new DomainError('conflict', 'You may approve this request yourself')
  const others = await otherApprovers(stores.memberships, grounds.caller, grounds.policy)
  if (!mayAskOthers(grounds, others)) throw refused(refusal)
  return { who: refusal.code === 'named_approves' ? 'named' : 'owner', count: others.length }
}

// So that nobody hides a request among many.
async function requireRoom(
  parts: VouchParts,
  { tenantId, userId: by }: Caller,
  request: ApprovalRequest,
): Promise<void> {
  const open = await openVouches(parts, tenantId)
  const others = open.filter(
    (other) => other.request.id !== request.id && !isSameCommand(other, { request, by }),
  )
  if (others.length >= LIMITS.vouchesOfWorkspace) throw tooManyWait()
}

// A new one for the same command takes the place of the old.
async function requireOwnRoom(
  parts: Parameters<typeof openFrom>[0],
  caller: Caller,
  request: ApprovalRequest,
): Promise<void> {
  const own = (await openFrom(parts, caller)).flatMap((stored) => {
    const { vouch: other } = stored
    return other?.approverId === caller.userId ? [{ ...stored, vouch: other }] : []
  })
  const ofThis = { request, by: caller.userId }
  const others = own.filter((other) => other.request.id !== request.id && !isSameCommand(other, ofThis))
  if (others.length >= LIMITS.vouchesOfPerson) throw tooManyWait()
}

const tooManyWait = () =>
  new DomainError('too_many', 'Too many requests wait for others already: withdraw one, or try again later')

type Vouching = { bundle: Bundle; keys: string[]; deciders: Vouch['deciders'] }

async function newVouch(parts: VouchParts, caller: Caller, { bundle, keys, deciders }: Vouching) {
  const { username } = await findSelf(parts.stores.tenants, caller)
  return {
    id: parts.clock.newId(),
    approverId: caller.userId,
    username,
    ...placeOf(bundle),
    bundleName: bundle.name,
    keys,
    at: timestamp(parts.clock),
    returned: null,
    deciders,
    isNewNetwork: await isNewNetwork(parts, caller),
  }
}

async function isNewNetwork({ stores }: VouchParts, { tenantId, userId, origin }: Caller): Promise<boolean> {
  const earlier = { actor: userId, action: 'request.vouched' }
  const { entries } = await stores.audit.list(tenantId, earlier, { limit: KNOWN, offset: 0 })
  return !entries.some((entry) => isSameNetwork(entry.origin?.['ip'] ?? '', origin?.ip ?? '') === true)
}

function vouchedEvent(
  { clock }: VouchParts,
  caller: Caller,
  { bundleId: id, bundleName: name, keys }: Vouch,
  release: ReleaseWay,
): Event {
  return {
    action: 'request.vouched',
    target: { kind: 'bundle', id, name },
    data: { names: keys, release },
    ...madeBy(stampOf(caller, clock)),
  }
}
