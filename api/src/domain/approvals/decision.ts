import { ATTEMPTS, type Release, type ReleaseWay } from '@keyferry/contract'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Caller, requireMember } from '../people/membership.ts'
import type { Approved } from '../requests/approved.ts'
import { newHold } from '../requests/release-hold.ts'
import {
  alreadyApproved,
  changeRequest,
  findOpen,
  type OpenRequest,
  type RequestParts,
  requireInside,
  requireOpen,
  userCodeOf,
} from '../requests/request.ts'
import { approveStep, type Settled, wrongCodeStep } from '../requests/request-steps.ts'
import type { RequestStore, Step } from '../requests/request-store.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import type { ApprovalRequest, FirstApproval, Hold, Vouch } from '../requests/stored-request.ts'
import { type Asking, groundsOf, type Judged, type RuleParts } from './approval-grounds.ts'
import { type Grounds, mustTypeCode, type RefusalTexts, requireAllowed } from './approval-rules.ts'
import { type EndParts, endingOf } from './ending.ts'
import { requireRoomForFirst } from './open-vouches.ts'
import { type Joined, notingRules, type Together } from './together.ts'

/*
 * How a person approves a request of any kind. A kind says what an approval would give and which bundles' rules judge
 * it; everything else happens here, in one order. What was read before is sealed outside of the transaction. Then one
 * transaction changes the request, writes the record of the approval, and makes sure that the approver is still a
 * member and that the rules are the same. Of any number of calls for one request, one wins, and the others write
 * nothing.
 */

export type DecisionParts<Own = Joined> = RequestParts &
  RuleParts &
  EndParts & {
    together: Together<Own>
    /** How long a request lives from the moment on which it waits for another person. */
    waitingSeconds: number
  }

/** What every approver chooses. */
export type Choice = { release?: ReleaseWay | undefined; user_code?: string | undefined }

export type Kind<Parts, Chosen, Own = Joined> = {
  refusals: RefusalTexts
  /** What approving this request gives.
   * @throws DomainError conflict: a request of another kind */
  offer(parts: Parts, asking: Asking, chosen: Chosen): Promise<Offer<Own>>
}

type Offer<Own> = Judged & {
  /** Refuses what the approver did not see, or may not choose.
   * @throws DomainError */
  requireSame(grounds: Grounds): void | Promise<void>
  /** Seals what is approved. */
  begin(grounds: Grounds, hold: Hold | null): Promise<Begun<Own>>
}

/** An approval. */
export type Begun<Own = Joined> = {
  /** Writes its record, in the transaction that makes it take effect. */
  record?: (own: Own) => Promise<void>
  /** Null for a first approval, which gives nothing yet, and where nobody signed in. */
  approved: Approved | null
  /** Sealed to the client; null where nothing is. */
  ciphertextBase64: string | null
  /** The first of two approvals. */
  first?: FirstApproval | null
  /** Where two people approve. */
  approvals?: { given: number; needed: number }
}

type Deciding<Parts, Chosen, Own> = { kind: Kind<Parts, Chosen, Own>; requestId: string; choice: Chosen }

/** What the approver gets. */
type Decided = {
  ok: true
  approvals?: { given: number; needed: number }
  release?: z.output<typeof Release>
} & Partial<AppliedDeposit>

/** Approve a request.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved already,
 *   another kind, other rules by now, or another person was faster) · release_required · owner_approves ·
 *   named_approves · agents_denied · second_person · invalid (a wrong or missing check code, or a way that the client
 *   does not offer) · forbidden (the approver was removed, or has another role) · what the kind throws */
export async function decide<Own extends Joined, Parts extends DecisionParts<Own>, Chosen extends Choice>(
  given: Parts,
  caller: Caller,
  { kind, requestId, choice }: Deciding<Parts, Chosen, Own>,
): Promise<{ approved: Decided; request: ApprovalRequest }> {
  const rules = notingRules(given.stores.policies)
  const parts = { ...given, stores: { ...given.stores, policies: rules.policies } }
  const stored = await findPending(parts, requestId)
  requireInside(stored, caller)
  const asking = { caller, stored }
  const offer = await kind.offer(parts, asking, choice)
  const grounds = await groundsOf(parts, asking, offer)
  requireAllowed(kind.refusals, grounds, choice)
  await offer.requireSame(grounds)
  await requireUserCode(parts, grounds, choice)
  const { request } = stored
  const held = choice.release === undefined ? null : newHold(parts.clock, stored, choice.release)
  const begun = await offer.begin(grounds, held?.hold ?? null)
  const approving = { ...begun, vouch: grounds.vouch, hold: held?.hold ?? null }
  await parts.together((own) => settleTogether({ parts, own, rules }, asking, approving))
  const ending = begun.approved && endingOf(parts, begun.approved)
  const carried = held ? { release: held.release } : await ending?.carryOut?.(request, caller)
  const approvals = begun.approvals && { approvals: begun.approvals }
  return { approved: { ok: true, ...approvals, ...carried }, request }
}

type Approval<Own> = Begun<Own> & { hold: Hold | null; vouch: Vouch | null }

type Settling<Own> = {
  parts: Pick<DecisionParts<Own>, keyof RequestParts | 'waitingSeconds'>
  own: Own
  rules: Pick<ReturnType<typeof notingRules>, 'areSame'>
}

async function settleTogether<Own extends Joined>(
  { parts, own, rules }: Settling<Own>,
  { caller, stored }: Asking,
  approving: Approval<Own>,
): Promise<void> {
  const isFirst = approving.first != null
  const [role, , areSame] = await Promise.all([
    own.holdMember(caller, isFirst),
    settle({ ...parts, requests: own.requests }, stored, approving),
    rules.areSame(own.policies),
  ])
  requireMember(role, caller)
  if (!areSame)
    throw new DomainError(
      'conflict',
      'The rules changed while you approved. Load the page again, then decide.',
    )
  if (isFirst) await requireRoomForFirst({ ...parts, requests: own.requests }, caller, stored.request.id)
  await approving.record?.(own)
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved) */
export async function findPending(parts: RequestParts, requestId: string): Promise<OpenRequest> {
  const stored = await findOpen(parts, requestId)
  if (stored.status !== 'pending') throw alreadyApproved()
  return stored
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict */
export async function settle(
  parts: { requests: Pick<RequestStore, 'change'>; clock: ClockAndIds; waitingSeconds: number },
  seen: OpenRequest,
  {
    approved,
    ciphertextBase64,
    first = null,
    hold,
    vouch,
  }: Omit<Begun, 'record'> & { hold: Hold | null; vouch: Vouch | null },
): Promise<void> {
  const { request, first: before } = seen
  const after = before?.approverId ?? null
  const longerMs = parts.waitingSeconds * 1_000
  const step = { after, first, approved, ciphertextBase64, hold, vouch, longerMs }
  const approve: Step<Settled> = (stored, nowMs) => approveStep(stored, step, nowMs)
  const settled = await parts.requests.change(request.id, parts.clock.now().getTime(), approve, seen)
  if (settled === 'done') return
  requireOpen(settled)
  if (settled === 'ready' || settled === 'held') throw alreadyApproved()
  throw new DomainError(
    'conflict',
    'Another person changed this request while you read it. Load the page again, then decide.',
  )
}

// A code that is given is checked even where none is required: an approver who types it expects it to count.
async function requireUserCode(parts: RequestParts, grounds: Grounds, choice: Choice): Promise<void> {
  const typed = choice.user_code ?? ''
  if (typed === '') {
    if (!mustTypeCode(grounds, choice)) return
    throw new DomainError('invalid', 'user_code required', { details: { field: 'user_code' } })
  }
  if (normalizeUserCode(typed) !== userCodeOf(grounds.request)) throw await wrongCode(parts, grounds.request)
}

async function wrongCode(parts: RequestParts, { id }: ApprovalRequest): Promise<DomainError> {
  const left = await changeRequest(parts, id, (stored) => wrongCodeStep(stored, ATTEMPTS.wrongUserCodes))
  const details = { field: 'user_code', attempts_left: typeof left === 'number' ? left : 0 }
  return new DomainError('invalid', 'user_code does not match', { details })
}
