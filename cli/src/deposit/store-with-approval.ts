import { depositUserCode } from '@keyferry/crypto/deposit'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { sentCommand } from '../delivery/claims.ts'
import { requestApproval } from '../delivery/request-approval.ts'
import type { RequestOptions } from '../delivery/values-request.ts'
import { waitForDeposit } from '../delivery/wait.ts'
import { keyOf } from '../receipt/pinned-keys.ts'
import {
  countsOf,
  type DepositReceipt,
  depositReceiptIn,
  keepReceipt,
  requireFits,
  requireStored,
  verifiedFields,
} from '../receipt/receipt.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import { inWorkspace, type Outcome } from '../terminal/waiting-view.ts'
import { type DepositContent, sealDeposit } from './deposit-body.ts'
import { fetchDepositKey } from './deposit-key.ts'

export type Depositing = Omit<RequestOptions, 'bundle'> & { readonly content: DepositContent }

/** Store values on a server where people sign in: seal them to its deposit key, ask for an approval, and wait for the
 * signed receipt of what the server stored.
 * @throws CliError */
export async function storeWithApproval(depositing: Depositing, parts: Parts): Promise<void> {
  const { content, server, receiptFile } = depositing
  const { bundle, workspace } = content
  let sealedBox: Uint8Array = new Uint8Array()
  await requestApproval<SignedReceipt, void>(
    {
      name: 'deposit',
      keys: namesIn(content),
      removes: content.detach.length,
      reasonFor: 'why you change the bundle',
      seal: async ({ keyPair: { publicKey }, verifier }) => {
        const key = await fetchDepositKey(server, parts)
        const { deposit, binding, box } = sealDeposit(content, { key, publicKey, verifier })
        sealedBox = box
        return {
          fields: { deposit },
          codeOf: (requestId) => depositUserCode(requestId, { publicKey, binding, box }),
        }
      },
      wait: async (pending, events) => await waitForDeposit(parts, pending, events),
      open: async (receipt, pending, view) => {
        const stored = await checkedDeposit(receipt, { depositing, pending, box: sealedBox }, parts)
        if (receiptFile !== null) keepReceipt(receiptFile, receipt, server)
        view.finished(storedOutcome(stored))
      },
    },
    { ...depositing, bundle, workspace },
    parts,
  )
}

function namesIn({ entries, detach }: DepositContent): string[] {
  return [...entries.map(({ name }) => name), ...detach]
}

type Sent = {
  readonly depositing: Pick<Depositing, 'content' | 'command'>
  readonly pending: Pick<PendingRequest, 'id' | 'server' | 'keyPair'>
  /** The sealed box that was sent. */
  readonly box: Uint8Array
}

/** What the server stored, as its receipt says. The receipt must be signed with the key that this client knows, and be
 * for this request, this box and these names.
 * @throws CliError refused · NoAnswer */
export async function checkedDeposit(
  receipt: SignedReceipt,
  { depositing: { content, command }, pending, box }: Sent,
  parts: Parts,
): Promise<DepositReceipt> {
  const read = depositReceiptIn(verifiedFields(receipt, await keyOf(pending.server, receipt.kid, parts)))
  const { publicKey: clientPublicKey } = pending.keyPair
  requireFits(read, { requestId: pending.id, clientPublicKey, box, argv: sentCommand(command) })
  requireStored(read, { bundle: content.bundle, names: namesIn(content) })
  return read
}

const COUNTED = [
  ['create', 'new'],
  ['own', 'own'],
  ['share', 'shared'],
  ['update', 'updated'],
  ['replace', 'replaced'],
  ['same', 'same'],
  ['kept', 'kept'],
  ['detach', 'removed'],
] as const

/** What was stored, in words: `approved by sam: stored in dev/app in workspace "Acme": 12 new, 1 updated`. */
export function storedOutcome(receipt: DepositReceipt): Outcome {
  const { bundle, workspace } = receipt
  const counts = countsOf(receipt)
  const approvedBy = receipt.approvers.join(' and ')
  const done = COUNTED.flatMap(([action, word]) => {
    const count = counts[action] ?? 0
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const what = done.length === 0 ? 'nothing to write' : done.join(', ')
  return {
    event: { event: 'stored', bundle, workspace, counts, approvers: [approvedBy] },
    text: `approved by ${approvedBy}: stored in ${bundle}${inWorkspace(workspace)}: ${what}`,
    notes: [],
  }
}
