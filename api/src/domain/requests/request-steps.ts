import { type DenialReason, TIMES } from '@keyferry/contract'
import { isSameReleaseHash } from '@keyferry/crypto/release'
import { DomainError } from '../base/errors.ts'
import type { Approved } from './approved.ts'
import { alreadyApproved, notHeld, requireInside, requireOpen } from './request.ts'
import type { RequestChange } from './request-store.ts'
import type { AppliedDeposit } from './stored-deposit.ts'
import {
  approvalOf,
  type EndedAs,
  type Hold,
  heldSupport,
  isFree,
  type RequestState,
  type StoredApproval,
  type StoredRequest,
  type Support,
  type UndecidedRequest,
  type Vouch,
} from './stored-request.ts'

/*
 * The changes of a request, as the table in request.ts lists them. Each function is pure: a stored request and an
 * action give the next state. A store runs it atomically (see RequestStore.change). A step that refuses throws, so that
 * nothing is written.
 */

/** The support that counts, as the person who decides saw it: who approved first, and whose vouch. */
type Seen = { first: string | null; vouch: Vouch | null }

/** How long a request lives once it waits for another person. */
type Longer = { longerMs: number }

export type Supporting = {
  seen: Seen
  gives: { as: 'vouch'; support: Vouch } | { as: 'first'; support: Support }
  hold: Hold | null
} & Longer

/** From open to held with a vouch or a first approval; if it need not return to the terminal, still open. */
export function supportStep(
  stored: StoredRequest,
  { seen, gives, hold, longerMs }: Supporting,
  nowMs: number,
): RequestChange<void> {
  const open = undecided(stored, seen)
  if (gives.as === 'vouch' && open.vouch !== null) throw changed()
  const support =
    gives.as === 'vouch' ? { vouch: gives.support } : { first: gives.support, vouch: seen.vouch }
  const next = { ...open, ...support }
  if (hold === null) return { answer: undefined, next: waiting(next, nowMs + longerMs) }
  return { answer: undefined, next: { ...next, ...heldBy(hold, gives.as), approval: null } }
}

export type ApprovalStep = {
  seen: Seen
  approved: Approved | null
  /** Null for a deposit, which is carried out with the box of the request. */
  ciphertextBase64: string | null
  hold: Hold | null
}

/** From open to given, or to held. An approval that does not count on the vouch ends it. */
export function approveStep(
  stored: StoredRequest,
  { seen, approved, ciphertextBase64, hold }: ApprovalStep,
): RequestChange<void> {
  const open = { ...undecided(stored, seen), vouch: seen.vouch }
  if ((approved !== null && ciphertextBase64 === null) !== isDeposit(stored)) throw changed()
  const approval = { approved, returned: null, applied: null }
  const next: RequestState = hold
    ? { ...open, ...heldBy(hold, null), approval }
    : { ...open, status: 'given', approval, claimId: null }
  const payload = ciphertextBase64 === null ? {} : { payload: { put: ciphertextBase64 } }
  return { answer: undefined, next, ...payload }
}

/** From open, or held by an approval of the same person, to ended: the next run is approved.
 * @param was the request as its approver saw it */
export function laterStep(
  stored: StoredRequest,
  { seen, was, by }: { seen: Seen; was: StoredRequest; by: By },
): RequestChange<void> {
  requireOpen(stored)
  const approved = was.status === 'held' && stored.status === 'held' ? stored.approval?.approved : null
  const isOwn = approved?.approverId === by.userId && approved.tenant.id === by.tenantId
  if (!isOwn) undecided({ ...stored, leftAtMs: undefined }, seen)
  return { answer: undefined, ...ended(stored, 'later') }
}

/** Its command stopped: it waits longer for an approval of the next run. What was on its way to the terminal goes. One
 * that waits for another person, or is given, is not left.
 * @returns the request before; null: it is not left now */
export function stopStep(stored: StoredRequest, nowMs: number): RequestChange<StoredRequest | null> {
  requireOpen(stored)
  if (stored.status === 'given' || !isFree(stored)) return { answer: null }
  const left = { leftAtMs: nowMs, expiresAtMs: nowMs + TIMES.leftSeconds * 1_000 }
  return { answer: stored, next: { ...lasting(stored), ...left, status: 'open' }, payload: 'drop' }
}

// An approval without the vouch that was seen is another approval than its person meant.
function undecided(stored: StoredRequest, { first, vouch }: Seen): UndecidedRequest {
  requireOpen(stored)
  if (stored.leftAtMs !== undefined)
    throw new DomainError('changed', 'The command stopped: load the page again, to approve its next run')
  if (stored.status !== 'open') throw alreadyApproved()
  if ((stored.first?.userId ?? null) !== first) throw changed()
  if (vouch !== null && vouch.id !== stored.vouch?.id) throw changed()
  return stored
}

function heldBy(hold: Hold, support: 'vouch' | 'first' | null) {
  const held = { ...hold, support, wrongCodes: 0, freshCodes: 0, isKept: false }
  return { status: 'held', held } as const
}

// It lives longer once, and only for a client that knows it.
function waiting({ request, ...state }: UndecidedRequest, untilMs: number): UndecidedRequest {
  const { expiresAtMs } = state
  const isFirst = request.waitsForOthers && expiresAtMs === request.expiresAtMs
  return { request, ...state, expiresAtMs: isFirst ? Math.max(expiresAtMs, untilMs) : expiresAtMs }
}

type CodeAttempt = {
  hash: string
  /** How many wrong codes deny the request. */
  limit: number
  /** Until when the terminal asks its person; null: the approval returns now. */
  keepUntilMs: number | null
} & Longer

/** `wrong` counts against a code; the last wrong one denies the request. */
export type Returned = { status: 'returned' | 'kept' } | { status: 'wrong'; attemptsLeft: number }

/** From held to what follows, for the holder of the secret. A wrong loopback secret does not count.
 * @throws DomainError request_denied · request_withdrawn · conflict (not held) · release_expired */
export function returnStep(
  stored: StoredRequest,
  { hash, limit, keepUntilMs, longerMs }: CodeAttempt,
  nowMs: number,
): RequestChange<Returned> {
  requireOpen(stored)
  if (stored.status !== 'held') throw notHeld()
  const { held } = stored
  if (held.untilMs <= nowMs)
    throw new DomainError('release_expired', 'The time to return the approval is over: ask for a fresh code')
  if (!isSameReleaseHash(held.hash, hash)) return wrongReturn(stored, limit)
  if (keepUntilMs === null) return { answer: { status: 'returned' }, next: back(stored, nowMs + longerMs) }
  const next = { ...stored, held: { ...held, untilMs: keepUntilMs, isKept: true } }
  return { answer: { status: 'kept' }, next }
}

type HeldState = Extract<StoredRequest, { status: 'held' }>

function wrongReturn(stored: HeldState, limit: number): RequestChange<Returned> {
  const { held } = stored
  if (held.by !== 'code') return { answer: { status: 'wrong', attemptsLeft: limit } }
  const wrongCodes = held.wrongCodes + 1
  const answer = { status: 'wrong', attemptsLeft: limit - wrongCodes } as const
  if (wrongCodes >= limit) return { answer, ...ended(stored, 'denied') }
  return { answer, next: { ...stored, held: { ...held, wrongCodes } } }
}

function back(stored: HeldState, untilMs: number): RequestState {
  const { held, approval } = stored
  const returned = held.by
  if (approval)
    return { ...lasting(stored), status: 'given', approval: { ...approval, returned }, claimId: null }
  const { first, vouch } = stored
  const support =
    held.support === 'vouch'
      ? { vouch: vouch && { ...vouch, returned } }
      : { first: first && { ...first, returned } }
  return waiting({ ...lasting(stored), ...support, status: 'open' }, untilMs)
}

/** From held to open: a deposit that returned could not be stored, or the rules do not allow a delivery any more. */
export function refuseStep(stored: StoredRequest, hash: string): RequestChange<void> {
  const isHeld = stored.status === 'held' && stored.held.hash === hash && stored.approval !== null
  if (!isHeld) throw notHeld()
  const opened = { answer: undefined, next: { ...lasting(stored), status: 'open' } } as const
  return isDeposit(stored) ? opened : { ...opened, payload: 'drop' }
}

/** The deposit of a given request is stored, so its box goes. */
export function appliedStep(stored: StoredRequest, applied: AppliedDeposit): RequestChange<void> {
  if (stored.status !== 'given' || !isDeposit(stored)) throw notHeld()
  const approval = { ...stored.approval, applied }
  return { answer: undefined, next: { ...stored, approval }, payload: 'drop' }
}

/** A fresh code for a held request. `limit`: how many one request may get. */
export type FreshCode = Pick<Hold, 'hash' | 'untilMs'> & {
  /** The hash of the secret that its person saw. */
  replaces: string
  limit: number
  approved: Approved | null
  /** Takes the place of the person's touch. */
  touch?: NonNullable<Support['touches']>[number] | null
}

/** Replaces the secret of a held request by a code.
 * @throws DomainError conflict: it is held by another secret or not at all, or there were too many codes */
export function renewCodeStep(
  stored: StoredRequest,
  { replaces, limit, approved, touch = null, ...code }: FreshCode,
): RequestChange<void> {
  if (stored.status !== 'held' || stored.held.hash !== replaces || stored.held.freshCodes >= limit)
    throw new DomainError('conflict', 'There are no more codes for this request: deny it and start again')
  const freshCodes = stored.held.freshCodes + 1
  const held = { ...stored.held, ...code, by: 'code' as const, wrongCodes: 0, freshCodes, isKept: false }
  const resigned = <Signed extends Pick<Support, 'touches'>>(by: Signed): Signed =>
    touch === null ? by : { ...by, touches: [...(by.touches ?? []).slice(0, -1), touch] }
  const approval = stored.approval && { ...stored.approval, approved: approved && resigned(approved) }
  const first = stored.first && held.support === 'first' ? resigned(stored.first) : stored.first
  return { answer: undefined, next: { ...stored, first, held, approval } }
}

type By = { userId: string; tenantId: string }

/** From open or held to denied. `why`: why no one can approve it, for its client.
 * @returns the request before
 * @throws DomainError request_denied · request_withdrawn · conflict (approved) · forbidden · not_found */
export function denyStep(
  stored: StoredRequest,
  { why, by }: { why: DenialReason | null; by: By },
): RequestChange<StoredRequest> {
  requireOpen(stored)
  if (stored.status === 'given') throw alreadyApproved()
  requireInside(stored, by)
  return { answer: stored, ...ended(stored, 'denied', why) }
}

/** To withdrawn, unless a deposit is stored.
 * @returns the request before
 * @throws DomainError request_denied · request_withdrawn · conflict (a stored deposit) */
export function withdrawStep(stored: StoredRequest): RequestChange<StoredRequest> {
  requireOpen(stored)
  if (stored.status === 'given' && isDeposit(stored)) throw alreadyApproved()
  return { answer: stored, ...ended(stored, 'withdrawn') }
}

/** Counts a wrong check code; the one that reaches `limit` denies the request.
 * @returns how many attempts are left; 0 too when nobody can approve the request */
export function wrongCodeStep(stored: StoredRequest, limit: number): RequestChange<number> {
  if (stored.status !== 'open') return { answer: 0 }
  const wrongCodes = stored.wrongCodes + 1
  const answer = limit - wrongCodes
  if (wrongCodes >= limit) return { answer, ...ended({ ...stored, wrongCodes }, 'denied') }
  return { answer, next: { ...stored, wrongCodes } }
}

/** What a claim gives. `claimId`: to give it back. `ciphertextBase64`: empty for a deposit, which has `applied`
 * instead. */
export type Claimed = { claimId: string; ciphertextBase64: string } & Pick<
  StoredApproval,
  'approved' | 'applied'
>

/** `taken`: another caller has the claim and may still give it back. */
export type Claim =
  | ({ status: 'claimed' } & Claimed)
  | { status: 'open' | 'held' | 'taken'; stored: StoredRequest }

/** A client collects what is given. A claim is never given twice, unless `unclaimStep` gives it back in between: a
 * process that dies may have handed the payload over.
 * @throws DomainError request_denied · request_withdrawn */
export function claimStep(stored: StoredRequest, claimId: string): RequestChange<Claim> {
  requireOpen(stored)
  if (stored.status !== 'given') return { answer: { status: stored.status, stored } }
  if (stored.claimId !== null) return { answer: { status: 'taken', stored } }
  const { approved, applied } = stored.approval
  return {
    answer: (ciphertextBase64) => ({ status: 'claimed', claimId, ciphertextBase64, approved, applied }),
    next: { ...stored, claimId },
    payload: 'read',
  }
}

/** Gives this claim back. A later claim of the same request stays. */
export function unclaimStep(stored: StoredRequest, claimId: string): RequestChange<void> {
  if (stored.status !== 'given' || stored.claimId !== claimId) return { answer: undefined }
  return { answer: undefined, next: { ...stored, claimId: null } }
}

/** The person left or was removed: from one tenant, or from all (null). What they approved or vouched for and no client
 * has claimed goes. A request of their own terminal is denied, and one that they approved first waits for two again.
 * The rights of a deposit's approver are checked when it is stored.
 * @returns the request before, if its approval has a record to end */
export function leaveStep(
  stored: StoredRequest,
  { userId, tenantId }: { userId: string; tenantId: string | null },
): RequestChange<StoredRequest | null> {
  if (stored.status === 'ended' || isDeposit(stored) || isClaimed(stored)) return { answer: null }
  const isTheirs = (id: string | undefined, tenant: string | undefined) =>
    id === userId && (tenantId === null || tenant === tenantId)
  const { first, vouch } = stored
  const isFirst = isTheirs(first?.userId, first?.tenantId)
  const isVoucher = isTheirs(vouch?.userId, vouch?.tenantId)
  const approval = approvalOf(stored)
  const isApprover = isTheirs(approval?.approved?.approverId, approval?.approved?.tenant.id)
  if (!isFirst && !isVoucher && !isApprover) return { answer: null }
  if (approval) return { answer: stored, next: 'removed' }
  if (isVoucher && vouch?.returned !== null) return { answer: null, ...ended(stored, 'denied') }
  const left = { first: isFirst ? null : first, vouch: isVoucher ? null : vouch }
  const isHeldByOther = stored.status === 'held' && heldSupport(stored)?.userId !== userId
  if (isHeldByOther) return { answer: null, next: { ...stored, ...left } }
  return { answer: null, next: { ...lasting(stored), ...left, status: 'open' } }
}

/** From now on people of this tenant sign. An approval that nobody signed goes, if no client has claimed it, and a
 * first approval of two is given again.
 * @returns the request before, if its approval has a record to end */
export function unsignedStep(stored: StoredRequest, tenantId: string): RequestChange<StoredRequest | null> {
  if (stored.status === 'ended' || isClaimed(stored)) return { answer: null }
  const approval = approvalOf(stored)
  const { approved, applied } = approval ?? {}
  if (applied) return { answer: null }
  if (approved) {
    const isTheirs = approved.tenant.id === tenantId && approved.touches === undefined
    return isTheirs ? { answer: stored, next: 'removed' } : { answer: null }
  }
  const { first } = stored
  if (first?.tenantId !== tenantId || first.touches !== undefined) return { answer: null }
  const isFirstHeld = stored.status === 'held' && stored.held.support === 'first'
  if (isFirstHeld || stored.status === 'open')
    return { answer: null, next: { ...lasting(stored), first: null, status: 'open' } }
  return { answer: null, next: { ...stored, first: null } }
}

/** A client has the values of this request, or gets them now. */
export function isClaimed(stored: StoredRequest): boolean {
  return stored.status === 'given' && stored.claimId !== null
}

// The client sealed values to the server, in a box.
function isDeposit({ request }: StoredRequest): boolean {
  return request.deposit !== null
}

// An ended request keeps a marker; the payload goes.
function ended(stored: StoredRequest, as: EndedAs, why: DenialReason | null = null) {
  return { next: { ...lasting(stored), status: 'ended', as, why }, payload: 'drop' } as const
}

// What a request has in every state.
function lasting({ request, wrongCodes, expiresAtMs, vouch, first, leftAtMs }: StoredRequest) {
  return { request, wrongCodes, expiresAtMs, vouch, first, leftAtMs }
}

function changed(): DomainError {
  return new DomainError(
    'conflict',
    'Another person changed this request while you read it. Load the page again, then decide.',
  )
}
