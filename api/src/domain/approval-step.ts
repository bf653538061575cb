import type { Assurance, EncryptFromBundle } from '@keyferry/contract'
import type { z } from 'zod'
import type { Grounds } from './approval-rules.ts'
import type { Bundle, BundleStore } from './bundle.ts'
import { timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import type { EventStore } from './event.ts'
import type { GrantStore } from './grant.ts'
import type { Caller, MembershipStore } from './membership.ts'
import type { PolicyStore } from './policy.ts'
import {
  alreadyApproved,
  changeRequest,
  findOpen,
  type OpenRequest,
  type RequestParts,
  requireOpen,
} from './request.ts'
import { type Approving as ApprovingStep, approveStep, type Settled } from './request-steps.ts'
import type { Missing } from './request-store.ts'
import type { SealingParts } from './sealed-delivery.ts'
import type { TenantStore } from './tenant.ts'

/*
 * One step of an approval: from a pending request to what follows. Of any number of callers one wins.
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

export type Choice = z.output<typeof EncryptFromBundle>

export type Approving = { caller: Caller; bundle: Bundle; choice: Choice; grounds: Grounds }

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved already) */
export async function findPending(parts: RequestParts, requestId: string): Promise<OpenRequest> {
  const stored = await findOpen(parts, requestId)
  if (stored.status !== 'pending') throw alreadyApproved()
  return stored
}

/** A pending request for values.
 * @throws DomainError as `findPending` · conflict (another kind) */
export async function findPendingDelivery(parts: RequestParts, requestId: string): Promise<OpenRequest> {
  const stored = await findPending(parts, requestId)
  const { kind } = stored.request
  if (kind === 'deposit')
    throw new DomainError('conflict', 'This request stores values: approve it as a deposit')
  if (kind === 'names')
    throw new DomainError('conflict', 'This request lists names: approve it as a request for names')
  return stored
}

/** Take one step with a pending request. Where another was faster, the delivery that was begun ends.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict */
export async function settle(
  parts: Pick<ApprovalParts, 'requests' | 'clock' | 'stores'>,
  id: string,
  step: ApprovingStep,
): Promise<void> {
  const settled = await changeRequest(parts, id, (stored, nowMs) => approveStep(stored, step, nowMs))
  const { approved } = step
  if (settled !== 'done' && approved?.kind === 'delivery') {
    const end = { deliveryId: approved.deliveryId, at: timestamp(parts.clock), origin: null }
    await parts.stores.deliveries.void(approved.tenant.id, end)
  }
  requireSettled(settled)
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict */
export function requireSettled(settled: Settled | Missing): void {
  requireOpen(settled)
  if (settled === 'ready' || settled === 'held') throw alreadyApproved()
  if (settled === 'changed')
    throw new DomainError(
      'conflict',
      'Another person changed this request while you read it. Load the page again, then decide.',
    )
}
