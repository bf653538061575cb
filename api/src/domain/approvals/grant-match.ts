import { type ASKS_AGAIN, REDACTIONS } from '@keyferry/contract'
import { isSameNetwork } from '../base/address-block.ts'
import { listed } from '../base/errors.ts'
import { type ApprovalRequest, agentOf } from '../requests/stored-request.ts'
import { isOfTask } from './approval-rules.ts'
import type { KnownGrant, SignedUse } from './grant.ts'

/*
 * Whether a request is what a person let its terminal repeat. The answer names only what the client sent, so it tells
 * nobody what was approved.
 */

/** Why a remembered approval does not count for a request. `differs`: in words, if the request is the reason. */
export type GrantMismatch = { asks_again: (typeof ASKS_AGAIN)[number]; differs?: string }

/** The parts of a grant that a request is compared with. */
type ApprovedCommand = Pick<KnownGrant, 'argv' | 'argvMasked' | 'cwd' | 'agent' | 'use' | 'asked' | 'keys'>

/** @returns null: the request is what was approved */
export function mismatch(grant: ApprovedCommand, request: ApprovalRequest): GrantMismatch | null {
  const { repository, once, task } = grant.use ?? {}
  const isElsewhere =
    repository === undefined ? grant.cwd !== request.cwd : request.use?.repository !== repository
  const command = task ? null : commandDiffers(grant, request)
  const asked = new Set(request.templateKeys)
  const differing: readonly [GrantMismatch['asks_again'], string | null][] = [
    ['other_command', command ?? useDiffers(request, grant.use)],
    ['other_folder', isElsewhere ? 'the folder differs' : null],
    ['other_agent', agentDiffers(grant.agent, agentOf(request))],
    ['other_network', (once || task) && !isHere(grant.use, request) ? 'your network changed' : null],
    ['other_keys', task ? namesBeyond(grant, asked) : namesDiffer(new Set(grant.asked), asked)],
  ]
  for (const [asks_again, differs] of differing) if (differs !== null) return { asks_again, differs }
  return null
}

/** Whether the approved request came from the network of this one. */
export function isHere(use: SignedUse | null, { requesterMeta }: ApprovalRequest): boolean {
  return use?.network !== undefined && isSameNetwork(use.network, requesterMeta.ip) === true
}

function commandDiffers(
  { argv: approved, argvMasked }: ApprovedCommand,
  request: ApprovalRequest,
): string | null {
  const argv = request.argv ?? []
  const at = argv.findIndex((text, index) => text !== approved[index])
  if (at === 0) return 'the program differs'
  if (at > 0) return at < approved.length ? `argument ${at} differs` : `argument ${at} is new`
  if (argv.length < approved.length) return `argument ${argv.length} is missing`
  return argvMasked === request.argvMasked ? null : 'an argument that is not shown differs'
}

// Without flags a terminal says neither its redaction nor its output: nothing but the same is covered.
function useDiffers({ use }: ApprovalRequest, approved: SignedUse | null): string | null {
  if (use === null || approved === null) return use === approved ? null : 'another version of keyferry asks'
  if (REDACTIONS.indexOf(use.redaction) < REDACTIONS.indexOf(approved.redaction))
    return 'less of the output is hidden'
  if (!approved.task) return flagsDiffer(use.flags, approved.flags)
  return isOfTask(use) ? flagsDiffer(use.flags.slice(1), approved.flags.slice(1)) : 'it is not part of a task'
}

function flagsDiffer(flags: SignedUse['flags'], approved: SignedUse['flags']): string | null {
  const added = flags.find((flag) => !approved.includes(flag))
  const isKnown = approved.some((flag) => nameOf(flag) === nameOf(added ?? ''))
  if (added !== undefined) return `${nameOf(added)} ${isKnown ? 'differs' : 'is new'}`
  const left = approved.find((flag) => !flags.includes(flag))
  if (left !== undefined) return `${nameOf(left)} is missing`
  return flags.join('\n') === approved.join('\n') ? null : 'the order of the flags differs'
}

const nameOf = (flag: string) => flag.replace(/=.*/s, '')

function agentDiffers(approved: string | null, asks: string | null): string | null {
  return approved === asks ? null : `${asks ?? 'a person'} asks, ${approved ?? 'a person'} was approved`
}

function namesDiffer(approved: ReadonlySet<string>, asked: ReadonlySet<string>): string | null {
  const added = [...asked].filter((name) => !approved.has(name)).toSorted()
  if (asked.size === 0) return approved.size === 0 ? null : 'it asks for all variables'
  if (approved.size === 0) return 'it asks for some of the variables'
  if (added.length === 0) return asked.size < approved.size ? 'it asks for fewer variables' : null
  return alsoAsks(added)
}

// A command of a task may ask for fewer names. At least one of them must have been approved.
function namesBeyond({ asked, keys }: ApprovedCommand, names: ReadonlySet<string>): string | null {
  if (names.size === 0) return asked.length === 0 ? null : 'it asks for all variables'
  const added = [...names].filter((name) => !asked.includes(name) && !keys.includes(name))
  if (added.length > 0) return alsoAsks(added.toSorted())
  return keys.some((name) => names.has(name)) ? null : alsoAsks([...names].toSorted())
}

function alsoAsks(added: readonly string[]): string {
  return `it also asks for ${listed(added, 3)}`
}
