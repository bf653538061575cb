import type { Logger } from 'pino'
import { forgetOldGrants } from './domain/approvals/grant.ts'
import { type ClockAndIds, timestamp } from './domain/base/clock-and-ids.ts'
import { endOverdue } from './domain/kinds/endings.ts'
import type { Stores } from './domain/stores.ts'

/** Sweep at an interval until the returned function is called; it resolves when a running sweep has ended. A sweep
 * that fails is logged, and the next one tries again. */
export function sweepEvery(
  seconds: number,
  sweep: () => Promise<void>,
  log: Pick<Logger, 'warn'>,
): () => Promise<void> {
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(sweep).catch((error: unknown) => {
      log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'sweep')
    })
  }, seconds * 1_000).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

/** One sweep: end approvals and approved deposits that did not return to their terminal, remove old remembered
 * approvals, and tell webhooks of tokens that expire soon. */
export function overdueSweep({ stores, clock }: { stores: Stores; clock: ClockAndIds }): () => Promise<void> {
  return async () => {
    await endOverdue({ stores, clock })
    await forgetOldGrants({ stores, clock })
    await stores.machineTokens.tellExpiring(timestamp(clock))
  }
}
