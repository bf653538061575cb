import { CliError, EXIT, refusedAnswer } from '../base/cli-error.ts'
import type { Clock, Parts } from '../base/parts.ts'
import type { PendingRequest, WaitedFor } from '../base/pending-request.ts'
import { type WaitCall, waitOnce } from '../server/approval-requests.ts'
import { expired } from '../server/request-end.ts'
import { NoAnswer } from '../server/server-failure.ts'
import type { ApprovalNeeds, Delivery, Other, SignedReceipt, WaitAnswer } from '../server/wait-answer.ts'

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 5_000
// Calls may travel at different speeds; without this margin the second could arrive too early.
const MARGIN_MS = 100
// The server's clock may end the request a moment before ours.
const SAME_END_MS = 2_000

/** A request that is polled until `deadlineMs`, a monotonic time. */
type Polled = WaitCall & Pick<PendingRequest, 'deadlineMs'>

export type WaitEvents = {
  readonly onTrouble: (reason: string) => void
  readonly onRecovery: () => void
  /** The request waits for something else than before. `other`: for another person, until a monotonic time.
   * `statement`: of the approval that is on its way. */
  readonly onNeeds: (needs: ApprovalNeeds, other: WaitedFor | null, statement: SignedReceipt | null) => void
}

type PollParts = Pick<Parts, 'exchange' | 'clock'>

/** What an approved request brings: values, or the receipt of what was stored. */
export type Arrived = Extract<WaitAnswer, { kind: 'ready' | 'applied' | 'proposed' }>

/** @throws CliError refused: values were stored instead */
export function deliveryIn(arrived: Arrived): Delivery {
  if (arrived.kind === 'ready') return arrived.delivery
  throw refusedAnswer('the server says that it stored values, but this request stores none')
}

/** @returns the receipt, which is still to be checked · @throws CliError refused: values came instead */
export function depositIn(arrived: Arrived): SignedReceipt {
  if (arrived.kind === 'applied') return arrived.receipt
  throw refusedAnswer('the server delivered values, but values were to be stored')
}

/** Poll until the request ends well. The interval runs from the start of one call to the start of the next, as the
 * server counts it. After a lost connection or a server error it tries again, with growing pauses, until the request
 * ends.
 * @throws CliError denied · expired · refused · network */
export async function waitForEnd(
  { exchange, clock }: PollParts,
  asked: Polled,
  events: WaitEvents,
): Promise<Arrived> {
  let request = asked
  let failures = 0
  let known: ApprovalNeeds = 'none'
  let reported: string | null = null
  for (;;) {
    const startedMs = clock.monotonicMs()
    const outcome = await pollOnce({ exchange, clock }, request, known)
    if (outcome.kind !== 'pending' && outcome.kind !== 'later') return outcome
    const statement = outcome.kind === 'pending' ? outcome.statement : null
    const isCompared = statement !== null && statement.signature !== reported
    if (outcome.kind === 'pending' && (outcome.needs !== known || isCompared)) {
      known = outcome.needs
      reported = statement?.signature ?? null
      const other = waitedFor(outcome.other, clock.monotonicMs())
      request = { ...request, deadlineMs: other?.deadlineMs ?? request.deadlineMs }
      events.onNeeds(known, other, statement)
    }
    if (isCompared) continue // the server counts polls anew
    const inTrouble = outcome.kind === 'later'
    if (inTrouble) events.onTrouble(outcome.reason)
    else if (failures > 0) events.onRecovery()
    failures = inTrouble ? failures + 1 : 0
    const progress = { startedMs, nowMs: clock.monotonicMs(), failures, intervalMs: request.intervalMs }
    await pauseUntil(clock, nextStartMs(outcome, progress), request)
  }
}

function waitedFor(other: Other | null, nowMs: number): WaitedFor | null {
  if (other === null) return null
  const { who, count, leftMs } = other
  return { who, count, deadlineMs: leftMs === null ? null : nowMs + leftMs }
}

async function pollOnce(
  { exchange, clock }: PollParts,
  request: Polled,
  known: ApprovalNeeds,
): Promise<WaitAttempt> {
  try {
    return await waitOnce(exchange, request, known)
  } catch (error) {
    const isOver = clock.monotonicMs() >= request.deadlineMs - SAME_END_MS
    if (isOver && error instanceof CliError && error.exitCode === EXIT.expired) throw expired()
    if (!(error instanceof NoAnswer && error.isPassing)) throw error
    return { kind: 'later', retryAfterMs: null, reason: error.reason, isUnreached: true }
  }
}

type WaitAttempt = WaitAnswer & { readonly isUnreached?: true }

type Progress = { startedMs: number; nowMs: number; failures: number; intervalMs: number }

function nextStartMs(outcome: WaitAttempt, { startedMs, nowMs, failures, intervalMs }: Progress): number {
  if (outcome.kind !== 'later') return startedMs + intervalMs + MARGIN_MS
  if (outcome.retryAfterMs !== null) return nowMs + Math.max(outcome.retryAfterMs, MARGIN_MS)
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
  return outcome.isUnreached === true
    ? nowMs + backoffMs
    : Math.max(startedMs + intervalMs, nowMs + backoffMs)
}

async function pauseUntil(clock: Clock, startMs: number, { deadlineMs }: Polled): Promise<void> {
  const nowMs = clock.monotonicMs()
  if (nowMs >= deadlineMs) throw expired()
  if (startMs > nowMs) await clock.sleep(Math.min(startMs, deadlineMs) - nowMs)
}
