import { type Approved, type Assurance, ATTEMPTS, type EncryptFromBundle } from '@keyferry/contract'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import { type Grounds, mustTypeCode, requireAllowed, requireRememberable } from './approval-rules.ts'
import { type Bundle, type BundleStore, findBundle } from './bundle.ts'
import { timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import { type EventStore, madeBy } from './event.ts'
import { type GrantStore, remember } from './grant.ts'
import type { Caller, MembershipStore } from './membership.ts'
import { effectivePolicy, type PolicyStore } from './policy.ts'
import { newHold } from './release.ts'
import {
  alreadyApproved,
  findOpen,
  type OpenRequest,
  type RequestParts,
  requireOpen,
  userCodeOf,
} from './request.ts'
import type { ApprovalRequest, FirstApproval, Settled, Step } from './request-store.ts'
import { type SealingParts, sealDelivery } from './sealed-delivery.ts'
import { heldNames, requireBoxSize } from './sealed-values.ts'
import { stampOf } from './stamp.ts'
import { findSelf, type TenantStore } from './tenant.ts'

/*
 * What the approver does with a request: choose a bundle and key names, and approve. A member may approve with bundles of
 * the tenant of the call only, as the bundle's policy says (see approval-rules.ts). Every name must be in the bundle, and
 * the payload must fit `maxPayloadBytes`.
 *
 * Where a bundle needs two people, the first approval seals nothing. The second person sees who was first and must approve
 * the same names; that seals the values.
 */

export type ApprovalParts = RequestParts &
  SealingParts & {
    stores: {
      bundles: BundleStore
      events: EventStore
      grants: GrantStore
      memberships: MembershipStore
      policies: PolicyStore
      tenants: TenantStore
    }
    /** What the server demands of every approval. */
    assurance: Assurance
    /** The server serves one person on this machine. */
    isLocal: boolean
  }

type Choice = z.output<typeof EncryptFromBundle>

type Approving = { caller: Caller; bundle: Bundle; choice: Choice; grounds: Grounds }

/** Approve (interface: "Approve"): seal the chosen values to the client's key, or take the first of two approvals. Of any
 * number of calls one wins.
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · request_expired · conflict
 *   (approved already, or the first person approved something else) · invalid (a name that the bundle does not hold, a wrong
 *   or missing check code) · too_large · release_required · owner_approves · agents_denied · second_person */
export async function approve(
  parts: ApprovalParts,
  caller: Caller,
  { requestId, choice }: { requestId: string; choice: Choice },
): Promise<z.output<typeof Approved>> {
  const stored = await findPending(parts, requestId)
  const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
  const grounds = await groundsOf(parts, caller, { stored, bundle })
  requireAllowed(grounds, choice)
  requireRememberable(grounds, choice, parts.isLocal)
  await requireUserCode(parts, grounds, choice)
  const approving = { caller, bundle, choice, grounds }
  if (grounds.policy.approvals_needed === 1) return await approveAlone(parts, approving, stored.first)
  if (stored.first === null) return await approveFirst(parts, approving)
  await requireSameChoice(parts, approving, stored.first)
  return { ...(await approveAlone(parts, approving, stored.first)), approvals: { given: 2, needed: 2 } }
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
  const isFirstOfTwo = policy.approvals_needed === 2 && first?.bundleId === bundle.id
  const counts = isFirstOfTwo ? { first, returned } : { first: null, returned: null }
  return { policy, request, caller, ...counts }
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
  const by = { approverId: caller.userId, tenantId: caller.tenantId }
  const step = { after: before?.approverId ?? null, first: null, sealed, hold, by }
  await settle(parts, request.id, step)
  if (hold === null && sealed.approval) await remember(parts, request, sealed.approval)
  return { ok: true, ...(held ? { release: held.release } : {}) }
}

async function approveFirst(
  parts: ApprovalParts,
  { caller, bundle, choice, grounds: { request } }: Approving,
): Promise<z.output<typeof Approved>> {
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const keys = await heldNames(parts.stores, place, choice.include_keys)
  const { username } = await findSelf(parts.stores.tenants, caller)
  const { userId: approverId, tenantId } = caller
  const first = { ...place, approverId, username, keys, at: timestamp(parts.clock) }
  const held = choice.release === undefined ? null : newHold(parts.clock, request, choice.release)
  const step = {
    after: null,
    first,
    sealed: null,
    hold: held?.hold ?? null,
    by: { approverId, tenantId },
  }
  await parts.stores.events.record({
    tenantId,
    action: 'delivery.first_approved',
    target: { kind: 'bundle', id: bundle.id, name: bundle.name },
    data: { names: keys },
    ...madeBy(stampOf(caller, parts.clock)),
  })
  await settle(parts, request.id, step)
  return { ok: true, approvals: { given: 1, needed: 2 }, ...(held ? { release: held.release } : {}) }
}

// Both people must have seen the same names, and the first must still be somebody who may approve.
async function requireSameChoice(
  { stores }: ApprovalParts,
  { bundle, choice, grounds: { policy, caller } }: Approving,
  first: FirstApproval,
): Promise<void> {
  const names = [...new Set(choice.include_keys)].toSorted()
  const isSame = first.tenantId === caller.tenantId && first.bundleId === bundle.id
  if (!isSame || names.join() !== first.keys.join()) {
    const details = { field: 'include_keys', keys: isSame ? first.keys : [] }
    throw new DomainError('conflict', 'The first person approved something else: approve the same keys', {
      details,
    })
  }
  const standing = await stores.memberships.findStanding({
    userId: first.approverId,
    tenantId: first.tenantId,
  })
  const mayApprove = policy.approvers === 'member' ? standing?.role != null : standing?.role === 'owner'
  if (standing?.isActive === true && mayApprove) return
  throw new DomainError('conflict', 'The first approval is no longer valid: deny the request and start again')
}

/** Store a ciphertext that was sealed elsewhere; for development.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict · too_large */
export async function storePayload(
  parts: ApprovalParts,
  requestId: string,
  ciphertextBase64: string,
): Promise<void> {
  requireBoxSize(ciphertextBase64, parts.maxPayloadBytes)
  const { request, first } = await findPending(parts, requestId)
  const sealed = { ciphertextBase64, approval: null }
  await settle(parts, request.id, {
    after: first?.approverId ?? null,
    first: null,
    sealed,
    hold: null,
    by: null,
  })
}

/** Take one step with a pending request. Where another was faster, the delivery that was begun ends.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict */
async function settle(
  parts: Pick<ApprovalParts, 'requests' | 'clock' | 'stores'>,
  id: string,
  step: Step,
): Promise<void> {
  const settled = await parts.requests.approve(id, step, parts.clock.now().getTime())
  const approval = step.sealed?.approval
  if (settled !== 'done' && approval) {
    const end = { deliveryId: approval.deliveryId, at: timestamp(parts.clock), origin: null }
    await parts.stores.deliveries.void(approval.tenant.id, end)
  }
  requireSettled(settled)
}

function requireSettled(settled: Settled): void {
  requireOpen(settled)
  if (settled === 'ready' || settled === 'held') throw alreadyApproved()
  if (settled === 'changed')
    throw new DomainError('conflict', 'Another person approved this request meanwhile: read it again')
}

async function findPending(parts: ApprovalParts, requestId: string): Promise<OpenRequest> {
  const stored = await findOpen(parts, requestId)
  if (stored.status !== 'pending') throw alreadyApproved()
  return stored
}

// A code that is given is checked even where none is required: an approver who types one expects it to count.
async function requireUserCode(
  parts: RequestParts,
  { policy, request }: Grounds,
  choice: Choice,
): Promise<void> {
  const typed = choice.user_code ?? ''
  if (typed === '') {
    if (!mustTypeCode(policy, choice)) return
    throw new DomainError('invalid', 'user_code required', { details: { field: 'user_code' } })
  }
  if (normalizeUserCode(typed) !== userCodeOf(request)) throw await wrongCode(parts, request)
}

async function wrongCode({ requests, clock }: RequestParts, { id }: ApprovalRequest): Promise<DomainError> {
  const attemptsLeft = await requests.countWrongCode(id, ATTEMPTS.wrongUserCodes, clock.now().getTime())
  const details = { field: 'user_code', attempts_left: attemptsLeft }
  return new DomainError('invalid', 'user_code does not match', { details })
}
