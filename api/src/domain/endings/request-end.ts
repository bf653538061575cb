import type { DenialReason } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { type EndParts, endApproval } from '../approvals/ending.ts'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { madeBy } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import { stampOf } from '../base/stamp.ts'
import type { Visitor } from '../people/membership.ts'
import {
  type Claimant,
  changeRequest,
  findOwn,
  type RequestParts,
  requestNotFound,
} from '../requests/request.ts'
import { denyStep, withdrawStep } from '../requests/request-steps.ts'
import type { StoredRequest } from '../requests/stored-request.ts'

/*
 * How a request ends before its values are delivered: a person denies it, or its client withdraws it. The record of
 * its approval ends in the same transaction.
 */

/** Deny an open or held request, so that nothing is delivered. `why`: why no one can approve it, for its client.
 * @throws DomainError not_found · request_denied (already) · request_withdrawn · request_expired
 *   · conflict (approved already) · forbidden (a person vouched, and people of their workspace decide) */
export async function deny(
  parts: RequestParts & EndParts,
  caller: Visitor,
  { requestId, why = null }: { requestId: string; why?: DenialReason | null | undefined },
): Promise<void> {
  await parts.together(async (own) => {
    const denying = { why, by: caller }
    const stored = await changeRequest({ ...parts, ...own }, requestId, (now) => denyStep(now, denying))
    await own.events.record(denialOf(stored, caller, parts.clock))
    await endApproval(own, parts, { stored, reason: 'denied', origin: caller.origin })
  })
}

// The event names a hash of the request's id, because the id lets its holder act on the request.
function denialOf(stored: StoredRequest, caller: Visitor, clock: ClockAndIds) {
  const { id, kind, requesterMeta } = stored.request
  return {
    ...madeBy(stampOf(caller, clock)),
    action: `${kind}.denied`,
    target: { kind: 'request', id: hashToken(id), name: null },
    data: bundleIn(stored, caller),
    origin: { ...caller.origin, requester_ip: requesterMeta.ip },
  } as const
}

// The bundle that a person of this workspace chose.
function bundleIn({ first, vouch }: Pick<StoredRequest, 'first' | 'vouch'>, { tenantId }: Visitor) {
  const chosen = first ?? vouch
  if (chosen?.tenantId !== tenantId) return {}
  return { bundle: { id: chosen.bundleId, name: chosen.bundleName } }
}

/** Withdraw a request, so that it cannot be approved or fetched. Only the client that asked may do this. A request made
 * without a challenge cannot be withdrawn, because no client can prove that it made the request.
 * @throws DomainError not_found · request_denied (already) · request_expired · conflict (a stored deposit) */
export async function withdrawRequest(
  parts: RequestParts & EndParts,
  claimant: Claimant,
  origin: Origin,
): Promise<void> {
  const { id, pollChallenge } = (await findOwn(parts, claimant)).request
  if (pollChallenge === null) throw requestNotFound()
  await parts.together(async (own) => {
    const stored = await changeRequest({ ...parts, ...own }, id, withdrawStep)
    await endApproval(own, parts, { stored, reason: 'withdrawn', origin })
  })
}
