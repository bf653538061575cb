import type { ApproveDeposit, ApprovedDeposit, ReleaseWay } from '@keyferry/contract'
import type { z } from 'zod'
import { requireAllowedIn } from './approval-rules.ts'
import { requireSettled } from './approval-step.ts'
import type { ApprovedDeposit as Approval } from './approved.ts'
import { timestamp } from './clock-and-ids.ts'
import { type PlannedDeposit, type PlanParts, planDeposit } from './deposit-plan.ts'
import type { DepositStore } from './deposit-record.ts'
import { DEPOSIT_REFUSALS } from './deposit-rules.ts'
import { type StoringParts, storeDeposit } from './deposit-storing.ts'
import { planChanged } from './library-import.ts'
import type { Caller } from './membership.ts'
import { newHold } from './release-hold.ts'
import { changeRequest } from './request.ts'
import { labelOf, requesterOrigin } from './request-delivery.ts'
import { approveStep } from './request-steps.ts'
import { stampOf } from './stamp.ts'
import type { ApprovalRequest, Hold } from './stored-request.ts'
import { findSelf, type TenantStore } from './tenant.ts'
import { requireUserCode } from './user-code-check.ts'

/*
 * How a person approves a deposit. They approve one plan: if the library changed since they saw it, nothing happens and they
 * see the new one. Where the rules demand it, the approval returns to the terminal first, and only then are the values
 * stored: a lure that ends with a click stores nothing.
 */

export type DepositApprovalParts = PlanParts &
  StoringParts & { stores: { deposits: DepositStore; tenants: TenantStore } }

type Choice = z.output<typeof ApproveDeposit>

/** Approve a deposit. Of any number of calls one wins.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved already, or no
 *   deposit) · plan_changed · deposit_damaged · invalid (a wrong or missing check code) · release_required · owner_approves
 *   · agents_denied · forbidden (the plan does more than create) · what `planOf` throws */
export async function approveDeposit(
  parts: DepositApprovalParts,
  caller: Caller,
  { requestId, choice }: { requestId: string; choice: Choice },
): Promise<z.output<typeof ApprovedDeposit>> {
  const planned = await planDeposit(parts, caller, { requestId, treatment: choice })
  requireAllowedIn(DEPOSIT_REFUSALS, planned.grounds, choice)
  if (planned.plan.planId !== choice.plan_id) throw planChanged()
  await requireUserCode(parts, planned.grounds, choice)
  const { request } = planned
  const held = choice.release === undefined ? null : newHold(parts.clock, request, choice.release)
  const hold = held?.hold ?? null
  const approval = await begin(parts, { caller, planned, by: hold?.by ?? null })
  await settle(parts, request, { approval, hold })
  if (held) return { ok: true, release: held.release }
  return { ok: true, deposit: await storeDeposit(parts, { request, approval, caller }) }
}

type Beginning = { caller: Caller; planned: PlannedDeposit; by: ReleaseWay | null }

async function begin(
  { stores, clock }: DepositApprovalParts,
  { caller, planned: { request, asked, choices, plan, grounds }, by }: Beginning,
): Promise<Approval> {
  const { tenant, username } = await findSelf(stores.tenants, caller)
  const id = clock.newId()
  const label = labelOf(request.requesterMeta)
  const origin = { ...caller.origin, ...requesterOrigin(request.requesterMeta, label) }
  await stores.deposits.begin(tenant.id, {
    id,
    requestId: request.id,
    bundleName: asked.bundleName,
    names: [...asked.entries.map(({ name }) => name), ...asked.detach],
    removals: asked.detach.length,
    heldBy: by,
    until: new Date(request.expiresAtMs).toISOString(),
    stamp: { ...stampOf(caller, clock), origin },
  })
  return {
    kind: 'deposit',
    approverId: caller.userId,
    username,
    tenant: { id: tenant.id, name: tenant.name },
    depositId: id,
    planId: plan.planId,
    choices,
    assurance: grounds.policy.assurance,
  }
}

async function settle(
  parts: DepositApprovalParts,
  { id }: ApprovalRequest,
  { approval: approved, hold }: { approval: Approval; hold: Hold | null },
): Promise<void> {
  const step = { after: null, first: null, approved, ciphertextBase64: null, hold }
  const settled = await changeRequest(parts, id, (stored, nowMs) => approveStep(stored, step, nowMs))
  if (settled === 'done') return
  const { tenant, depositId } = approved
  const end = { depositId, reason: 'overtaken', at: timestamp(parts.clock), origin: null } as const
  await parts.stores.deposits.void(tenant.id, end)
  requireSettled(settled)
}
