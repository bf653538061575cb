import { isIdText } from '@keyferry/contract/id-text'
import { isAtTerminal } from '../base/announce.ts'
import { type CliError, refusedError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import {
  type ExpectedWorkspace,
  expectedWorkspace,
  isWorkspace,
  type PinnedWorkspace,
  pinWorkspace,
} from '../project/workspace-pins.ts'
import { openLibrary } from '../server/library-call.ts'
import { isOwnLibrary } from '../server/server-facts.ts'
import type { Notice } from '../terminal/waiting-view.ts'
import type { RequestOptions } from './values-request.ts'

/*
 * The approver chooses the workspace, and anyone who sees the link can be the approver. So the client compares the
 * workspace with the id that it knows. If it knows none, it asks the person at the terminal, once per folder.
 */

/** Who approved for which workspace, as the API signed it. */
export type ApprovedFor = { readonly workspace: PinnedWorkspace; readonly approvers: readonly string[] }

/** Shows a notice and reads an answer. Null: the question ended without one. */
export type WorkspaceQuestion = (notice: Notice, question: string) => Promise<string | null>

/** What happens with the values after a yes. */
type Purpose = 'stored' | 'used'
const VERBS = { stored: 'Store in', used: 'Use' } as const satisfies Record<Purpose, string>

/** Whether a question about the workspace can be asked. */
export function canAsk(parts: Parts): boolean {
  return parts.view !== 'json' && isAtTerminal(parts)
}

/** Require a terminal for the question, if the workspace is unknown.
 * @throws CliError usage */
export function requireAskable({ knownId, place }: ExpectedWorkspace, parts: Parts): void {
  if (knownId !== null || canAsk(parts)) return
  throw usageError(
    'the workspace is not confirmed for this folder, and there is no terminal to ask',
    `Add --workspace ID. The pages of a workspace have its id in their address: ${place.server}/w/ID`,
  )
}

/** Which workspace values or names may come from. An id is compared, also one of keyferry.json: it only limits who can
 * approve. A name must be confirmed, except where the library is the caller's own and has one workspace of this name.
 * @returns null: any · @throws CliError usage: there is no terminal to confirm it */
export async function requestedWorkspace(
  { workspace: text, isWorkspaceFlag: isFlag, server, folder }: RequestOptions,
  parts: Parts,
): Promise<ExpectedWorkspace | null> {
  if (text === null) return null
  const expected = expectedWorkspace({ text, isFlag, place: { server, folder } }, parts)
  if (isIdText(text)) return { ...expected, knownId: expected.text }
  if (expected.knownId === null && (await isOwnLibrary(server, parts))) {
    const { workspace } = await openLibrary({ server, workspace: text }, parts)
    return { ...expected, knownId: workspace?.id ?? null }
  }
  requireAskable(expected, parts)
  return expected
}

/** Require that values or names come from the requested workspace. After a yes, this folder remembers it.
 * @throws CliError refused */
export async function requireRequested(
  expected: ExpectedWorkspace | null,
  { workspace, approvers }: Omit<ApprovedFor, 'workspace'> & { readonly workspace: PinnedWorkspace | null },
  { ask, parts }: { ask: WorkspaceQuestion; parts: Parts },
): Promise<void> {
  if (expected === null) return
  if (workspace === null)
    throw refusedError(
      `${expected.place.server} does not say which workspace this comes from`,
      'Nothing was used. Update the server, or omit the workspace.',
    )
  const isConfirmed = await requireExpected({ workspace, approvers }, expected, { ask, purpose: 'used' })
  keepWorkspace(workspace, expected, { isConfirmed, hasReceipt: false, parts })
}

/** Require that an approval is for the workspace of the command. If its id is unknown, ask.
 * @returns whether the person said yes · @throws CliError refused */
export async function requireExpected(
  approved: ApprovedFor,
  expected: ExpectedWorkspace,
  { ask, purpose }: { ask: WorkspaceQuestion; purpose: Purpose },
): Promise<boolean> {
  const { workspace } = approved
  if (expected.knownId !== null ? workspace.id !== expected.knownId : isElsewhere(workspace, expected.text))
    throw otherWorkspace(approved, expected, purpose)
  if (expected.knownId !== null) return false
  const text = `${shown(approved)}. Anyone who sees the link can approve in a workspace of their own`
  const event = { event: 'workspace_asked', workspace, approvers: approved.approvers }
  const question = `  ${VERBS[purpose]} this workspace? [y/N] `
  let answer = await ask({ event, text, isQuestion: true }, question)
  // The page shows its code already.
  while (/^\d{3} ?\d{3}$/.test(answer?.trim() ?? ''))
    answer = await ask({ event, text: 'answer y or n first, then type the code', isQuestion: true }, question)
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return true
  throw refusedError(
    `not confirmed: ${shown(approved)}`,
    `Nothing was ${purpose}. To allow one workspace only, add --workspace ID.`,
  )
}

function isElsewhere(workspace: PinnedWorkspace, text: string | null): boolean {
  return text !== null && !isWorkspace(workspace, text)
}

/** Remember the workspace after a yes, or if a receipt confirms the id that the command gives. */
export function keepWorkspace(
  workspace: PinnedWorkspace,
  { isFlag, place, knownId }: ExpectedWorkspace,
  { isConfirmed, hasReceipt, parts }: { isConfirmed: boolean; hasReceipt: boolean; parts: Parts },
): void {
  if (isConfirmed || (isFlag && hasReceipt && knownId === workspace.id)) pinWorkspace(place, workspace, parts)
}

function otherWorkspace(
  approved: ApprovedFor,
  { text, isFlag }: ExpectedWorkspace,
  purpose: Purpose,
): CliError {
  const pinned = isFlag ? '' : ' If you mean another workspace from now on, run keyferry forget --workspace.'
  return refusedError(
    `${shown(approved)}, but the command is for ${printable(text ?? '', 80)}`,
    `Nothing was ${purpose}. Run the command again. If you did not approve it, keep the link to yourself.${pinned}`,
  )
}

// The id comes first: a name can contain quotes, brackets and the id of another workspace.
function shown({ workspace: { id, name }, approvers }: ApprovedFor): string {
  const by = approvers.length === 0 ? '' : ` by ${printable(approvers.join(' and '), 160)}`
  return `approved${by} for the workspace ${printable(id, 80)}, named "${printable(name, 80)}"`
}
