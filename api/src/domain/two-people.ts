import type { Approved } from '@keyferry/contract'
import type { z } from 'zod'
import { type ApprovalParts, type Approving, settle } from './approval-step.ts'
import { timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import { madeBy } from './event.ts'
import { newHold } from './release-hold.ts'
import { heldNames } from './sealed-values.ts'
import { stampOf } from './stamp.ts'
import type { FirstApproval } from './stored-request.ts'
import { findSelf } from './tenant.ts'

/*
 * Where a bundle needs two people, the first approval seals nothing. The second person sees who was first and must approve
 * the same names; that seals the values.
 */

/** Take the first of two approvals.
 * @throws DomainError invalid (a name that the bundle does not hold) · conflict (another step came first) */
export async function approveFirst(
  parts: ApprovalParts,
  { caller, bundle, choice, grounds: { request } }: Approving,
): Promise<z.output<typeof Approved>> {
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const keys = await heldNames(parts.stores, place, choice.include_keys)
  const { username } = await findSelf(parts.stores.tenants, caller)
  const { userId: approverId, tenantId } = caller
  const named = { ...place, bundleName: bundle.name }
  const first = { ...named, approverId, username, keys, at: timestamp(parts.clock) }
  const held = choice.release === undefined ? null : newHold(parts.clock, request, choice.release)
  const step = {
    after: null,
    first,
    approved: null,
    ciphertextBase64: null,
    hold: held?.hold ?? null,
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

/** Both people must have seen the same names, and the first must still be allowed to approve.
 * @throws DomainError conflict */
export async function requireSameChoice(
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
