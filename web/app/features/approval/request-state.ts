import { errorRow } from '@keyferry/contract/error-codes'
import type { ApprovalAnswer, Candidate, RequestContext, Tenant } from '../../lib/calls/answers.ts'
import type { Failure } from '../../lib/calls/failure.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import type { PlaceName } from './place/place.ts'
import type { LoopbackPlace } from './way-back.ts'

/** Why there is nothing to decide. */
export type RequestEnd =
  | 'denied'
  | 'withdrawn'
  | 'expired'
  | 'later'
  | 'gone'
  | 'already_approved'
  | 'not_collected'
  | 'signed_out'
  | 'other_person'
  | 'forbidden'
  | 'unreachable'

/** `delivery`: the terminal gets values. `deposit`: they come from the terminal. `names`: it gets
 * names and no value. */
const REQUEST_KINDS = ['delivery', 'deposit', 'names'] as const satisfies RequestContext['kind'][]

export type RequestKind = (typeof REQUEST_KINDS)[number]

/** What a person can choose: a deposit that they may not store becomes a proposal, and where only others may approve,
 * they vouch for the request. */
export const CHOICE_KINDS = [...REQUEST_KINDS, 'proposal', 'vouch'] as const

/** An older server names no kind, and knows deliveries only. */
export const kindOf = ({ kind = 'delivery' }: Pick<RequestContext, 'kind'>): RequestKind => kind

/** What a person chose. */
export type Choice = {
  workspaceId: string
  bundle: PlaceName
  keys: readonly string[]
  kind: (typeof CHOICE_KINDS)[number]
  /** Who was asked to decide, after a vouch. A reload forgets them. */
  deciders?: readonly string[]
  /** Another person approved first or vouched, and the terminal is probably theirs. */
  isSecond: boolean
  /** If nothing can reach the command, its next run can be approved instead. */
  mayBeLater?: boolean
  /** Until when a request that is gone was delivered, on the server's clock; for ever once this tab saw that it was. */
  untilMs?: number
}

/** Who decides. `account`: how the person knows their own account. */
export type Approver = { account: string; signsIn: boolean; workspaces: readonly Tenant[] }

/** A request to decide on. `candidates`: the bundles that the terminal may mean. */
export type LoadedRequest = {
  context: RequestContext
  candidates: readonly Candidate[]
  person: Approver
}

/** An open request, and where its decision goes. */
export type RequestView = {
  requestId: string
  request: LoadedRequest
  /** A link on a web page led here, not the terminal. */
  openedByLink: boolean
  /** Where the client says that it takes the approval back. */
  wayBack: LoopbackPlace | null
  onApproved: (choice: Choice, answer: ApprovalAnswer) => void
  onEnd: (end: RequestEnd) => void
}

/** An approval that waits for its return to the terminal. `choice`: null if this tab did not approve. `code`: what to
 * type there. `untilMs`: until when it can return this way, on the server's clock. `isKept`: the terminal asks its
 * person first. */
export type HeldRequest = {
  context: RequestContext
  choice: Choice | null
  by: 'loopback' | 'code'
  code: string | null
  untilMs: number
  isKept: boolean
  /** This page is handing the approval to the client. */
  isReturning: boolean
}

/** `approved`: `expiresAt` is null once the terminal has the values. `second`: this tab gave the first of two
 * approvals, or vouched, and another person decides. */
export type RequestPhase =
  | { phase: 'loading' }
  | ({ phase: 'open' } & LoadedRequest)
  | ({ phase: 'held' } & HeldRequest)
  | { phase: 'second'; context: RequestContext; choice: Choice }
  | { phase: 'approved'; expiresAt: string; choice: Choice; delivered: boolean }
  | { phase: 'ended'; end: RequestEnd }

// The person can choose other keys, or change the plan.
function isAnswerable({ code, details }: Failure): boolean {
  return errorRow(code)?.isOpen === true || 'keys' in details || 'names' in details
}

/** The end that a failed call means, or null when the person can try the same again. A request that is unknown after
 * its time has expired; before its time it was used. */
export function endOf(failure: Failure, expiresAt: string | null, nowMs = serverNowMs()): RequestEnd | null {
  const end = errorRow(failure.code)?.ends
  if (end !== undefined) return end
  if (failure.status === 404) return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'gone'
  if (failure.status === 409) return isAnswerable(failure) ? null : 'already_approved'
  if (failure.status === 401) return 'signed_out'
  // A refusal with a code of its own says what to do, also one that this page does not know yet.
  if (failure.status === 403) return failure.code === 'forbidden' ? 'forbidden' : null
  return null
}

// A person can sign in, sign in as another person, or try again.
const PASSING: ReadonlySet<RequestEnd> = new Set(['signed_out', 'other_person', 'forbidden', 'unreachable'])

/** Whether the request cannot return to its client any more. */
export function isOver(state: RequestPhase): boolean {
  return (
    (state.phase === 'ended' && !PASSING.has(state.end)) || (state.phase === 'approved' && state.delivered)
  )
}
