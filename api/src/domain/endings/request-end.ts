import type { WhyNotCode } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import type { HeldDeliveryStore } from '../approvals/held-delivery.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { type EventStore, madeBy } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import { stampOf } from '../base/stamp.ts'
import type { DeliveryStore } from '../deliveries/delivery.ts'
import type { DepositStore } from '../kinds/deposit-record.ts'
import type { Visitor } from '../people/membership.ts'
import {
  alreadyApproved,
  type Claimant,
  changeRequest,
  findOpen,
  findOwn,
  type RequestParts,
  requestNotFound,
  requireOpen,
} from '../requests/request.ts'
import { denyStep, type Ending, withdrawStep } from '../requests/request-steps.ts'
import type { Missing, Step } from '../requests/request-store.ts'
import type { ApprovalRequest, StoredRequest } from '../requests/stored-request.ts'
import { voidUnclaimed } from './take-back.ts'

/*
 * How a request ends before its values are delivered: a person denies it, or its client withdraws it.
 */

type EndParts = RequestParts & {
  stores: {
    events: EventStore
    deliveries: DeliveryStore
    deposits: DepositStore
    heldDeliveries: HeldDeliveryStore
  }
}

/** Deny a pending or held request, so that nothing is delivered. `why`: why no one can approve it, for its client.
 * @throws DomainError not_found · request_denied (already) · request_withdrawn · request_expired
 *   · conflict (approved already) */
export async function deny(
  parts: EndParts,
  caller: Visitor,
  { requestId, why }: { requestId: string; why?: WhyNotCode | undefined },
): Promise<void> {
  const { request, status } = await findOpen(parts, requestId)
  if (status !== 'pending' && status !== 'held') throw alreadyApproved()
  const event = denialOf(request, caller, parts.clock)
  const { kind } = request
  await parts.stores.events.record({ ...event, action: `${kind}.denied` })
  const ending = await endNow(parts, request.id, (stored) => denyStep(stored, why ?? null))
  if ('before' in ending)
    return await endApproved(parts, ending.before, { reason: 'denied', origin: caller.origin })
  const reason = ending.refused === 'unknown' || ending.refused === 'expired' ? 'gone' : ending.refused
  await parts.stores.events.record({ ...event, action: `${kind}.void`, data: { reason } })
  requireOpen(ending.refused)
  throw alreadyApproved()
}

async function endNow(
  parts: RequestParts,
  requestId: string,
  step: Step<Ending>,
): Promise<Ending | { refused: Missing }> {
  const ending = await changeRequest(parts, requestId, step)
  return typeof ending === 'string' ? { refused: ending } : ending
}

// What a client has claimed may have arrived, so its record stays.
async function endApproved(
  parts: EndParts,
  { status, approved }: StoredRequest,
  why: { reason: 'denied' | 'withdrawn'; origin: Origin | null },
): Promise<void> {
  if (approved === null || status === 'claimed') return
  const { deposits, heldDeliveries } = parts.stores
  const end = { ...why, at: timestamp(parts.clock) }
  const tenantId = approved.tenant.id
  if (approved.kind === 'deposit') await deposits.void(tenantId, { ...end, depositId: approved.depositId })
  if (approved.kind !== 'delivery') return
  if (status === 'ready') await voidUnclaimed(parts, approved, why)
  else await heldDeliveries.end(tenantId, { ...end, deliveryId: approved.deliveryId })
}

// The event names a hash of the request's id, because the id lets its holder act on the request.
function denialOf(request: ApprovalRequest, caller: Visitor, clock: ClockAndIds) {
  const { actor, at, origin } = madeBy(stampOf(caller, clock))
  return {
    tenantId: caller.tenantId,
    target: { kind: 'request', id: hashToken(request.id), name: null },
    actor,
    at,
    origin: { ...origin, requester_ip: request.requesterMeta.ip },
  } as const
}

/** Withdraw a pending, held or approved request, so that it cannot be approved or fetched. Only the client that asked may do
 * this. A request made without a challenge cannot be withdrawn, because no client can prove that it made the request.
 * @throws DomainError not_found · request_denied (already) · request_expired · conflict (a deposit that was approved) */
export async function withdrawRequest(parts: EndParts, claimant: Claimant, origin: Origin): Promise<void> {
  const { id, pollChallenge } = (await findOwn(parts, claimant)).request
  if (pollChallenge === null) throw requestNotFound()
  const ending = await endNow(parts, id, withdrawStep)
  if ('before' in ending) return await endApproved(parts, ending.before, { reason: 'withdrawn', origin })
  requireOpen(ending.refused)
  throw alreadyApproved()
}
