import { ATTEMPTS, type Release, type ReleaseWay } from '@keyferry/contract'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Caller, type Membership, requireMember, type SignedCaller } from '../people/membership.ts'
import { type AcceptedTouch, spendTouch, type TouchCounts } from '../people/touch.ts'
import type { Approved } from '../requests/approved.ts'
import { newHold } from '../requests/release-hold.ts'
import {
  alreadyApproved,
  changeRequest,
  findOpen,
  type RequestParts,
  requireInside,
  userCodeOf,
} from '../requests/request.ts'
import {
  appliedStep,
  approveStep,
  laterStep,
  type Supporting,
  supportStep,
  wrongCodeStep,
} from '../requests/request-steps.ts'
import type { RequestStep, RequestStore } from '../requests/request-store.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import type { Hold, StoredRequest, Support, UndecidedRequest, Vouch } from '../requests/stored-request.ts'
import { type ApprovalScope, groundsOf, type OpenCall, type RuleParts } from './approval-grounds.ts'
import { type Grounds, type RefusalTexts, requireAllowed } from './approval-rules.ts'
import { notingRules } from './noting-rules.ts'
import type { PolicyReads } from './policy.ts'
import {
  type SigningParts,
  type StatementFacts,
  signatureOf,
  signedApproval,
  type TouchOfReceipt,
} from './signed-approval.ts'

/*
 * How a person decides for a request of any kind: approves it, or vouches for it. A kind says what that would give and
 * which bundles' rules judge it; everything else happens here, in one order. What was read before is sealed outside of
 * the transaction, and signed by the approver where the rules ask for it. Then one transaction changes the request,
 * writes the record of the approval, and makes sure that the approver is still a member and that the rules are the
 * same. Of any number of calls for one request, one wins, and the others write nothing.
 */

/** What the transaction of a decision reads and writes, beside what the kind writes. */
export type DecisionStores = TouchCounts & {
  requests: Pick<RequestStore, 'change'> & {
    /** What this person supports and what waits for another person of the tenant, locked. Few: people have a bound. */
    waitingFrom(person: SignedCaller, nowMs: number): Promise<StoredRequest[]>
    /** All that waits for another person of the tenant. Lock the workspace to count. */
    waitingIn(tenantId: string, nowMs: number): Promise<StoredRequest[]>
  }
  policies: PolicyReads
  /** Other transactions that lock this workspace wait until this one ends. Call it before `lockMember`. */
  lockWorkspace(tenantId: string): Promise<void>
  /** What an active person is, whom nobody removes, disables, limits or gives another role until the transaction ends.
   * Call it before all else. `alone`: another transaction of the same person waits too.
   * @returns null: they may do nothing in the tenant */
  lockMember(person: SignedCaller, alone: boolean): Promise<Membership | null>
}

/** `Own`: the stores that the transaction has. */
export type DecisionParts<Own> = RequestParts &
  RuleParts &
  SigningParts & {
    together: <T>(work: (own: Own) => Promise<T>, options?: { storesIn?: string | undefined }) => Promise<T>
    /** How long a request lives from the moment on which it waits for another person. */
    waitingSeconds: number
  }

/** What every approver chooses. */
export type ReleaseChoice = { release?: ReleaseWay | undefined; user_code?: string | undefined }

export type ApprovalKind<Parts, Chosen, Own> = {
  refusals: RefusalTexts
  /** The request, where it need not be undecided. */
  find?: typeof findOpen
  /** Refuses who may not decide so; absent: who may not approve.
   * @throws DomainError */
  judge?: typeof requireAllowed
  /** What this decision gives.
   * @throws DomainError conflict: a request of another kind */
  offer(parts: Parts, asking: OpenCall, chosen: Chosen): Promise<KindOffer<Own>>
}

type KindOffer<Own> = ApprovalScope & {
  /** Refuses what the approver did not see, or may not choose.
   * @throws DomainError */
  requireSame(grounds: Grounds): void | Promise<void>
  /** Seals what is approved. */
  begin(grounds: Grounds, hold: Hold | null): Promise<Begun<Own>>
}

type Gives =
  | Supporting['gives']
  | { as: 'approval'; approved: Approved | null; ciphertextBase64: string | null }
  | { as: 'later' }

/** A decision. */
export type Begun<Own> = {
  /** What is approved, sealed to the client where it gets anything; or a support, which gives nothing yet; or the next
   * run. */
  gives: Gives
  /** What the approver signs of it, where the rules ask for a signature; absent: nobody signs it. */
  signs?: () => StatementFacts
  /** Writes its record, in the transaction that makes it take effect. */
  record(own: Own): Promise<void>
  /** Then carries it out.
   * @returns what was stored */
  carryOut?(own: Own, touches: TouchOfReceipt[]): Promise<AppliedDeposit>
  /** The workspace whose library `carryOut` changes. */
  storesIn?: string
  /** Refuses one more support where too many wait. */
  room?: {
    /** Whose supports count. */
    of: 'person' | 'workspace'
    /** @param open what waits for another person
     * @throws DomainError */
    require(open: readonly StoredRequest[]): void
  }
  /** Where two people approve. */
  approvals?: { given: number; needed: number }
}

/** `act`: the row of the endpoint table. `touch`: the header with the signature. */
type DecisionCall<Parts, Chosen, Own> = {
  kind: ApprovalKind<Parts, Chosen, Own>
  act: string
  requestId: string
  choice: Chosen
  touch?: string | undefined
}

/** What the approver gets. */
type Decided = {
  ok: true
  approvals?: { given: number; needed: number }
  release?: z.output<typeof Release>
} & Partial<AppliedDeposit>

/** Decide for a request.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved already,
 *   another kind, other rules by now, or another person was faster) · release_required · owner_approves ·
 *   named_approves · agents_denied · second_person · invalid (a wrong or missing check code, or a way that the client
 *   does not offer) · forbidden (the approver was removed, or has another role) · touch_required · touch_refused ·
 *   changed (what was signed is not what happens now) · what the kind throws */
export async function decide<
  Own extends DecisionStores,
  Parts extends DecisionParts<Own>,
  Chosen extends ReleaseChoice,
>(
  given: Parts,
  caller: Caller,
  { kind, act, requestId, choice, touch: header }: DecisionCall<Parts, Chosen, Own>,
): Promise<Decided> {
  const rules = notingRules(given.stores.policies)
  const parts = { ...given, stores: { ...given.stores, policies: rules.policies } }
  const stored = await (kind.find ?? findUndecided)(parts, requestId)
  requireInside(stored, caller)
  const asking = { caller, stored }
  const offer = await kind.offer(parts, asking, choice)
  const grounds = await groundsOf(parts, asking, offer)
  const judge = kind.judge ?? requireAllowed
  judge(kind.refusals, grounds, choice)
  await offer.requireSame(grounds)
  await requireUserCode(parts, grounds, choice)
  const held = choice.release === undefined ? null : newHold(parts.clock, stored, choice.release)
  const hold = held?.hold ?? null
  const begun = await offer.begin(grounds, hold)
  const { storesIn, approvals, signs: facts } = begun
  const touch = facts
    ? await signedApproval(parts, asking, { act, grounds, hold, facts, given: header })
    : null
  const settling = { ...begun, touch, hold, vouch: grounds.vouch, first: grounds.first }
  const applied = await parts.together((own) => settle({ ...parts, own, rules }, asking, settling), {
    storesIn,
  })
  const answer = held ? { release: held.release } : applied
  return { ok: true, ...(approvals && { approvals }), ...answer }
}

type SettleParts<Own> = Begun<Own> & {
  touch: AcceptedTouch | null
  hold: Hold | null
  vouch: Vouch | null
  first: Support | null
}

// Of two people, the receipt carries both touches.
function signedBy(gives: Gives, touches: readonly TouchOfReceipt[]): Gives {
  const signed = { touches: [...touches] }
  if (gives.as === 'first') return { ...gives, support: { ...gives.support, ...signed } }
  return gives.as === 'approval'
    ? { ...gives, approved: gives.approved && { ...gives.approved, ...signed } }
    : gives
}

async function settle<Own extends DecisionStores>(
  parts: DecisionParts<Own> & { own: Own; rules: Pick<ReturnType<typeof notingRules>, 'areSame'> },
  { caller, stored }: OpenCall,
  settling: SettleParts<Own>,
): Promise<AppliedDeposit | null> {
  const { own, rules, clock } = parts
  const { touch, first } = settling
  const touches = touch ? [...(first?.touches ?? []), signatureOf(touch)] : []
  const gives = touch ? signedBy(settling.gives, touches) : settling.gives
  const nowMs = clock.now().getTime()
  const { id } = stored.request
  const { room } = settling
  const isOfWorkspace = room?.of === 'workspace'
  if (isOfWorkspace) await own.lockWorkspace(caller.tenantId)
  const [member, , areSame] = await Promise.all([
    own.lockMember(caller, room !== undefined),
    own.requests.change(id, nowMs, decisionStep({ caller, stored }, { ...settling, gives }, parts)),
    rules.areSame(own.policies),
  ])
  requireMember(member, caller)
  if (!areSame)
    throw new DomainError(
      'conflict',
      'The rules changed while you approved. Load the page again, then decide.',
    )
  if (touch) await spendTouch(own, touch, timestamp(clock))
  const open = isOfWorkspace ? own.requests.waitingIn(caller.tenantId, nowMs) : null
  room?.require(await (open ?? own.requests.waitingFrom(caller, nowMs)))
  await settling.record(own)
  const applied = await settling.carryOut?.(own, touches)
  if (applied) await own.requests.change(id, nowMs, (now) => appliedStep(now, applied))
  return applied ?? null
}

function decisionStep(
  { caller: by, stored: was }: OpenCall,
  { gives, hold, vouch }: Pick<SettleParts<never>, 'gives' | 'hold' | 'vouch'>,
  { waitingSeconds }: Pick<DecisionParts<never>, 'waitingSeconds'>,
): RequestStep<void> {
  const seen = { first: was.first?.userId ?? null, vouch }
  if (gives.as === 'later') return (now) => laterStep(now, { seen, was, by })
  if (gives.as === 'approval') return (now) => approveStep(now, { ...gives, seen, hold })
  const step = { seen, gives, hold, longerMs: waitingSeconds * 1_000 }
  return (now, nowMs) => supportStep(now, step, nowMs)
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved) */
export async function findUndecided(parts: RequestParts, requestId: string): Promise<UndecidedRequest> {
  const stored = await findOpen(parts, requestId)
  if (stored.status !== 'open') throw alreadyApproved()
  return stored
}

// No code is required, but one that is given is checked: an approver who types it expects it to count.
async function requireUserCode(
  parts: RequestParts,
  { request }: Grounds,
  { user_code: typed = '' }: ReleaseChoice,
): Promise<void> {
  if (typed === '' || normalizeUserCode(typed) === userCodeOf(request)) return
  const left = await changeRequest(parts, request.id, (now) => wrongCodeStep(now, ATTEMPTS.wrongUserCodes))
  const details = { field: 'user_code', attempts_left: left }
  throw new DomainError('invalid', 'user_code does not match', { details })
}
