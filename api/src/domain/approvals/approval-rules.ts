import { type EncryptFromBundle, isProduction, type ReleaseWay, type WhyNotCode } from '@keyferry/contract'
import type { z } from 'zod'
import { isSameNetwork } from '../base/address-block.ts'
import { DomainError } from '../base/errors.ts'
import type { Caller } from '../people/membership.ts'
import { type ApprovalRequest, agentOf, type Support, type Vouch } from '../requests/stored-request.ts'
import { isAtLeast, mayApprove, type Policy, type ProductionFacts, type ValueRules } from './policy.ts'
import { namesRefused, valuesRefused } from './value-rules.ts'

/*
 * Whether a person may approve a request with a bundle, and how. The approval page asks before the click, and
 * `approve` asks again; both get their answer here.
 */

export type Grounds = {
  /** The strictest of all. */
  policy: Policy
  /** Without the rules that come with values. */
  own: Policy
  ofValues: readonly ValueRules[]
  request: ApprovalRequest
  caller: Caller
  /** The first of two approvals of this bundle. */
  first: Support | null
  /** Says whose terminal asks, and counts for what is judged here. */
  vouch: Vouch | null
  /** Another person vouched for the terminal, also if that does not count here. */
  isVouched: boolean
  /** Two people must approve, and no other person may. */
  isAlone: boolean
}

/** `names`: of the values whose rules refuse; without them, the approval may succeed. */
export type Refusal = { code: WhyNotCode; error: string; names?: string[] }

/** What a kind of request says when the rules refuse its approval. */
export type RefusalTexts = Readonly<Record<WhyNotCode, string | ((grounds: Grounds) => string)>>

type ApprovalChoice = Partial<
  Pick<z.output<typeof EncryptFromBundle>, 'release' | 'remember_hours' | 'remember_for'>
>

const RELEASE_REQUIRED =
  'This bundle is delivered only to a client that takes the approval back through its own terminal'
const LOCAL_REQUIRED =
  'This bundle is delivered only to a terminal on the computer of the browser: run the command there, without --no-open'

export const DELIVERY_REFUSALS: RefusalTexts = {
  owner_approves: 'Only an owner may approve requests for this bundle',
  named_approves: notNamed,
  agents_denied: 'This bundle is not delivered to AI agents',
  release_required: ({ policy }) => releaseRequired(policy).error,
  second_person: ({ first, caller }) =>
    first?.userId === caller.userId
      ? 'You approved this request already: another person must approve too'
      : 'Two people must approve requests for this bundle, and you are the only person of the workspace who may',
}

/** What a refusal says where the rules name who may approve. */
export function notNamed({ policy }: Grounds): string {
  return policy.people?.length === 0
    ? 'No one can approve this: no person is on the lists of all rules. Ask an owner to change the rules'
    : 'Only people that the rules name may approve this'
}

/** Why the caller may not approve at all; null: they may. */
export function refusalOf(texts: RefusalTexts, grounds: Grounds): Refusal | null {
  const code = whyNot(grounds)
  return code && refusal(texts, grounds, code)
}

function whyNot({ policy, request, caller, first, isAlone }: Grounds): WhyNotCode | null {
  // Reasons that apply to everyone come first: asking another person cannot help.
  if (policy.agents === 'deny' && agentOf(request) !== null) return 'agents_denied'
  const isBound = isAtLeast(policy.assurance, 'bound')
  if (isBound && waysOf({ policy, request }).length === 0) return 'release_required'
  const ofPerson = whyNotBy(policy, caller)
  if (ofPerson !== null) return ofPerson
  return first?.userId === caller.userId || isAlone ? 'second_person' : null
}

/** Why a person is not among those who may approve; null: they are. */
export function whyNotBy(policy: Policy, caller: Caller): 'named_approves' | 'owner_approves' | null {
  if (mayApprove(policy, caller)) return null
  return mayApprove({ ...policy, people: null }, caller) ? 'named_approves' : 'owner_approves'
}

/** Whether the caller may ask the others to decide: only the rules about people refuse the caller.
 * @param others who may approve */
export function mayAskOthers(grounds: Grounds, others: readonly string[]): boolean {
  const { policy } = grounds
  if (whyNotBy(policy, grounds.caller) === null) return false
  const anybody = { ...grounds, policy: { ...policy, approvers: 'member' as const, people: null } }
  const isEnough = others.length >= policy.approvals_needed && waysOf(grounds).length > 0
  return isEnough && whyNot(anybody) === null
}

function refusal(texts: RefusalTexts, grounds: Grounds, code: WhyNotCode): Refusal {
  const names = namesRefused(code, grounds.ofValues, grounds.own)
  if (names.length > 0) return { code, error: valuesRefused(code, names), names }
  const text = texts[code]
  return { code, error: typeof text === 'string' ? text : text(grounds) }
}

/** What an approver sees of the rules before the click. */
export function shownRules(texts: RefusalTexts, grounds: Grounds) {
  const reason = refusalOf(texts, grounds)
  return {
    assurance: grounds.policy.assurance,
    may_approve: reason === null,
    why_not: reason,
    release: waysOf(grounds),
    release_required: mustReturn(grounds),
    ...(grounds.policy.touch === 'none' ? {} : { touch: grounds.policy.touch }),
  }
}

/** The ways of return that the client offers and the policy allows. */
export function waysOf({ policy, request }: Pick<Grounds, 'policy' | 'request'>): ReleaseWay[] {
  return request.release.filter((way) => policy.assurance !== 'local' || way === 'loopback')
}

/** Whether this approval must return to the terminal. Of two approvals, one must: the last one, unless the first did.
 * A vouch has returned already. */
function mustReturn({ policy, first, vouch }: Grounds): boolean {
  if (!isAtLeast(policy.assurance, 'bound') || vouch !== null) return false
  return policy.approvals_needed === 1 || (first !== null && first.returned === null)
}

/** @throws DomainError release_required · owner_approves · agents_denied · second_person · invalid (a way that the
 *   client does not offer) */
export function requireAllowed(texts: RefusalTexts, grounds: Grounds, { release }: ApprovalChoice): void {
  const refusalAtAll = refusalOf(texts, grounds)
  if (refusalAtAll) throw refused(refusalAtAll)
  const isOffered = release === undefined || grounds.request.release.includes(release)
  if (!isOffered) {
    const details = { field: 'release' }
    throw new DomainError('invalid', `the client does not take an approval back by ${release}`, { details })
  }
  const isEnough = release === undefined ? !mustReturn(grounds) : waysOf(grounds).includes(release)
  if (!isEnough) throw refused(refusal(texts, grounds, 'release_required'))
}

/** For how many hours the approver may let the terminal repeat the approval; 0: not at all. The terminal must have
 * signed the request, and one person's approval must be enough. The terminal of a vouch is another person's. */
export function rememberHours(
  { policy, request, vouch }: Pick<Grounds, 'policy' | 'request' | 'vouch'>,
  isLocal: boolean,
): number {
  const isBound = isLocal || request.release.includes('loopback')
  const isPossible = request.deviceKey !== null && vouch === null && isBound && policy.approvals_needed === 1
  const isAllowed = agentOf(request) === null || policy.agents === 'remember'
  return isPossible && isAllowed ? policy.remember_hours : 0
}

/** Whether the rules let the approver approve this command for its next run, without a return to the terminal: where
 * they let it be remembered, but not for production, where it must stay on this computer, or where the client asks how
 * the approval returns. */
export function mayBeLater(grounds: Grounds, { isLocal, bundle }: RememberedPlace): boolean {
  const { policy, request } = grounds
  const isFree = request.use?.flags.every((flag) => !flag.startsWith('--require-assurance')) === true
  return (
    isFree && policy.assurance !== 'local' && !isProduction(bundle) && rememberHours(grounds, isLocal) > 0
  )
}

/** `isLocal`: the server serves one person on this machine. `seesNetworks`: the operator set TRUST_PROXY. */
export type PlaceParts = { isLocal: boolean; seesNetworks: boolean }

/** Whether the address of a request is the terminal's. Behind an untrusted proxy it is the proxy's. */
export function hasNetwork({ requesterMeta }: ApprovalRequest, { seesNetworks }: PlaceParts): boolean {
  return seesNetworks && isSameNetwork(requesterMeta.ip, '127.0.0.1') !== true
}

/** Whether the command can be part of a task: it runs a program. `pull` does not, and would leave values in a file. */
export function isOfTask({ flags: [command = ''] }: { flags: readonly string[] }): boolean {
  return command === 'run' || command === 'mcp'
}

type RememberedPlace = { isLocal: boolean; bundle: ProductionFacts }

/** Whether the approver may approve a task: any command in this folder, for the keys that they choose. The terminal
 * must have signed a command that runs a program, and its network must be known. */
export function mayBeTask(
  { policy, request, isVouched }: Pick<Grounds, 'policy' | 'request' | 'isVouched'>,
  place: PlaceParts,
): boolean {
  const { deviceKey, use, release } = request
  const isPlaced = place.isLocal || (release.length > 0 && hasNetwork(request, place))
  const isProgram = deviceKey !== null && use !== null && isOfTask(use) && !isVouched
  return isProgram && isPlaced && allowsTask(policy, request)
}

function allowsTask(policy: Policy, request: ApprovalRequest): boolean {
  return policy.tasks === 'allow' && (agentOf(request) === null || policy.agents === 'remember')
}

/** Whether an approval may be remembered for all working trees of the repository: they have all branches, also those
 * of strangers. What production delivers is approved for one folder. */
export function mayRememberRepository({ use }: ApprovalRequest, bundle: ProductionFacts): boolean {
  return use?.repository !== undefined && !isProduction(bundle)
}

/** @throws DomainError invalid */
export function requireRememberable(
  grounds: Grounds,
  choice: ApprovalChoice,
  place: RememberedPlace & PlaceParts,
): void {
  const { isLocal, bundle } = place
  const hours = choice.remember_hours
  if (choice.remember_for === 'task') {
    const isReturned = isLocal || choice.release !== undefined
    if (hours === undefined && isReturned && mayBeTask(grounds, place)) return
    throw new DomainError('invalid', 'this approval cannot start a task', {
      details: { field: 'remember_for' },
    })
  }
  if (hours === undefined) return
  const most = rememberHours(grounds, isLocal)
  const details = { field: 'remember_hours', most }
  if (choice.remember_for === 'repository' && !mayRememberRepository(grounds.request, bundle))
    throw new DomainError('invalid', 'this approval cannot be remembered for a repository', {
      details: { field: 'remember_for' },
    })
  if (hours > most)
    throw new DomainError('invalid', `this approval can be remembered for ${most} hours at most`, { details })
  if (!isLocal && choice.release !== 'loopback')
    throw new DomainError('invalid', 'only an approval that returns over loopback can be remembered', {
      details,
    })
}

/** `approver`: what they are now; null: they may do nothing with the bundle. */
type LateReturn = {
  request: ApprovalRequest
  by: ReleaseWay
  approver: Pick<Caller, 'userId' | 'role'> | null
  touches: readonly unknown[] | undefined
  /** How many people approved. */
  given: number
  isTask: boolean
}

/** Refuses the return of an approval that the rules do not allow any more.
 * @param policy null: the bundle is gone
 * @throws DomainError conflict */
export function requireStillAllowed(
  policy: Policy | null,
  { request, by, approver, touches = [], given, isTask }: LateReturn,
): void {
  if (policy && approver && mayApprove(policy, approver) && waysOf({ policy, request }).includes(by)) {
    const signed = policy.touch === 'none' ? given : touches.length
    const isAllowed = isTask
      ? allowsTask(policy, request)
      : policy.agents !== 'deny' || agentOf(request) === null
    if (signed >= policy.approvals_needed && isAllowed) return
  }
  throw new DomainError('conflict', 'The rules changed after the approval: run the command again')
}

export function refused({ code, error, names }: Refusal): DomainError {
  return new DomainError(code, error, names ? { details: { names } } : {})
}

export function releaseRequired({ assurance }: Pick<Policy, 'assurance'>): Refusal {
  return { code: 'release_required', error: assurance === 'local' ? LOCAL_REQUIRED : RELEASE_REQUIRED }
}
