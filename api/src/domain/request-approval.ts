import type { Approved } from '@keyferry/contract'
import type { z } from 'zod'
import { type Grounds, requireAllowed, requireRememberable } from './approval-rules.ts'
import {
  type ApprovalParts,
  type Approving,
  type Choice,
  findPendingDelivery,
  settle,
} from './approval-step.ts'
import { type Bundle, findBundle } from './bundle.ts'
import { remember } from './grant.ts'
import type { Caller } from './membership.ts'
import { otherApprovers } from './other-approvers.ts'
import { effectivePolicy } from './policy.ts'
import { newHold } from './release-hold.ts'
import type { OpenRequest } from './request.ts'
import { sealDelivery } from './sealed-delivery.ts'
import { requireBoxSize } from './sealed-values.ts'
import type { ApprovalRequest, FirstApproval } from './stored-request.ts'
import { approveFirst, requireSameChoice } from './two-people.ts'
import { requireUserCode } from './user-code-check.ts'

/*
 * What the approver does with a request: choose a bundle and key names, and approve. A member may approve with bundles of
 * the tenant of the call only, as the bundle's policy says (see approval-rules.ts). Every name must be in the bundle, and
 * the payload must fit `maxPayloadBytes`.
 */

/** Approve (interface: "Approve"): seal the chosen values to the client's key, or take the first of two approvals. Of any
 * number of calls one wins.
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · request_expired · conflict
 *   (approved already, or the first person approved something else) · invalid (a name that the bundle does not hold, a wrong
 *   or missing check code) · too_large · release_required · owner_approves · agents_denied · second_person */
export async function approve(
  parts: ApprovalParts,
  caller: Caller,
  { requestId, choice }: { requestId: string; choice: Choice },
): Promise<{ approved: z.output<typeof Approved>; request: ApprovalRequest }> {
  const stored = await findPendingDelivery(parts, requestId)
  const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
  const grounds = await groundsOf(parts, caller, { stored, bundle })
  requireAllowed(grounds, choice)
  requireRememberable(grounds, choice, parts.isLocal)
  await requireUserCode(parts, grounds, choice)
  const approved = await takeStep(parts, { caller, bundle, choice, grounds }, stored.first)
  return { approved, request: stored.request }
}

async function takeStep(
  parts: ApprovalParts,
  approving: Approving,
  first: FirstApproval | null,
): Promise<z.output<typeof Approved>> {
  if (approving.grounds.policy.approvals_needed === 1) return await approveAlone(parts, approving, first)
  if (first === null) return await approveFirst(parts, approving)
  await requireSameChoice(parts, approving, first)
  return { ...(await approveAlone(parts, approving, first)), approvals: { given: 2, needed: 2 } }
}

/** What the rules for this bundle and caller are judged by.
 * @throws DomainError not_found: the caller was removed since the call was admitted */
export async function groundsOf(
  { stores, assurance }: ApprovalParts,
  caller: Caller,
  { stored, bundle }: { stored: OpenRequest; bundle: Bundle },
): Promise<Grounds> {
  const set = await stores.policies.find(caller.tenantId, bundle.id)
  const policy = effectivePolicy(assurance, set, bundle)
  const { request, first, returned } = stored
  const needsTwo = policy.approvals_needed === 2
  const counts =
    needsTwo && first?.bundleId === bundle.id ? { first, returned } : { first: null, returned: null }
  const isFirst = needsTwo && counts.first === null
  const isAlone = isFirst && (await otherApprovers(stores.memberships, caller, policy)).length === 0
  return { policy, request, caller, isAlone, ...counts }
}

// The approval that seals: the only one, or the second of two.
async function approveAlone(
  parts: ApprovalParts,
  { caller, bundle, choice, grounds: { request, first } }: Approving,
  before: FirstApproval | null,
): Promise<z.output<typeof Approved>> {
  const held = choice.release === undefined ? null : newHold(parts.clock, request, choice.release)
  const hold = held?.hold ?? null
  const names = choice.include_keys
  const toSeal = { caller, bundle, request, names, hold, first, rememberHours: choice.remember_hours }
  const sealed = await sealDelivery(parts, toSeal)
  await settle(parts, request.id, { ...sealed, after: before?.approverId ?? null, first: null, hold })
  if (hold === null) await remember(parts, request, sealed.approved)
  return { ok: true, ...(held ? { release: held.release } : {}) }
}

/** Store a ciphertext that was sealed elsewhere; for development.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict · too_large */
export async function storePayload(
  parts: ApprovalParts,
  requestId: string,
  ciphertextBase64: string,
): Promise<void> {
  requireBoxSize(ciphertextBase64, parts.maxPayloadBytes)
  const { request, first } = await findPendingDelivery(parts, requestId)
  const after = first?.approverId ?? null
  await settle(parts, request.id, { after, first: null, approved: null, ciphertextBase64, hold: null })
}
