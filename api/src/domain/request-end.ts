import type { WhyNotCode } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { DeliveryStore } from './delivery.ts'
import type { DepositStore } from './deposit-record.ts'
import { type EventStore, madeBy } from './event.ts'
import type { HeldDeliveryStore, HeldEnd } from './held-delivery.ts'
import type { Visitor } from './membership.ts'
import type { Origin } from './origin.ts'
import {
  alreadyApproved,
  type Claimant,
  findLive,
  findOwn,
  type RequestParts,
  requestNotFound,
  requireOpen,
} from './request.ts'
import { stampOf } from './stamp.ts'
import type { ApprovalRequest } from './stored-request.ts'
import { claimUnclaimed, voidUnclaimed } from './take-back.ts'

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
  const { request, status, whyDenied } = await findLive(parts, requestId)
  requireOpen(status, whyDenied)
  if (status === 'ready') throw alreadyApproved()
  const event = denialOf(request, caller, parts.clock)
  const { kind } = request
  await parts.stores.events.record({ ...event, action: `${kind}.denied` })
  const settled = await parts.requests.deny(request.id, parts.clock.now().getTime(), why)
  if (settled !== 'done') {
    await parts.stores.events.record({ ...event, action: `${kind}.void`, data: { reason: settled } })
  }
  requireOpen(settled)
  if (settled === 'ready') throw alreadyApproved()
  await endHeld(parts, request.id, { reason: 'denied', origin: caller.origin })
}

// Reads the request again: it may have been approved and held after it was read first.
async function endHeld(
  { requests, stores, clock }: RequestParts & Pick<EndParts, 'stores'>,
  requestId: string,
  end: Pick<HeldEnd, 'reason' | 'origin'>,
): Promise<void> {
  const ended = await requests.find(requestId, clock.now().getTime())
  const at = timestamp(clock)
  if (ended?.deposit) {
    const { id: depositId, tenant } = ended.deposit
    await stores.deposits.void(tenant.id, { ...end, depositId, at })
  }
  if (!ended?.approval) return
  const { tenant, deliveryId } = ended.approval
  await stores.heldDeliveries.end(tenant.id, { ...end, deliveryId, at })
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
  const { id, pollChallenge, deposit } = (await findOwn(parts, claimant)).request
  if (pollChallenge === null) throw requestNotFound()
  // An approved deposit is stored, whether its client has heard of it or not.
  const unclaimed = deposit ? null : await claimUnclaimed(parts, id)
  const settled = await parts.requests.withdraw(id, parts.clock.now().getTime())
  if (unclaimed) await voidUnclaimed(parts, unclaimed, { reason: 'withdrawn', origin })
  requireOpen(settled)
  if (settled !== 'done') throw deposit ? alreadyApproved() : requestNotFound()
  await endHeld(parts, id, { reason: 'withdrawn', origin })
}
