import type { Receipt } from '@keyferry/contract'
import type { z } from 'zod'
import type { Carrying } from '../approvals/ending.ts'
import { type ReceiptSigner, requestFacts, withTouches } from '../approvals/receipt.ts'
import { requestOrigin } from '../approvals/request-delivery.ts'
import type { JoinedStores } from '../approvals/together.ts'
import { DomainError } from '../base/errors.ts'
import { type EventData, madeBy } from '../base/event.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import type { ApprovedDeposit } from '../requests/approved.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import { countsOf, type ImportedVariable, variablesOf } from '../transfer/imported-variables.ts'
import { type ImportChange, type ImportPlan, importVariables } from '../transfer/library-import.ts'
import { importOf, ofEachBundle, type PlannedDeposit } from './deposit-plan.ts'
import { type ProposingParts, plannedProposal, proposalOf } from './proposal-offer.ts'

/*
 * How the server stores the values of an approved deposit: in the transaction of the decision, or in that of its return
 * to the terminal. The same transaction makes the answer for the client and ends the deposit's record.
 */

export type StoringParts = ProposingParts & { receipts: ReceiptSigner }

type ReleasedDeposit = { request: ApprovalRequest; approval: ApprovedDeposit }
/** `plan`: only for a proposal, which is not planned again. */
type Storing = ReleasedDeposit & {
  caller: Caller
  planned: Pick<PlannedDeposit, 'asked' | 'boxDigest'> & {
    plan: Pick<ImportPlan, 'bundleId' | 'planId'> | null
  }
}

/** Store the values of an approved deposit, or keep them as a proposal.
 * @throws DomainError plan_changed · workspace_full · what `importVariables` throws */
export async function storeDeposit(
  parts: StoringParts,
  own: JoinedStores,
  storing: Storing,
): Promise<AppliedDeposit> {
  const { approval, caller } = storing
  const stamp = stampOf(caller, parts.clock)
  const applied = await (approval.readable ? keepProposal : importApproved)(parts, own, { ...storing, stamp })
  await own.deposits.apply(caller.tenantId, { depositId: approval.depositId, applied, at: stamp.at })
  return applied
}

/** What the return of a deposit's approval does.
 * @throws DomainError not_found (the box is gone) · deposit_damaged · plan_changed */
export async function returningDeposit(
  parts: StoringParts,
  approval: ApprovedDeposit,
  request: ApprovalRequest,
): Promise<Carrying> {
  const { approverId: userId, tenant, choices, readable } = approval
  const { keyNames, ...treatment } = choices
  const planned = readable
    ? await plannedProposal(parts, { tenantId: tenant.id, reach: null }, request)
    : { ...(await importOf(parts, request, { ...treatment, key_names: keyNames })), plan: null }
  return {
    storesIn: tenant.id,
    async inside(own, { member }) {
      if (member === null) throw mayNot()
      const caller = { userId, tenantId: tenant.id, ...member, origin: requestOrigin(request) }
      return await storeDeposit(parts, own, { request, approval, caller, planned })
    },
  }
}

const mayNot = () =>
  new DomainError(
    'conflict',
    'The person who approved this deposit may not any more: it needs a new approval',
  )

type Stamped = Storing & { stamp: Stamp }

async function importApproved(
  parts: StoringParts,
  own: JoinedStores,
  { request, approval, caller, planned }: Stamped,
): Promise<AppliedDeposit> {
  const { depositId: id, planId, tenant: workspace, username } = approval
  const imports = { imports: own.imports, clock: parts.clock }
  const done = await importVariables(imports, caller, { ...planned.asked, planId })
  const stored = ofEachBundle<ImportChange, StoredBundle>(planned.asked, done, (name, change) => {
    const variables = variablesOf(change)
    return { bundle: { id: change.bundleId, name }, variables, counts: countsOf(variables) }
  })
  for (const { bundle, counts } of stored)
    await own.events.record({
      ...madeBy(done.stamp),
      action: 'deposit.applied',
      target: { kind: 'bundle', ...bundle },
      data: { deposit: id, ...countsData(counts) },
    })
  const receipt = depositReceipt(
    parts.receipts,
    { request, approval },
    { done, stored, boxDigest: planned.boxDigest },
  )
  const [{ bundle, counts }, ...others] = stored
  const also = others.map((other) => ({ bundle: other.bundle, counts: other.counts }))
  const answer = { id, bundle, workspace, counts, ...(also.length > 0 && { also }) }
  return { deposit: { ...answer, approved_by: username, receipt } }
}

function countsData({ create, own, update, replace, detach }: ReturnType<typeof countsOf>): EventData {
  const written = { created: create + own, updated: update + replace }
  return detach === 0 ? written : { ...written, removed: detach }
}

async function keepProposal(
  parts: StoringParts,
  own: JoinedStores,
  { request, approval, planned, stamp }: Stamped,
): Promise<AppliedDeposit> {
  const proposal = proposalOf(parts, { request, approval, planned })
  await own.proposals.keep(proposal, stamp)
  const { id, bundleName: name, until } = proposal
  return { proposal: { id, bundle: { name }, workspace: approval.tenant, expires_at: until } }
}

type StoredBundle = {
  bundle: { id: string; name: string }
  variables: ImportedVariable[]
  counts: ReturnType<typeof countsOf>
}

type StoredContent = {
  done: ImportChange
  /** The bundle of the request comes first. */
  stored: [StoredBundle, ...StoredBundle[]]
  boxDigest: string
}

/** The signed receipt of a deposit: what was stored, where, and who approved it. */
function depositReceipt(
  signer: ReceiptSigner,
  { request, approval }: ReleasedDeposit,
  { done, stored: [first, ...also], boxDigest }: StoredContent,
): z.output<typeof Receipt> {
  const payload = {
    ...requestFacts(signer, request, boxDigest),
    kind: 'deposit',
    deposit_id: approval.depositId,
    bundle: first.bundle,
    workspace: approval.tenant,
    variables: first.variables,
    counts: first.counts,
    ...(also.length > 0 && { also }),
    approvers: [{ id: approval.approverId, username: approval.username }],
    stored_at: done.stamp.at,
  }
  return withTouches(signer.sign(Buffer.from(JSON.stringify(payload))), approval)
}
