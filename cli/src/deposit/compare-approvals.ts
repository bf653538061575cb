import { isDeepStrictEqual } from 'node:util'
import { refusedAnswer, refusedError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { sentCommand } from '../delivery/claims.ts'
import { requireExpected } from '../delivery/confirm-workspace.ts'
import type { ExpectedWorkspace, PinnedWorkspace } from '../project/workspace-pins.ts'
import { requireFits, signedFields, statementIn } from '../receipt/receipt.ts'
import type { Compare } from '../release/compared-return.ts'
import type { DepositDraft } from './deposit-body.ts'

type ComparedDeposit = {
  readonly depositing: { readonly content: DepositDraft; readonly command: readonly string[] }
  /** The sealed box that was sent. */
  readonly box: () => Uint8Array
}

/** What was compared and allowed last. */
type ConfirmedWorkspace = { readonly workspace: PinnedWorkspace; readonly isConfirmed: boolean }

/** Compares who approves a deposit, and for which workspace, before the approval is returned: after that the values
 * belong to that workspace. */
export function compareApprovals(
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
    // A second approval of one command, after the library changed.
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
