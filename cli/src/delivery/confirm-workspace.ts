import { isAtTerminal } from '../base/announce.ts'
import { type CliError, refusedError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { isWorkspace, type MeantWorkspace, pinWorkspace, type Workspace } from '../project/workspace-pins.ts'
import type { Notice } from '../terminal/waiting-view.ts'

/*
 * The approver chooses the workspace, and anyone who sees the link can be the approver. So the client compares the
 * workspace with the id that it knows. If it knows none, it asks the person at the terminal, once per folder.
 */

/** Who approved for which workspace, as the API signed it. */
export type ApprovedFor = { readonly workspace: Workspace; readonly approvers: readonly string[] }

/** Shows a notice and reads an answer. Null: the question ended without one. */
export type Ask = (notice: Notice, question: string) => Promise<string | null>

/** Whether a question about the workspace can be asked. */
export function canAsk(parts: Parts): boolean {
  return parts.view !== 'json' && isAtTerminal(parts)
}

/** Require a terminal for the question, if the workspace is unknown.
 * @throws CliError usage */
export function requireAskable({ knownId, place }: MeantWorkspace, parts: Parts): void {
  if (knownId !== null || canAsk(parts)) return
  throw usageError(
    'the workspace is not confirmed for this folder, and there is no terminal to ask',
    `Add --workspace ID. The pages of a workspace have its id in their address: ${place.server}/w/ID`,
  )
}

/** Require that an approval is for the workspace of the command. If its id is unknown, ask.
 * @returns whether the person said yes · @throws CliError refused */
export async function requireMeant(
  approved: ApprovedFor,
  meant: MeantWorkspace,
  { ask, verb }: { ask: Ask; verb: string },
): Promise<boolean> {
  const { workspace } = approved
  if (meant.knownId !== null ? workspace.id !== meant.knownId : isElsewhere(workspace, meant.text))
    throw otherWorkspace(approved, meant)
  if (meant.knownId !== null) return false
  const text = `${shown(approved)}. Anyone who sees the link can approve in a workspace of their own`
  const event = { event: 'workspace_asked', workspace, approvers: approved.approvers }
  const answer = await ask({ event, text, isQuestion: true }, `  ${verb} this workspace? [y/N] `)
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return true
  throw refusedError(
    `not confirmed: ${shown(approved)}`,
    'Nothing was stored. To allow one workspace only, add --workspace ID.',
  )
}

function isElsewhere(workspace: Workspace, text: string | null): boolean {
  return text !== null && !isWorkspace(workspace, text)
}

/** Remember the workspace after a yes, or if a receipt confirms the id that the command gives. */
export function keepWorkspace(
  workspace: Workspace,
  { isFlag, place, knownId }: MeantWorkspace,
  { isConfirmed, hasReceipt, parts }: { isConfirmed: boolean; hasReceipt: boolean; parts: Parts },
): void {
  if (isConfirmed || (isFlag && hasReceipt && knownId === workspace.id)) pinWorkspace(place, workspace, parts)
}

function otherWorkspace(approved: ApprovedFor, { text, isFlag }: MeantWorkspace): CliError {
  const pinned = isFlag ? '' : ' If you mean another workspace from now on, run keyferry forget --workspace.'
  return refusedError(
    `${shown(approved)}, but the command is for ${printable(text ?? '', 80)}`,
    `Nothing was stored. Run the command again. If you did not approve it, keep the link to yourself.${pinned}`,
  )
}

// The id comes first: a name can hold quotes, brackets and the id of another workspace.
function shown({ workspace: { id, name }, approvers }: ApprovedFor): string {
  const by = printable(approvers.join(' and '), 160)
  return `approved by ${by} for the workspace ${printable(id, 80)}, named "${printable(name, 80)}"`
}
