import { repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import { forgetOldGrants } from './domain/approvals/grant.ts'
import { type ClockAndIds, timestamp } from './domain/base/clock-and-ids.ts'
import { endOverdue } from './domain/kinds/endings.ts'
import { expireProposals } from './domain/kinds/proposal.ts'
import type { Stores } from './domain/stores.ts'

/** Sweep at an interval until `opened` ends. */
export function sweepEvery(
  opened: AsyncDisposableStack,
  seconds: number,
  { sweep, log }: { sweep: () => Promise<void>; log: Pick<Logger, 'warn'> },
): void {
  const failed = (error: unknown) =>
    log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'sweep')
  opened.adopt(repeating(seconds * 1_000, sweep, failed), (it) => it.stop())
}

/** One sweep: end approvals and approved deposits that did not return to their terminal, remove old remembered
 * approvals and proposals, delete the contents of expired requests, and record tokens that expire soon. */
type Swept = { stores: Stores; clock: ClockAndIds; sweepRequests: () => Promise<void> }

export function overdueSweep({ stores, clock, sweepRequests }: Swept): () => Promise<void> {
  return async () => {
    await sweepRequests()
    await endOverdue({ stores, clock })
    await forgetOldGrants({ stores, clock })
    await expireProposals({ stores, clock })
    await stores.machineTokens.tellExpiring(timestamp(clock))
  }
}
