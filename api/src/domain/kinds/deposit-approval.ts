import type { ApproveDeposit, ReleaseWay } from '@keyferry/contract'
import type { z } from 'zod'
import type { Asking } from '../approvals/approval-grounds.ts'
import type { DecisionParts, Kind } from '../approvals/decision.ts'
import type { Policy } from '../approvals/policy.ts'
import { requestOrigin } from '../approvals/request-delivery.ts'
import { stampOf } from '../base/stamp.ts'
import { findSelf, type TenantStore } from '../people/tenant.ts'
import type { ApprovedDeposit } from '../requests/approved.ts'
import { planChanged } from '../transfer/library-import.ts'
import { type PlannedDeposit, type PlanParts, plannedDeposit } from './deposit-plan.ts'
import type { DepositStore } from './deposit-record.ts'
import { DEPOSIT_REFUSALS } from './deposit-rules.ts'

/*
 * The approval of a deposit. A person approves one plan: if the library changed since they saw it, nothing happens and
 * they see the new one. Where the rules demand it, the approval returns to the terminal first, and only then are the
 * values stored: a lure that ends with a click stores nothing.
 */

type Parts = DecisionParts & PlanParts & { stores: { deposits: DepositStore; tenants: TenantStore } }

export const DEPOSIT: Kind<Parts, z.output<typeof ApproveDeposit>> = {
  refusals: DEPOSIT_REFUSALS,
  async offer(parts, asking, choice) {
    const planned = await plannedDeposit(parts, asking, choice)
    return {
      ...planned,
      requireSame() {
        if (planned.plan.planId !== choice.plan_id) throw planChanged()
      },
      async begin({ policy }, hold) {
        const approved = await record(parts, asking, { planned, policy, heldBy: hold?.by ?? null })
        return { approved, ciphertextBase64: null }
      },
    }
  },
}

type Recorded = { planned: PlannedDeposit; policy: Policy; heldBy: ReleaseWay | null }

async function record(
  { stores, clock }: Parts,
  { caller, stored: { request } }: Asking,
  { planned: { asked, choices, plan }, policy, heldBy }: Recorded,
): Promise<ApprovedDeposit> {
  const { tenant, username } = await findSelf(stores.tenants, caller)
  const id = clock.newId()
  await stores.deposits.begin(tenant.id, {
    id,
    requestId: request.id,
    bundleName: asked.bundleName,
    names: [...asked.entries.map(({ name }) => name), ...asked.detach],
    removals: asked.detach.length,
    heldBy,
    until: new Date(request.expiresAtMs).toISOString(),
    stamp: { ...stampOf(caller, clock), origin: { ...caller.origin, ...requestOrigin(request) } },
  })
  return {
    kind: 'deposit',
    approverId: caller.userId,
    username,
    depositId: id,
    tenant: { id: tenant.id, name: tenant.name },
    planId: plan.planId,
    choices,
    assurance: policy.assurance,
  }
}
