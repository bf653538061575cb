import type { WhyNotCode } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { type EndParts, endApproval } from '../approvals/ending.ts'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { madeBy } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import { stampOf } from '../base/stamp.ts'
import type { Visitor } from '../people/membership.ts'
import {
  alreadyApproved,
  type Claimant,
  changeRequest,
  findOpen,
  findOwn,
  type OpenRequest,
  type RequestParts,
  requestNotFound,
  requireInside,
  requireOpen,
} from '../requests/request.ts'
import { denyStep, type Ending, withdrawStep } from '../requests/request-steps.ts'
import type { Step } from '../requests/request-store.ts'

/*
 * How a request ends before its values are delivered: a person denies it, or its client withdraws it.
 */

/** Deny a pending or held request, so that nothing is delivered. `why`: why no one can approve it, for its client.
 * @throws DomainError not_found · request_denied (already) · request_withdrawn · request_expired
 *   · conflict (approved already) · forbidden (a person vouched, and people of their workspace decide) */
export async function deny(
  parts: RequestParts & EndParts,
  caller: Visitor,
  { requestId, why }: { requestId: string; why?: WhyNotCode | undefined },
): Promise<void> {
  const open = await findOpen(parts, requestId)
  const { request, status } = open
  if (status !== 'pending' && status !== 'held') throw alreadyApproved()
  requireInside(open, caller)
  const event = denialOf(open, caller, parts.clock)
  const { kind } = request
  await parts.stores.events.record({ ...event, action: `${kind}.denied` })
  const ending = await endNow(parts, request.id, (stored) =>
    denyStep(stored, { why: why ?? null, by: caller }),
  )
  if ('before' in ending)
    return await endApproval(parts, ending.before, { reason: 'denied', origin: caller.origin })
  const reason = ending.refused === 'unknown' || ending.refused === 'expired' ? 'gone' : ending.refused
  await parts.stores.events.record({ ...event, action: `${kind}.void`, data: { reason } })
  requireOpen(ending.refused)
  throw alreadyApproved()
}

async function endNow(parts: RequestParts, requestId: string, step: Step<Ending>) {
  const ending = await changeRequest(parts, requestId, step)
  return typeof ending === 'string' ? { refused: ending } : ending
}

// The event names a hash of the request's id, because the id lets its holder act on the request.
function denialOf({ request, ...backing }: OpenRequest, caller: Visitor, clock: ClockAndIds) {
  return {
    ...madeBy(stampOf(caller, clock)),
    target: { kind: 'request', id: hashToken(request.id), name: null },
    data: bundleIn(backing, caller),
    origin: { ...caller.origin, requester_ip: request.requesterMeta.ip },
  } as const
}

// The bundle that a person of this workspace chose.
function bundleIn({ first, vouch }: Pick<OpenRequest, 'first' | 'vouch'>, { tenantId }: Visitor) {
  const chosen = first ?? vouch
  if (chosen?.tenantId !== tenantId) return {}
  return { bundle: { id: chosen.bundleId, name: chosen.bundleName } }
}

/** Withdraw a pending, held or approved request, so that it cannot be approved or fetched. Only the client that asked
 * may do this. A request made without a challenge cannot be withdrawn, because no client can prove that it made the
 * request.
 * @throws DomainError not_found · request_denied (already) · request_expired · conflict (an approved deposit) */
export async function withdrawRequest(
  parts: RequestParts & EndParts,
  claimant: Claimant,
  origin: Origin,
): Promise<void> {
  const { id, pollChallenge } = (await findOwn(parts, claimant)).request
  if (pollChallenge === null) throw requestNotFound()
  const ending = await endNow(parts, id, withdrawStep)
  if ('before' in ending) return await endApproval(parts, ending.before, { reason: 'withdrawn', origin })
  requireOpen(ending.refused)
  throw alreadyApproved()
}
