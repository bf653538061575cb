import { setTimeout as sleep } from 'node:timers/promises'
import { type ReleaseWay, TIMES } from '@keyferry/contract'
import type { Approved } from '../requests/approved.ts'
import { type Claimant, findOwn, goneError, type RequestParts, requireOpen } from '../requests/request.ts'
import { type Claim, type Claimed, claimStep } from '../requests/request-steps.ts'
import type { StoredRequest } from '../requests/stored-request.ts'
import type { WaitingRoom } from '../requests/waiting-room.ts'

/*
 * How a client waits, and how the values are delivered only once. Only the client that asked may wait. A wait is held
 * until the request changes, at most 30 s. `claimStep` gives the ciphertext to exactly one of any number of
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
  /** Called while a node stores a deposit, or another waiter holds the claim.
   * @returns after how many milliseconds to look again, even if nothing changes; null: no need */
  onTaken: (requestId: string) => Promise<number | null>
}

/** What a request needs before its values can be delivered. */
type Needs = {
  needs?: 'release' | 'second_person' | 'approver'
  release_by?: ReleaseWay
  /** Of `approver`. */
  deciders?: { who: 'owner' | 'named'; count: number }
  /** How long it waits for the other person. */
  expires_in?: number
}

/** What the client knows that its request needs: a way of return, or another person. */
type Known = 'none' | ReleaseWay | 'second_person' | 'approver'

export type Wait = Claimant & {
  /** With it, the wait ends as soon as the request needs something else. */
  known?: Known | undefined
  /** Calls back when the connection is gone. */
  onBreak: (listener: () => void) => void
}

/** `ready` holds a claim, which the caller must end with `Deliveries`. */
/** `held`: the approval that waits for its return. */
export type WaitOutcome = ({ status: 'pending'; held?: Approved } & Needs) | ({ status: 'ready' } & Claimed)

/** Hold until the request is approved, at most 30 s and never past its lifetime (interface: "Wait for approval").
 * While another waiter holds the claim this one stays: it may be released.
 * @throws DomainError not_found (unknown, delivered, or not proved to be the caller's own) · request_denied
 *   · request_withdrawn · request_expired · too_many · unavailable */
export async function waitForApproval(parts: WaitParts, wait: Wait): Promise<WaitOutcome> {
  // Forgotten once it is used: thousands of calls may be held, and each would keep the whole request in memory.
  let seen: StoredRequest | null = await findOwn(parts, wait)
  const { expiresAtMs } = seen
  const heldHash = holdToCompare(seen)
  // A delivery that is on its way is gone in a moment: a call right after it waits for that, and is not too fast.
  if (seen.status !== 'claimed') await parts.takeTurn(turnOf(seen))
  using hold = parts.room.hold(wait.requestId, holdMs(expiresAtMs, parts.clock.now()))
  wait.onBreak(() => hold.finish())
  for (;;) {
    const claim: Claim = await claimNow(parts, wait.requestId, seen)
    seen = null
    if (claim.status === 'claimed') return { ...claim, status: 'ready' }
    requireOpen(claim.status, claim.stored.whyDenied)
    const lookAgainMs = claim.status === 'taken' ? await parts.onTaken(wait.requestId) : null
    const needs = needsOf(wait, claim, parts.clock.now())
    const isOver = hold.isOver || isNews(needs, wait.known) || isToCompare(claim.stored, wait.known, heldHash)
    if (isOver) return { status: 'pending', ...needs, ...approvalHeld(claim.stored) }
    await (lookAgainMs === null ? hold.changed() : Promise.race([hold.changed(), sleep(lookAgainMs)]))
  }
}

async function claimNow(
  { requests, clock }: WaitParts,
  requestId: string,
  seen: StoredRequest | null,
): Promise<Claim> {
  const claimId = clock.newId()
  const step = (stored: StoredRequest) => claimStep(stored, claimId)
  const ready = seen?.status === 'ready' ? seen : undefined
  const claim = await requests.change(requestId, clock.now().getTime(), step, ready)
  if (typeof claim === 'string') throw goneError(claim)
  return claim
}

// An older client does not say what it knows, and learns of a return only.
function needsOf({ known }: Wait, claim: Exclude<Claim, { status: 'claimed' }>, now: Date): Needs {
  const { request, held, first, vouch, expiresAtMs } = claim.stored
  if (held) return { needs: 'release', release_by: held.by }
  if (claim.status !== 'pending' || known === undefined) return {}
  const expires_in = Math.ceil((expiresAtMs - now.getTime()) / 1_000)
  const longer = request.waitsForOthers ? { expires_in } : {}
  if (first !== null) return { needs: 'second_person', ...longer }
  return vouch && request.waitsForOthers ? { needs: 'approver', deciders: vouch.deciders, ...longer } : {}
}

// The client's own listener sees a return over loopback, so this ends no wait: the next one would have to keep the
// polling interval, and the values would come late.
function isNews({ needs, release_by }: Needs, known: Known | undefined): boolean {
  const now = release_by ?? needs ?? 'none'
  return known !== undefined && now !== known && now !== 'loopback' && now !== 'none'
}

// The client of a deposit compares each approval before it returns it, so each hold ends its wait once.
function isToCompare({ request, held }: StoredRequest, known: Known | undefined, heldHash: string | null) {
  if (request.deposit === null || held === null || known === undefined) return false
  return known !== held.by || held.hash !== heldHash
}

function approvalHeld({ held, approved }: StoredRequest): { held?: Approved } {
  return held === null || approved === null ? {} : { held: approved }
}

function holdToCompare({ request, held }: StoredRequest): string | null {
  return request.deposit === null ? null : (held?.hash ?? null)
}

// A release begins a new count of polls, so that the client can collect its values at once. So does the hold of a
// deposit, which ends a wait.
function turnOf(stored: StoredRequest): string {
  const { request, returned, vouch } = stored
  return `${request.id}${returned ?? ''}${vouch?.returned ?? ''}${holdToCompare(stored) ?? ''}`
}

function holdMs(expiresAtMs: number, now: Date): number {
  return Math.min(TIMES.longPollSeconds * 1_000, expiresAtMs - now.getTime() + PAST_EXPIRY_MS)
}
