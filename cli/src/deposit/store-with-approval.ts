import { isDeepStrictEqual } from 'node:util'
import { depositUserCode } from '@keyferry/crypto/deposit'
import { CliError, EXIT, refusedAnswer, refusedError } from '../base/cli-error.ts'
import { changesText } from '../base/import-actions.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import { requireReason } from '../delivery/agent.ts'
import { sentCommand } from '../delivery/claims.ts'
import { keepWorkspace, requireAskable, requireExpected } from '../delivery/confirm-workspace.ts'
import { requestApproval } from '../delivery/request-approval.ts'
import type { RequestOptions } from '../delivery/values-request.ts'
import { type Arrived, depositIn } from '../delivery/wait.ts'
import type { ExpectedWorkspace, PinnedWorkspace } from '../project/workspace-pins.ts'
import { expectedWorkspace } from '../project/workspace-pins.ts'
import {
  countsOf,
  type DepositReceipt,
  depositReceiptIn,
  requireFits,
  requireStored,
  signedFields,
  statementIn,
} from '../receipt/receipt.ts'
import type { Compare } from '../release/compared-return.ts'
import { UNKNOWN_REQUEST } from '../server/request-end.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import { inWorkspace, type WaitingOutcome } from '../terminal/waiting-view.ts'
import { type DepositDraft, fetchDepositKey, sealDeposit } from './deposit-body.ts'

export type DepositOptions = Omit<RequestOptions, 'bundle'> & { readonly content: DepositDraft }

/** Store values on a server where people sign in: seal them to its deposit key, ask for an approval, and wait for the
 * signed receipt of what the server stored. What the approver may not store, the server keeps for the owners.
 * @returns what was stored
 * @throws CliError */
export async function storeWithApproval(
  depositing: DepositOptions,
  parts: Parts,
): Promise<DepositReceipt | 'proposed'> {
  requireReason(depositing, 'why you change the bundle')
  const { server, folder, isWorkspaceFlag } = depositing
  const named = { text: depositing.workspace, isFlag: isWorkspaceFlag, place: { server, folder } }
  const expected = expectedWorkspace(named, parts)
  requireAskable(expected, parts)
  const content = { ...depositing.content, workspace: expected.text }
  const { bundle } = content
  let sealedBox: Uint8Array = new Uint8Array()
  const sent = { depositing: { content, command: depositing.command }, box: () => sealedBox }
  const comparison = compareApprovals(expected, sent, parts)
  return await requestApproval<DepositReceipt | 'proposed'>(
    {
      name: 'deposit',
      keys: sentIn(content).flatMap(({ names }) => names),
      bundles: sentIn(content).map((each) => each.bundle),
      removes: content.detach.length,
      seal: async ({ keyPair: { publicKey }, verifier }) => {
        const key = await fetchDepositKey(server, parts)
        const { deposit, binding, box } = sealDeposit(content, { key, publicKey, verifier })
        sealedBox = box
        return {
          fields: { deposit },
          codeOf: (requestId) => depositUserCode(requestId, { publicKey, binding, box }),
        }
      },
      compare: comparison.compare,
      open: async (arrived, pending) => {
        const { workspace, isConfirmed } = comparison.returned()
        const keep = (hasReceipt: boolean) =>
          keepWorkspace(workspace, expected, { isConfirmed, hasReceipt, parts })
        if (arrived.kind === 'proposed') {
          if (arrived.workspace.id !== workspace.id)
            throw refusedAnswer('the server keeps the change request in another workspace')
          keep(false)
          return { end: 'proposed', outcome: proposedOutcome(arrived, { bundle, pending }) }
        }
        const receipt = depositIn(arrived)
        const stored = await checkedDeposit(receipt, { ...sent, pending, workspaceId: workspace.id }, parts)
        keep(true)
        return { end: stored, outcome: storedOutcome(stored), receipt }
      },
    },
    { ...depositing, bundle, workspace: expected.text },
    parts,
  ).catch((error: unknown) => {
    throw nothingStored(error)
  })
}

function proposedOutcome(
  { workspace }: Extract<Arrived, { kind: 'proposed' }>,
  { bundle, pending }: { bundle: string; pending: Pick<PendingRequest, 'approvalUrl'> },
): WaitingOutcome {
  const url = new URL(`/w/${encodeURIComponent(workspace.id)}/waiting`, pending.approvalUrl).href
  const event = { event: 'proposed', bundle, workspace: printable(workspace.name, 80), url }
  return { event, text: `Proposed. Owners decide at ${url}`, notes: [] }
}

function nothingStored(error: unknown): unknown {
  const isEnd =
    error instanceof CliError && (error.exitCode === EXIT.denied || error.exitCode === EXIT.expired)
  if (!isEnd) return error
  const isUnknown = error.message === UNKNOWN_REQUEST
  const next = isUnknown
    ? 'It is not known whether the values were stored. Run the command again: its plan shows what changed.'
    : 'Nothing was stored. Run the command again to ask again.'
  return new CliError(error.exitCode, error.message, next)
}

const namesOf = (entries: DepositDraft['entries']) => entries.map(({ name }) => name)

/** What goes to each bundle, by its name. */
function sentIn({ bundle, entries, detach, also }: DepositDraft) {
  const others = also.map((other) => ({ bundle: other.bundle, names: namesOf(other.entries) }))
  return [{ bundle, names: [...namesOf(entries), ...detach] }, ...others]
}

type PendingDeposit = {
  readonly depositing: Pick<DepositOptions, 'content' | 'command'>
  readonly pending: Pick<PendingRequest, 'id' | 'server' | 'keyPair'>
  /** The sealed box that was sent. */
  readonly box: () => Uint8Array
  /** For which the approval was returned. */
  readonly workspaceId: string
}

/** What the server stored, as its receipt says. The receipt must be signed with the key that this client knows, and be
 * for this request, this box and these names.
 * @throws CliError refused · NoAnswer */
export async function checkedDeposit(
  receipt: SignedReceipt,
  { depositing: { content, command }, pending, box, workspaceId }: PendingDeposit,
  parts: Parts,
): Promise<DepositReceipt> {
  const stored = depositReceiptIn(await signedFields(receipt, pending.server, parts))
  requireFits(stored, { pending, box: box(), argv: sentCommand(command) })
  requireStored(stored, { workspaceId, sent: sentIn(content) })
  return stored
}

/** What was stored, in words: `approved by sam: stored in dev/app in workspace "Acme": 1 updated (PORT)`. */
export function storedOutcome(receipt: DepositReceipt): WaitingOutcome {
  const { bundle, also } = receipt
  const workspace = receipt.workspace.name
  const counts = countsOf(receipt)
  const approvedBy = receipt.approvers.join(' and ')
  const others = also.map((other) => ({ bundle: other.bundle, counts: countsOf(other) }))
  const more = also.map((other) => `; in ${other.bundle}: ${changesText(other.variables)}`).join('')
  const event = { event: 'stored', bundle, workspace, counts, approvers: [approvedBy] }
  return {
    event: also.length === 0 ? event : { ...event, also: others },
    text: `approved by ${approvedBy}: stored in ${bundle}${inWorkspace(workspace)}: ${changesText(receipt.variables)}${more}`,
    bundle,
    notes: [],
  }
}

type ComparedDeposit = {
  readonly depositing: { readonly content: DepositDraft; readonly command: readonly string[] }
  /** The sealed box that was sent. */
  readonly box: () => Uint8Array
}

/** What was compared and allowed last. */
type ConfirmedWorkspace = { readonly workspace: PinnedWorkspace; readonly isConfirmed: boolean }

/** Compares who approves a deposit, and for which workspace, before the approval is returned: after that the values
 * belong to that workspace. */
function compareApprovals(
  expected: ExpectedWorkspace,
  { depositing: { content, command }, box }: ComparedDeposit,
  parts: Parts,
) {
  let last: ConfirmedWorkspace | null = null
  const compare: Compare = async (statement, pending, ask) => {
    if (statement === null)
      throw refusedError(
        `${pending.server} does not say who approved this`,
        'Nothing was stored. Update the server.',
      )
    const approved = statementIn(await signedFields(statement, pending.server, parts))
    requireFits(approved, { pending, box: box(), argv: sentCommand(command) })
    const bundles = [content, ...content.also].map(({ bundle }) => bundle)
    if (!isDeepStrictEqual([approved.bundle, ...approved.also], bundles))
      throw refusedAnswer('the approval is for another bundle')
    const { workspace } = approved
    // The library changed, so the command needed a second approval.
    if (last?.workspace.id === workspace.id) return
    const isConfirmed = await requireExpected(approved, expected, { ask, purpose: 'stored' })
    last = { workspace, isConfirmed }
  }
  return {
    compare,
    /** What was returned.
     * @throws CliError refused: this client returned no approval */
    returned: (): ConfirmedWorkspace => {
      if (last !== null) return last
      throw refusedError(
        'the server took an approval that this terminal did not return',
        'It may have stored the values in a workspace of someone else. Treat them as read, and change them.',
      )
    },
  }
}
