import type { ApproveDeposit, ReleaseWay } from '@keyferry/contract'
import type { z } from 'zod'
import type { OpenCall } from '../approvals/approval-grounds.ts'
import type { ApprovalKind, Begun, DecisionParts } from '../approvals/decision.ts'
import type { Policy } from '../approvals/policy.ts'
import { requestFacts } from '../approvals/receipt.ts'
import { requestOrigin } from '../approvals/request-delivery.ts'
import type { JoinedStores } from '../approvals/together.ts'
import { stampOf } from '../base/stamp.ts'
import { findSelf, type TenantStore } from '../people/tenant.ts'
import { planChanged } from '../transfer/library-import.ts'
import { DEPOSIT_REFUSALS, ofEachBundle, type PlannedDeposit, plannedDeposit } from './deposit-plan.ts'
import { type StoringParts, storeDeposit } from './deposit-storing.ts'
import { contentOf, plannedProposal, requireRoom } from './proposal-offer.ts'

/*
 * The approval of a deposit. A person approves one plan: if the library changed since they saw it, nothing happens and
 * they see the new one. The approval returns to the terminal first, and only then are the values stored: a lure that
 * ends with a click stores nothing. The terminal gets a signed statement of who approved for which workspace, and
 * compares it before it returns the approval, so values for one workspace do not end up in another.
 */

type DepositApprovalParts = DecisionParts<JoinedStores> &
  StoringParts & {
    stores: { tenants: TenantStore }
    /** Counts a deposit for the person who approves it, and no longer for the address that sent it.
     * @throws DomainError too_many */
    takeDeposit: (userId: string, address: string) => Promise<void>
  }

export const DEPOSIT: ApprovalKind<DepositApprovalParts, z.output<typeof ApproveDeposit>, JoinedStores> = {
  refusals: DEPOSIT_REFUSALS,
  async offer(parts, asking, choice) {
    const readable = choice.propose?.readable ?? null
    const planned = await (readable
      ? plannedProposal(parts, asking.caller, asking.stored.request)
      : plannedDeposit(parts, asking, choice))
    return {
      ...planned,
      async requireSame() {
        if (planned.plan.planId !== choice.plan_id) throw planChanged()
        if (readable) await requireRoom(parts, asking.caller, contentOf(planned, readable))
        await parts.takeDeposit(asking.caller.userId, asking.stored.request.requesterMeta.ip)
      },
      begin: ({ policy }, hold) =>
        begun(parts, asking, { planned, policy, readable, heldBy: hold?.by ?? null }),
    }
  },
}

type DepositDecision = {
  planned: PlannedDeposit
  policy: Policy
  readable: string[] | null
  heldBy: ReleaseWay | null
}

async function begun(
  parts: DepositApprovalParts,
  { caller, stored: { request } }: OpenCall,
  recorded: DepositDecision,
): Promise<Begun<JoinedStores>> {
  const { stores, clock, receipts } = parts
  const { asked, choices, plan, boxDigest } = recorded.planned
  const all = [asked, ...(asked.also ?? [])]
  const { policy, readable, heldBy } = recorded
  const { tenant, username } = await findSelf(stores.tenants, caller)
  const id = clock.newId()
  const deposit = {
    id,
    requestId: request.id,
    pollChallenge: request.pollChallenge,
    bundleName: all.map(({ bundleName }) => bundleName).join(', '),
    names: [...new Set(all.flatMap(({ entries }) => entries.map(({ name }) => name))), ...asked.detach],
    removals: asked.detach.length,
    isProposal: readable !== null,
    heldBy,
    until: new Date(request.expiresAtMs).toISOString(),
    stamp: { ...stampOf(caller, clock), origin: { ...caller.origin, ...requestOrigin(request) } },
  }
  const workspace = { id: tenant.id, name: tenant.name }
  const statement = {
    ...requestFacts(receipts, request, boxDigest),
    kind: 'deposit_approval',
    bundle: { name: asked.bundleName },
    ...(all.length > 1 && { also: all.slice(1).map(({ bundleName: name }) => ({ name })) }),
    workspace,
    approvers: [{ id: caller.userId, username }],
    released_by: heldBy,
  }
  const approved = {
    kind: 'deposit' as const,
    approverId: caller.userId,
    username,
    depositId: id,
    tenant: workspace,
    statement: receipts.sign(Buffer.from(JSON.stringify(statement))),
    planId: plan.planId,
    choices,
    assurance: policy.assurance,
    readable,
  }
  const [bundle, ...also] = ofEachBundle(asked, plan, (name, { bundleId }) => ({ id: bundleId, name }))
  const signed = { bundle, ...(also.length > 0 && { also }), plan_id: plan.planId, box_sha256: boxDigest }
  return {
    // A proposal stores nothing, so it needs no signature. The owner who accepts it signs.
    ...(readable === null && { signs: () => signed }),
    gives: { as: 'approval', approved, ciphertextBase64: null },
    record: (own) => own.deposits.begin(tenant.id, deposit),
    ...(heldBy === null && {
      storesIn: tenant.id,
      carryOut: (own, touches) =>
        storeDeposit(parts, own, {
          request,
          caller,
          planned: recorded.planned,
          approval: { ...approved, touches },
        }),
    }),
  }
}
