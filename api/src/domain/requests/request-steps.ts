import type { WhyNotCode } from '@keyferry/contract'
import { isSameReleaseHash } from '@keyferry/crypto/release'
import type { Approved } from './approved.ts'
import type { Change } from './request-store.ts'
import type { AppliedDeposit } from './stored-deposit.ts'
import {
  type Ended,
  type FirstApproval,
  type Hold,
  isOutside,
  type RequestState,
  type StoredRequest,
  type Vouch,
} from './stored-request.ts'

/*
 * The changes of a request, as the table in request.ts lists them. Each function is pure: a stored request and an
 * action give the next state. A store runs it atomically (see RequestStore.change). A step that refuses writes
 * nothing.
 */

/** How long a node may take to store the values of a deposit. After that, another node finds out what became of it. */
export const APPLY_MS = 15_000

/** The result of an attempt to approve, deny or withdraw. `changed`: another person's approval came first, or ended.
 * `ready`: approved already. */
export type Settled = 'done' | 'changed' | 'held' | 'ready' | Ended

export type Approving = {
  /** Who approved first, as the approver saw it. */
  after: string | null
  /** The first of two approvals, which seals nothing. */
  first: FirstApproval | null
  approved: Approved | null
  ciphertextBase64: string | null
  hold: Hold | null
  /** What counted, as the approver saw it. An approval without it ends it. */
  vouch?: Vouch | null
} & Longer

/** How long a request lives once it waits for another person. */
type Longer = { longerMs?: number }

/** From pending to held, ready or applying; after the first of two approvals, still pending. */
export function approveStep(stored: StoredRequest, step: Approving, nowMs: number): Change<Settled> {
  const { approved, ciphertextBase64, hold, vouch = null } = step
  if (stored.status !== 'pending') return { answer: refusal(stored) }
  if ((stored.first?.approverId ?? null) !== step.after) return { answer: 'changed' }
  if (vouch !== null && vouch.id !== stored.vouch?.id) return { answer: 'changed' }
  // What seals nothing is carried out with the box of the request.
  if ((approved !== null && ciphertextBase64 === null) !== isDeposit(stored)) return { answer: 'changed' }
  const first = step.first ?? stored.first
  const approverId = approved?.approverId ?? first?.approverId ?? ''
  const held = hold && { ...hold, approverId, wrongCodes: 0, freshCodes: 0, isKept: false }
  const next = { ...stored, first, vouch, approved, held }
  const payload = ciphertextBase64 === null ? {} : { payload: { put: ciphertextBase64 } }
  if (held) return { answer: 'done', next: { ...next, status: 'held' }, ...payload }
  if (ciphertextBase64 !== null) return { answer: 'done', next: { ...next, status: 'ready' }, ...payload }
  return { answer: 'done', next: returnedTo(next, step, nowMs) }
}

// What follows an approval that waits for no return (any more).
function returnedTo(state: StoredRequest, { longerMs = 0 }: Longer, nowMs: number): RequestState {
  if (state.approved === null)
    return { ...state, status: 'pending', expiresAtMs: extended(state, nowMs + longerMs) }
  if (!isDeposit(state)) return { ...state, status: 'ready' }
  return { ...state, status: 'applying', applyUntilMs: nowMs + APPLY_MS }
}

// Once, and only for a client that knows it.
function extended({ request, expiresAtMs }: StoredRequest, untilMs: number): number {
  const isOpen = request.waitsForOthers && expiresAtMs === request.expiresAtMs
  return isOpen ? Math.max(expiresAtMs, untilMs) : expiresAtMs
}

/** From pending to held: a person says that the request is of their own terminal. */
export function vouchStep(
  stored: StoredRequest,
  { vouch, hold }: { vouch: Vouch; hold: Hold },
): Change<Settled> {
  if (stored.status !== 'pending') return { answer: refusal(stored) }
  if (stored.vouch !== null || stored.first !== null) return { answer: 'changed' }
  const held = { ...hold, approverId: vouch.approverId, wrongCodes: 0, freshCodes: 0, isKept: false }
  return { answer: 'done', next: { ...stored, vouch, held, status: 'held' } }
}

/** `wrong` counts against a code; the last wrong one denies the request. */
export type Released =
  | { status: 'released' | 'kept' | 'late' | 'not_held' | Ended }
  | { status: 'wrong'; attemptsLeft: number }

/** From held to what follows, for the holder of the secret. With `keepUntilMs` it stays held, and the secret counts
 * until then. The wrong code that reaches `limit` denies the request; a
 * wrong loopback secret does not count. */
export function releaseStep(
  stored: StoredRequest,
  { hash, limit, keepUntilMs, ...longer }: { hash: string; limit: number; keepUntilMs?: number } & Longer,
  nowMs: number,
): Change<Released> {
  const { status, held } = stored
  if (status === 'denied' || status === 'withdrawn') return { answer: { status } }
  if (held === null) return { answer: { status: 'not_held' } }
  if (held.untilMs <= nowMs) return { answer: { status: 'late' } }
  if (isSameReleaseHash(held.hash, hash)) {
    if (keepUntilMs !== undefined)
      return {
        answer: { status: 'kept' },
        next: { ...stored, held: { ...held, untilMs: keepUntilMs, isKept: true } },
      }
    return { answer: { status: 'released' }, next: returnedTo(broughtBack(stored, held.by), longer, nowMs) }
  }
  if (held.by !== 'code') return { answer: { status: 'wrong', attemptsLeft: limit } }
  const wrongCodes = held.wrongCodes + 1
  const answer = { status: 'wrong', attemptsLeft: limit - wrongCodes } as const
  if (wrongCodes >= limit) return { answer, ...ended(stored, 'denied') }
  return { answer, next: { ...stored, held: { ...held, wrongCodes } } }
}

// What was on its way: the vouch, or else the approval.
function broughtBack(stored: StoredRequest, by: Hold['by']): StoredRequest {
  const { vouch } = stored
  const back = vouch?.returned === null ? { vouch: { ...vouch, returned: by } } : { returned: by }
  return { ...stored, held: null, ...back }
}

/** A fresh code for a held request. `limit`: how many one request may get. */
export type FreshCode = Pick<Hold, 'hash' | 'untilMs'> & {
  approverId: string
  limit: number
  approved: Approved | null
}

/** Replaces the secret of a held request by a code. False when it is not held, or not by this approver, or there were
 * too many codes. */
export function renewCodeStep(
  stored: StoredRequest,
  { approverId, limit, approved, ...code }: FreshCode,
): Change<boolean> {
  const { held } = stored
  if (held?.approverId !== approverId || held.freshCodes >= limit) return { answer: false }
  const freshCodes = held.freshCodes + 1
  const next = { ...held, ...code, by: 'code' as const, wrongCodes: 0, freshCodes, isKept: false }
  return { answer: true, next: { ...stored, approved, held: next } }
}

/** The result of a denial or a withdrawal. `before`: the request that it ended, whose approval has a record to end. */
export type Ending = { before: StoredRequest } | { refused: Exclude<Settled, 'done' | 'changed'> }

/** From pending or held to denied. `why`: why no one can approve it, for its client. */
export function denyStep(
  stored: StoredRequest,
  { why, by }: { why: WhyNotCode | null; by: { userId: string; tenantId: string } },
): Change<Ending> {
  if (!isWaiting(stored) || isOutside(stored, by)) return { answer: { refused: refusal(stored) } }
  return { answer: { before: stored }, ...ended({ ...stored, whyDenied: why }, 'denied') }
}

/** From pending, held, ready or claimed to withdrawn. A deposit that is applying or ready stays: its values are
 * stored. */
export function withdrawStep(stored: StoredRequest): Change<Ending> {
  const { status } = stored
  const isSealed = (status === 'ready' || status === 'claimed') && !isDeposit(stored)
  if (!isWaiting(stored) && !isSealed) return { answer: { refused: refusal(stored) } }
  return { answer: { before: stored }, ...ended(stored, 'withdrawn') }
}

function isWaiting({ status }: StoredRequest): boolean {
  return status === 'pending' || status === 'held'
}

/** Counts a wrong check code; the one that reaches `limit` denies the request.
 * @returns how many attempts are left; 0 too when the request is not pending */
export function wrongCodeStep(stored: StoredRequest, limit: number): Change<number> {
  if (stored.status !== 'pending') return { answer: 0 }
  const wrongCodes = stored.wrongCodes + 1
  const answer = limit - wrongCodes
  if (wrongCodes >= limit) return { answer, ...ended({ ...stored, wrongCodes }, 'denied') }
  return { answer, next: { ...stored, wrongCodes } }
}

/** What a claim gives. `claimId`: to give it back. `ciphertextBase64`: empty for a deposit, which has `applied`
 * instead. */
export type Claimed = { claimId: string; ciphertextBase64: string } & Pick<
  StoredRequest,
  'approved' | 'applied'
>

/** `taken`: another caller holds the claim and may still give it back, or a node stores a deposit. */
export type Claim =
  | ({ status: 'claimed' } & Claimed)
  | { status: 'pending' | 'held' | 'taken' | Ended; stored: StoredRequest }

/** From ready to claimed, with the payload. A claim is never given twice, unless `unclaimStep` gives it back in
 * between: a process that dies may have handed the payload over. */
export function claimStep(stored: StoredRequest, claimId: string): Change<Claim> {
  const { status, approved, applied } = stored
  if (status === 'claimed' || status === 'applying') return { answer: { status: 'taken', stored } }
  if (status !== 'ready') return { answer: { status, stored } }
  return {
    answer: (ciphertextBase64) => ({ status: 'claimed', claimId, ciphertextBase64, approved, applied }),
    next: { ...stored, status: 'claimed', claimId },
    payload: 'read',
  }
}

/** Right before a request expires, the server claims what is sealed and no client has claimed, so that none can.
 * @param end `expiresAtMs`: as it was known to the caller
 * @returns the request, if its approval has a record to end; or when it expires, if that is later by now */
export function expireStep(
  stored: StoredRequest,
  { claimId, expiresAtMs }: { claimId: string; expiresAtMs: number },
): Change<StoredRequest | number | null> {
  if (stored.expiresAtMs > expiresAtMs) return { answer: stored.expiresAtMs }
  if (stored.status === 'held') return { answer: stored }
  if (stored.status !== 'ready' || stored.approved === null || isDeposit(stored)) return { answer: null }
  return { answer: stored, next: { ...stored, status: 'claimed', claimId } }
}

/** Gives this claim back. A later claim of the same request stays. */
export function unclaimStep(stored: StoredRequest, claimId: string): Change<void> {
  if (stored.claimId !== claimId) return { answer: undefined }
  return { answer: undefined, next: { ...stored, status: 'ready', claimId: null } }
}

/** From applying to ready with what was stored, or back to pending. False when this deposit is not applying. */
export function settleDepositStep(
  stored: StoredRequest,
  { depositId, applied }: { depositId: string; applied: AppliedDeposit | null },
): Change<boolean> {
  const { status, approved } = stored
  if (status !== 'applying' || approved?.['depositId'] !== depositId) return { answer: false }
  const next = { ...stored, applied, applyUntilMs: null }
  if (applied === null)
    return { answer: true, next: { ...next, status: 'pending', approved: null, returned: null } }
  return { answer: true, next: { ...next, status: 'ready' }, payload: 'drop' }
}

/** The person left or was removed: from one tenant, or from all. What they approved or vouched for and no client has
 * claimed goes. A request of their own terminal is denied, and one that they approved first waits for two again. The
 * rights of a deposit's approver are checked when it is stored. */
export function removeApproverStep(
  stored: StoredRequest,
  { userId, tenantId }: { userId: string; tenantId: string | null },
): Change<StoredRequest | null> {
  const { status, first, vouch, approved, held, returned } = stored
  const isOpen = status === 'pending' || status === 'held' || status === 'ready'
  if (!isOpen || isDeposit(stored)) return { answer: null }
  const isTheirs = (id: string | undefined, tenant: string | undefined) =>
    id === userId && (tenantId === null || tenant === tenantId)
  const isFirst = isTheirs(first?.approverId, first?.tenantId)
  const isVoucher = isTheirs(vouch?.approverId, vouch?.tenantId)
  const isApprover = isTheirs(approved?.approverId, approved?.tenant.id)
  if (!isFirst && !isVoucher && !isApprover) return { answer: null }
  if (status === 'ready' || approved !== null) return { answer: stored, next: 'removed' }
  if (isVoucher && vouch?.returned !== null) return { answer: null, ...ended(stored, 'denied') }
  const left = {
    ...stored,
    first: isFirst ? null : first,
    returned: isFirst ? null : returned,
    vouch: isVoucher ? null : vouch,
  }
  if (held !== null && held.approverId !== userId) return { answer: null, next: left }
  return { answer: null, next: { ...left, status: 'pending', held: null } }
}

// The client sealed values to the server, in a box.
function isDeposit({ request }: StoredRequest): boolean {
  return request.deposit !== null
}

// An ended request keeps a marker, and what was approved, so that its record can end; the payload goes.
function ended(stored: StoredRequest, status: Ended): { next: RequestState; payload: 'drop' } {
  return { next: { ...stored, status, held: null, claimId: null }, payload: 'drop' }
}

// What a caller learns who cannot change the request any more.
function refusal({ status }: StoredRequest): Exclude<Settled, 'done' | 'changed'> {
  return status === 'held' || status === 'denied' || status === 'withdrawn' ? status : 'ready'
}
