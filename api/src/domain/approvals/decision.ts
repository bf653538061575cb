import { isDeepStrictEqual } from 'node:util'
import { ATTEMPTS, type Release, type ReleaseWay } from '@keyferry/contract'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import { admit, type Caller } from '../people/membership.ts'
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
import { approveStep, wrongCodeStep } from '../requests/request-steps.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import type { ApprovalRequest, FirstApproval, Hold, Vouch } from '../requests/stored-request.ts'
import { type Asking, groundsOf, type Judged, type RuleParts } from './approval-grounds.ts'
import { type Grounds, mustTypeCode, type RefusalTexts, requireAllowed } from './approval-rules.ts'
import { type Ending, type EndParts, endApproval, endingOf, removeApproval } from './ending.ts'
import { requireRoomForFirst } from './open-vouches.ts'
import { requestOrigin } from './request-delivery.ts'

/*
 * How a person approves a request of any kind. A kind says what an approval would give and which bundles' rules judge
 * it; everything else happens here, in one order. Of any number of calls for one request, one wins.
 */

export type DecisionParts = RequestParts &
  RuleParts &
  EndParts & {
    /** How long a request lives from the moment on which it waits for another person. */
    waitingSeconds: number
  }

/** What every approver chooses. */
export type Choice = { release?: ReleaseWay | undefined; user_code?: string | undefined }

export type Kind<Parts, Chosen> = {
  refusals: RefusalTexts
  /** What approving this request gives.
   * @throws DomainError conflict: a request of another kind */
  offer(parts: Parts, asking: Asking, chosen: Chosen): Promise<Offer>
}

type Offer = Judged & {
  /** Refuses what the approver did not see, or may not choose.
   * @throws DomainError */
  requireSame(grounds: Grounds): void | Promise<void>
  /** Writes the record of the approval, or returns what writes it. */
  begin(grounds: Grounds, hold: Hold | null): Promise<Begun>
}

/** An approval. */
export type Begun = {
  /** Writes its record. Called once, before the approval takes effect. */
  record?: () => Promise<void>
  /** Null for a first approval, which gives nothing yet, and where nobody signed in. */
  approved: Approved | null
  /** Sealed to the client; null where nothing is. */
  ciphertextBase64: string | null
  /** The first of two approvals. */
  first?: FirstApproval | null
  /** Where two people approve. */
  approvals?: { given: number; needed: number }
}

type Deciding<Parts, Chosen> = { kind: Kind<Parts, Chosen>; requestId: string; choice: Chosen }

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
 *   does not offer) · forbidden (the approver was removed before the approval arrived, so it ended) · what the kind
 *   throws */
export async function decide<Parts extends DecisionParts, Chosen extends Choice>(
  parts: Parts,
  caller: Caller,
  { kind, requestId, choice }: Deciding<Parts, Chosen>,
): Promise<{ approved: Decided; request: ApprovalRequest }> {
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
  const origin = { ...caller.origin, ...requestOrigin(request) }
  await requireSameRules(parts, { asking, offer, grounds, begun, origin })
  const { vouch } = grounds
  await settle(parts, stored, { ...begun, vouch, hold: held?.hold ?? null, origin })
  const ending = begun.approved && endingOf(parts, begun.approved)
  await requireStillAllowed(parts, asking, ending)
  const carried = held ? { release: held.release } : await ending?.carryOut?.(request, caller)
  const approvals = begun.approvals && { approvals: begun.approvals }
  return { approved: { ok: true, ...approvals, ...carried }, request }
}

type Judging = { asking: Asking; offer: Judged; grounds: Grounds; begun: Begun; origin: Origin }

// What is sealed may have come under other rules before it was read.
async function requireSameRules(
  parts: DecisionParts & EndParts,
  { asking, offer, grounds, begun: { approved, record }, origin }: Judging,
): Promise<void> {
  const [{ policy, vouch }] = await Promise.all([groundsOf(parts, asking, offer), record?.()])
  if (isDeepStrictEqual([policy, vouch], [grounds.policy, grounds.vouch])) return
  await endApproval(parts, notKept(approved), { reason: 'overtaken', origin })
  throw new DomainError('conflict', 'The rules changed while you approved. Load the page again, then decide.')
}

// Removing a person ends their approvals. One that lands after that was not there to be found, so it ends here. So does
// a first approval of many at once, which did not find the others.
async function requireStillAllowed(
  parts: DecisionParts,
  { caller, stored: { request } }: Asking,
  ending: Ending | null,
): Promise<void> {
  try {
    await admit(parts.stores.memberships, caller, caller.role)
    if (ending === null) await requireRoomForFirst(parts, caller, request.id)
  } catch (error) {
    if (ending?.refused) await ending.refused(request)
    else await removeApproval(parts, request.id, caller)
    throw error
  }
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved) */
export async function findPending(parts: RequestParts, requestId: string): Promise<OpenRequest> {
  const stored = await findOpen(parts, requestId)
  if (stored.status !== 'pending') throw alreadyApproved()
  return stored
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict */
export async function settle(
  parts: Pick<DecisionParts, keyof (RequestParts & EndParts) | 'waitingSeconds'>,
  { request, first: before }: OpenRequest,
  {
    approved,
    ciphertextBase64,
    first = null,
    hold,
    vouch,
    origin,
  }: Begun & { hold: Hold | null; vouch: Vouch | null; origin: Origin | null },
): Promise<void> {
  const after = before?.approverId ?? null
  const longerMs = parts.waitingSeconds * 1_000
  const step = { after, first, approved, ciphertextBase64, hold, vouch, longerMs }
  const settled = await changeRequest(parts, request.id, (stored, nowMs) => approveStep(stored, step, nowMs))
  if (settled === 'done') return
  await endApproval(parts, notKept(approved), { reason: 'overtaken', origin })
  requireOpen(settled)
  if (settled === 'ready' || settled === 'held') throw alreadyApproved()
  throw new DomainError(
    'conflict',
    'Another person changed this request while you read it. Load the page again, then decide.',
  )
}

// An approval that no request has.
const notKept = (approved: Approved | null) =>
  ({ status: 'pending', approved, first: null, vouch: null }) as const

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
