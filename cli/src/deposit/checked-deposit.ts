import { canBeShown, shownCommand } from '../delivery/shown-command.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { countsOf, readDepositReceipt, requireStored } from '../receipt/deposit-receipt.ts'
import { keyOf } from '../receipt/pinned-keys.ts'
import { requireFits } from '../receipt/receipt.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import type { Stored } from '../terminal/waiting-view.ts'
import type { Content } from './deposit-body.ts'

type Sent = {
  readonly depositing: { readonly content: Content; readonly command: readonly string[] }
  readonly pending: Pick<PendingRequest, 'id' | 'server' | 'keyPair'>
  /** The sealed box that was sent. */
  readonly box: Uint8Array
}

/** What the server stored, as its receipt says. The receipt must be signed with the key that this client knows, and be for this
 * request, this box and these names.
 * @throws CliError refused · NetworkError */
export async function checkedDeposit(
  receipt: SignedReceipt,
  { depositing: { content, command }, pending, box }: Sent,
  parts: Parts,
): Promise<Stored> {
  const read = readDepositReceipt(receipt, await keyOf(pending.server, receipt.kid, parts))
  const { argv } = shownCommand(command)
  const { publicKey: clientPublicKey } = pending.keyPair
  requireFits(read, { requestId: pending.id, clientPublicKey, box, argv: canBeShown(argv) ? argv : null })
  const names = [...content.entries.map(({ name }) => name), ...content.detach]
  requireStored(read, { bundle: content.bundle, names })
  const { bundle, workspace, approvers } = read
  return { bundle, workspace, approvedBy: approvers.join(' and '), counts: countsOf(read) }
}
