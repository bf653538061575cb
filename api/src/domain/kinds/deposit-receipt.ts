import type { Receipt } from '@keyferry/contract'
import type { z } from 'zod'
import { type ReceiptSigner, requestFacts } from '../approvals/receipt.ts'
import type { ApprovedDeposit } from '../requests/approved.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import { countsOf } from '../transfer/imported-variables.ts'
import type { Stored } from './deposit-record.ts'

/** The signed receipt of a deposit: what was stored, where, and who approved it. It is made from the record in the
 * database, so every node signs the same facts. */
export function depositReceipt(
  signer: ReceiptSigner,
  request: ApprovalRequest,
  { approval, outcome }: { approval: ApprovedDeposit; outcome: Stored },
): z.output<typeof Receipt> {
  const { bundleId, boxDigest, storedAt, variables } = outcome
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
