import { TIMES } from '@keyferry/contract'
import { requestEnded, requestNotFound } from './approval-request.ts'
import type { ApprovalStore } from './approval-store.ts'
import { type Claimant, findOwn } from './own-request.ts'
import type { Source } from './source.ts'
import type { WaitingRoom } from './waiting-room.ts'

// A timer may fire a moment before the clock says so; a request must have expired when its waiter looks.
const PAST_EXPIRY_MS = 5

export type WaitingParts = {
  approvals: ApprovalStore
  room: WaitingRoom
  source: Source
  /** Takes the request's turn to poll.
   * @throws DomainError too_many: the last call began less than the polling interval ago */
  takeTurn: (requestId: string) => Promise<void>
}

export type Wait = Claimant & {
  /** Calls back when nobody is there any more to hear the answer. */
  onBreak: (listener: () => void) => void
}

/** `ready` holds a claim, which the caller has to end: see `Deliveries`. */
export type WaitOutcome = { status: 'pending' } | { status: 'ready'; ciphertextBase64: string }

/** Hold until the request is approved, at most 30 s and never past its lifetime (interface: "Wait for approval").
 * While another waiter holds the claim this one stays: it may be released.
 * @throws DomainError not_found (unknown, expired, delivered, or not proved to be the caller's own) · request_denied
 *   · request_withdrawn · too_many · unavailable */
export async function waitForApproval(parts: WaitingParts, wait: Wait): Promise<WaitOutcome> {
  const expiresAtMs = await expiryOfOwn(parts, wait)
  await parts.takeTurn(wait.requestId)
  using hold = parts.room.hold(wait.requestId, holdMs(expiresAtMs, parts.source.now()))
  wait.onBreak(() => hold.finish())
  for (;;) {
    const claim = await parts.approvals.claim(wait.requestId, parts.source.now().getTime())
    if (claim.status === 'claimed') return { status: 'ready', ciphertextBase64: claim.ciphertextBase64 }
    if (claim.status === 'gone') throw requestNotFound()
    if (claim.status === 'denied' || claim.status === 'withdrawn') throw requestEnded(claim.status)
    if (hold.isOver) return { status: 'pending' }
    await hold.rung()
  }
}

// Only its end is given back: whatever else of the request a held call kept would be kept by the thousand.
async function expiryOfOwn(parts: WaitingParts, wait: Wait): Promise<number> {
  const { expiresAtMs } = await findOwn(parts, wait)
  return expiresAtMs
}

function holdMs(expiresAtMs: number, now: Date): number {
  return Math.min(TIMES.longPollSeconds * 1_000, expiresAtMs - now.getTime() + PAST_EXPIRY_MS)
}
