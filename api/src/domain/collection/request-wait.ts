import { type ReleaseWay, TIMES } from '@keyferry/contract'
import { verifierMatches } from '@keyferry/crypto/poll-challenge'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Approved } from '../requests/approved.ts'
import type { DepositStore } from '../requests/deposit-record.ts'
import { type Claimant, findOwn, type RequestParts, requestLost } from '../requests/request.ts'
import { type Claim, type Claimed, claimStep, isClaimed } from '../requests/request-steps.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import { approvalOf, type StoredRequest } from '../requests/stored-request.ts'
import type { WaitingRoom } from '../requests/waiting-room.ts'

/*
 * How a client waits, and how the values are delivered only once. Only the client that asked may wait. A wait is kept
 * open until the request changes, at most 30 s. `claimStep` gives the ciphertext to exactly one of any number of
 * waiters, on all nodes. `Deliveries` then ends that claim. After a delivery, the request is removed. If the connection
 * breaks before, the claim is released and the client can try again.
 */

// A timer may fire slightly early; the request must have expired when its waiter reads the store.
const PAST_EXPIRY_MS = 5

export type WaitParts = RequestParts & {
  room: WaitingRoom
  /** Counts a poll of the request.
   * @throws DomainError too_many: the last call began less than the polling interval ago */
  takeTurn: (turn: string) => Promise<void>
  stores: { deposits: Pick<DepositStore, 'appliedSince'> }
}

/** What a request needs before its values can be delivered. */
type WaitNeeds = {
  needs?: 'release' | 'second_person' | 'approver'
  release_by?: ReleaseWay
  /** Of `approver`. */
  deciders?: { who: 'owner' | 'named'; count: number }
  /** How long it waits for the other person. */
  expires_in?: number
}

/** What the client knows that its request needs: a way of return, or another person. */
type ClientNeed = 'none' | ReleaseWay | 'second_person' | 'approver'

export type Wait = Claimant & {
  /** With it, the wait ends as soon as the request needs something else. */
  known?: ClientNeed | undefined
  /** Of the store when the request was made, if the client asks again for what a crash lost. */
  epoch?: string | undefined
  /** Calls back when the connection is gone. */
  onBreak: (listener: () => void) => void
}

/** `held`: the approval that waits for its return. `ready` contains a claim, which the caller must end with
 * `Deliveries`. `applied`: the deposit was stored, and its request is gone. */
export type WaitOutcome =
  | ({ status: 'pending'; held?: Approved } & WaitNeeds)
  | ({ status: 'ready' } & Claimed)
  | { status: 'applied'; applied: AppliedDeposit }

/** How long the record of a stored deposit answers its client. */
const ANSWERED_SECONDS = 24 * 60 * 60

/** Wait until the request is approved, at most 30 s and never past its lifetime (interface: "Wait for approval").
 * While another waiter has the claim this one stays: it may be released.
 * @throws DomainError not_found (unknown, delivered, or not proved to be the caller's own) · request_denied
 *   · request_withdrawn · request_expired · too_many · unavailable */
export async function waitForApproval(parts: WaitParts, wait: Wait): Promise<WaitOutcome> {
  try {
    return await waitForClaim(parts, wait)
  } catch (error) {
    if (!(error instanceof DomainError) || !GONE.has(error.code)) throw error
    const applied = await storedFor(parts, wait)
    if (applied) return { status: 'applied', applied }
    throw error.code === 'not_found' && (await isLost(parts, wait)) ? requestLost() : error
  }
}

const GONE: ReadonlySet<string> = new Set(['not_found', 'request_expired'])

async function isLost({ requests }: WaitParts, { requestId, epoch }: Wait): Promise<boolean> {
  return epoch !== undefined && (await requests.isLost(requestId, epoch))
}

// The answer of a deposit survives a crash that loses its request.
async function storedFor({ stores, clock }: WaitParts, { requestId, verifier = '' }: Wait) {
  const stored = await stores.deposits.appliedSince(timestamp(clock, -ANSWERED_SECONDS), requestId)
  return stored && verifierMatches(stored.pollChallenge, verifier) ? stored.applied : null
}

async function waitForClaim(parts: WaitParts, wait: Wait): Promise<WaitOutcome> {
  const { expiresAtMs, heldHash } = await firstLook(parts, wait)
  using call = parts.room.admit(wait.requestId, waitMs(expiresAtMs, parts.clock.now()))
  wait.onBreak(() => call.finish())
  for (;;) {
    const claim: Claim = await claimNow(parts, wait.requestId)
    if (claim.status === 'claimed') return { ...claim, status: 'ready' }
    const needs = needsOf(wait, claim, parts.clock.now())
    const isOver = call.isOver || isNews(needs, wait.known) || isToCompare(claim.stored, wait.known, heldHash)
    if (isOver) return { status: 'pending', ...needs, ...approvalHeld(claim.stored) }
    await call.changed()
  }
}

// The request itself is not kept: thousands of calls may wait, and each would have a copy.
async function firstLook(parts: WaitParts, wait: Wait) {
  const stored = await findOwn(parts, wait)
  // A delivery that is on its way is gone in a moment: a call right after it waits for that, and is not too fast.
  if (!isClaimed(stored)) await parts.takeTurn(turnOf(stored))
  return { expiresAtMs: stored.expiresAtMs, heldHash: holdToCompare(stored) }
}

async function claimNow({ requests, clock }: WaitParts, requestId: string): Promise<Claim> {
  const claimId = clock.newId()
  return await requests.change(requestId, clock.now().getTime(), (stored) => claimStep(stored, claimId))
}

// An older client does not say what it knows, and learns of a return only.
function needsOf({ known }: Wait, claim: Exclude<Claim, { status: 'claimed' }>, now: Date): WaitNeeds {
  const { stored } = claim
  const { request, first, vouch, expiresAtMs } = stored
  if (stored.status === 'held') return { needs: 'release', release_by: stored.held.by }
  if (stored.status !== 'open' || known === undefined) return {}
  const expires_in = Math.ceil((expiresAtMs - now.getTime()) / 1_000)
  const longer = request.waitsForOthers ? { expires_in } : {}
  if (first !== null) return { needs: 'second_person', ...longer }
  return vouch && request.waitsForOthers ? { needs: 'approver', deciders: vouch.deciders, ...longer } : {}
}

// The client's own listener sees a return over loopback, so this ends no wait: the next one would have to keep the
// polling interval, and the values would come late.
function isNews({ needs, release_by }: WaitNeeds, known: ClientNeed | undefined): boolean {
  const now = release_by ?? needs ?? 'none'
  return known !== undefined && now !== known && now !== 'loopback' && now !== 'none'
}

// The client of a deposit compares each approval before it returns it, so each hold ends its wait once.
function isToCompare(stored: StoredRequest, known: ClientNeed | undefined, heldHash: string | null): boolean {
  if (stored.request.deposit === null || stored.status !== 'held' || known === undefined) return false
  return known !== stored.held.by || stored.held.hash !== heldHash
}

function approvalHeld(stored: StoredRequest): { held?: Approved } {
  const approved = stored.status === 'held' ? stored.approval?.approved : null
  return approved ? { held: approved } : {}
}

function holdToCompare(stored: StoredRequest): string | null {
  return stored.request.deposit !== null && stored.status === 'held' ? stored.held.hash : null
}

// A release begins a new count of polls, so that the client can collect its values at once. So does the hold of a
// deposit, which ends a wait.
function turnOf(stored: StoredRequest): string {
  const { request, first, vouch } = stored
  const returned = (approvalOf(stored) ?? first)?.returned ?? ''
  return `${request.id}${returned}${vouch?.returned ?? ''}${holdToCompare(stored) ?? ''}`
}

function waitMs(expiresAtMs: number, now: Date): number {
  return Math.min(TIMES.longPollSeconds * 1_000, expiresAtMs - now.getTime() + PAST_EXPIRY_MS)
}
