import type { Receipt } from '@keyferry/contract'
import type { z } from 'zod'
import { type ReceiptSigner, requestFacts } from '../approvals/receipt.ts'
import { requestOrigin } from '../approvals/request-delivery.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import { activeRole, type Caller, type MembershipStore } from '../people/membership.ts'
import { ApprovedDeposit } from '../requests/approved.ts'
import { changeRequest } from '../requests/request.ts'
import { settleDepositStep } from '../requests/request-steps.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import { countsOf, variablesOf } from '../transfer/imported-variables.ts'
import { importVariables } from '../transfer/library-import.ts'
import { importOf } from './deposit-plan.ts'
import type { DepositEnd, DepositOutcome, DepositStore, Stored } from './deposit-record.ts'
import { type ProposingParts, proposalOf } from './proposal-offer.ts'

/*
 * How the server stores the values of an approved deposit: in one transaction, which also ends the deposit's record.
 * Until then the request is `applying`. If the node dies, another node learns from the record whether the transaction
 * was committed. It first voids a record that is still open, so that a slow transaction cannot commit later.
 */

export type StoringParts = ProposingParts & {
  stores: { deposits: DepositStore; memberships: MembershipStore }
  receipts: ReceiptSigner
}

// A timer may fire slightly early.
const PAST_END_MS = 5

type Approved = { request: ApprovalRequest; approval: ApprovedDeposit }
type Storing = Approved & { caller: Caller }

/** Store the values of a request that is `applying`. If that fails, the request is pending again.
 * @throws DomainError plan_changed · unavailable · what `importVariables` throws */
export async function storeDeposit(parts: StoringParts, storing: Storing): Promise<AppliedDeposit> {
  try {
    const outcome = await (storing.approval.readable ? keepProposal : importApproved)(parts, storing)
    const applied = appliedOf(parts, storing, outcome)
    await tell(parts, storing, applied)
    return applied
  } catch (error) {
    const isChanged = error instanceof DomainError && error.code === 'plan_changed'
    const applied = await conclude(parts, storing, isChanged ? 'plan_changed' : 'refused')
    if (applied) return applied
    throw error
  }
}

/** Store the values of a deposit whose approval came back through the terminal.
 * @throws DomainError as `storeDeposit` · conflict (the person who approved may not any more) */
export async function storeReleased(parts: StoringParts, requestId: string): Promise<void> {
  const applying = await findApplying(parts, requestId)
  if (!applying) return
  const caller = await approverOf(parts, applying)
  if (caller) await storeDeposit(parts, { ...applying, caller })
  else {
    await conclude(parts, applying, 'refused')
    throw new DomainError(
      'conflict',
      'The person who approved this deposit may not any more: it needs a new approval',
    )
  }
}

/** Find out what became of a deposit whose node did not finish in time. Does nothing to any other request.
 * @returns milliseconds until a deposit that is stored now must be done; null: none is */
export async function rescueDeposit(parts: StoringParts, requestId: string): Promise<number | null> {
  const applying = await findApplying(parts, requestId)
  if (!applying) return null
  const leftMs = applying.untilMs - parts.clock.now().getTime()
  if (leftMs > 0) return leftMs + PAST_END_MS
  await conclude(parts, applying, 'overtaken')
  return null
}

async function findApplying({ requests, clock }: StoringParts, requestId: string) {
  const stored = await requests.read(requestId, clock.now().getTime())
  if (typeof stored === 'string') return null
  const { request, approved, applyUntilMs } = stored
  if (approved === null || applyUntilMs === null) return null
  return { request, approval: ApprovedDeposit.parse(approved), untilMs: applyUntilMs }
}

async function importApproved(parts: StoringParts, { request, approval, caller }: Storing) {
  const { keyNames, ...choices } = approval.choices
  const { asked, boxDigest } = await importOf(parts, request, { ...choices, key_names: keyNames })
  const imports = { imports: parts.stores.imports, clock: parts.clock }
  const exact = { ...asked, planId: approval.planId, deposit: { id: approval.depositId, boxDigest } }
  const done = await importVariables(imports, caller, exact)
  return { bundleId: done.bundleId, boxDigest, storedAt: done.stamp.at, variables: variablesOf(done) }
}

async function keepProposal(parts: StoringParts, storing: Storing): Promise<DepositOutcome> {
  const proposal = await proposalOf(parts, storing)
  const isKept = await parts.stores.proposals.keep(proposal, stampOf(storing.caller, parts.clock))
  if (!isKept) throw new DomainError('conflict', 'This deposit has ended: run the command again')
  return { proposed: true, expiresAt: proposal.until }
}

// The approver's rights may have changed while the approval was on its way.
async function approverOf({ stores }: StoringParts, { request, approval: { approverId, tenant } }: Approved) {
  const signed = { userId: approverId, tenantId: tenant.id }
  const role = await activeRole(stores.memberships, signed)
  return role && { ...signed, role, origin: requestOrigin(request) }
}

/** End the record, unless the values are stored, and tell the request store.
 * @returns what was stored; null: nothing, and the request is pending again */
async function conclude(parts: StoringParts, approved: Approved, reason: DepositEnd['reason']) {
  const { deposits } = parts.stores
  const { depositId, tenant } = approved.approval
  const isVoid = await deposits.void(tenant.id, {
    depositId,
    reason,
    at: timestamp(parts.clock),
    origin: null,
  })
  const outcome = isVoid ? null : await deposits.outcomeOf(tenant.id, depositId)
  const applied = outcome && appliedOf(parts, approved, outcome)
  await tell(parts, approved, applied)
  return applied
}

async function tell(
  parts: StoringParts,
  { request, approval: { depositId } }: Approved,
  applied: AppliedDeposit | null,
): Promise<void> {
  await changeRequest(parts, request.id, (stored) => settleDepositStep(stored, { depositId, applied }))
}

function appliedOf(
  { receipts }: Pick<StoringParts, 'receipts'>,
  { request, approval }: Approved,
  outcome: DepositOutcome,
): AppliedDeposit {
  const { depositId: id, tenant: workspace, username } = approval
  const name = request.suggestedBundle ?? ''
  if ('proposed' in outcome)
    return { proposal: { id, bundle: { name }, workspace, expires_at: outcome.expiresAt } }
  const counts = countsOf(outcome.variables)
  const receipt = depositReceipt(receipts, { request, approval }, outcome)
  const bundle = { id: outcome.bundleId, name }
  return { deposit: { id, bundle, workspace, counts, approved_by: username, receipt } }
}

/** The signed receipt of a deposit: what was stored, where, and who approved it. It is made from the record in the
 * database, so every node signs the same facts. */
function depositReceipt(
  signer: ReceiptSigner,
  { request, approval }: Approved,
  { bundleId, boxDigest, storedAt, variables }: Stored,
): z.output<typeof Receipt> {
  const payload = {
    ...requestFacts(signer, request, boxDigest),
    kind: 'deposit',
    deposit_id: approval.depositId,
    bundle: { id: bundleId, name: request.suggestedBundle },
    workspace: approval.tenant,
    variables,
    counts: countsOf(variables),
    approvers: [{ id: approval.approverId, username: approval.username }],
    stored_at: storedAt,
  }
  return signer.sign(Buffer.from(JSON.stringify(payload)))
}
