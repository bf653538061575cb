import { setTimeout as sleep } from 'node:timers/promises'
import { CallError } from '@keyferry/contract/client'
import { TIMES } from '@keyferry/contract/limits'
import { isGone, TerminalClient } from './terminal-client.ts'
import type { SharedBundle } from './workload.ts'

export type RaceOptions = {
  /** Nodes of one service; waiters and approvers take turns on them. */
  readonly addresses: readonly [string, ...string[]]
  readonly bundle: SharedBundle
  readonly approvals: number
  readonly waiters: number
}

export type RaceResult = {
  readonly approvals: number
  /** Approvals by how often they were delivered: index 0 not at all, 1 once … */
  readonly deliveredTimes: readonly number[]
  /** Delivered values that were not the approved ones. */
  readonly wrong: number
  /** Approvals by how many of two approvers at once were let through. */
  readonly approvedTimes: readonly number[]
}

const BETWEEN_WAITS_MS = TIMES.pollIntervalSeconds * 1_000 + 20
const APPROVERS = 2

/** For many requests at once: open several waits each, started with the polling interval between them, then approve
 * each twice at the same moment, and count the deliveries. */
export async function raceForDeliveries(options: RaceOptions): Promise<RaceResult> {
  const races = await Promise.all(
    Array.from({ length: options.approvals }, (_, index) => raceForOne(options, index)),
  )
  return {
    approvals: races.length,
    deliveredTimes: histogram(races.map(({ received }) => received.length)),
    wrong: races.flatMap(({ received }) => received).filter((text) => text !== options.bundle.plaintext)
      .length,
    approvedTimes: histogram(races.map(({ approved }) => approved)),
  }
}

async function raceForOne({ addresses, bundle, waiters }: RaceOptions, index: number) {
  const nodeAt = (turn: number) => addresses[(index + turn) % addresses.length] ?? addresses[0]
  const client = new TerminalClient(nodeAt(0))
  const requestId = await client.ask()
  const waits: Promise<string | null>[] = []
  for (let waiter = 0; waiter < waiters; waiter++) {
    if (waiter > 0) await sleep(BETWEEN_WAITS_MS)
    waits.push(waitItsTurn(client.at(nodeAt(waiter)), requestId))
  }
  await sleep(100)
  const approvals = Array.from({ length: APPROVERS }, (_, approver) =>
    client
      .at(nodeAt(approver))
      .approve(requestId, bundle)
      .then(() => 1, nothingWhenApproved),
  )
  const approved = (await Promise.all(approvals)).reduce<number>((sum, one) => sum + one, 0)
  const received = (await Promise.all(waits)).filter((text) => text !== null)
  return { received, approved }
}

// On a busy machine two calls may meet the server closer together than they were sent.
async function waitItsTurn(client: TerminalClient, requestId: string): Promise<string | null> {
  for (;;) {
    try {
      return await client.wait(requestId)
    } catch (error) {
      if (isGone(error)) return null
      if (!(error instanceof CallError && error.retryAfterSeconds !== null)) throw error
      await sleep(error.retryAfterSeconds * 1_000)
    }
  }
}

function nothingWhenApproved(error: unknown): 0 {
  if (error instanceof CallError && (error.status === 409 || error.status === 404)) return 0
  throw error
}

function histogram(counts: readonly number[]): number[] {
  const times = Array.from({ length: Math.max(1, ...counts) + 1 }, () => 0)
  for (const count of counts) times[count] = (times[count] ?? 0) + 1
  return times
}
