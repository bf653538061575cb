import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import { repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import type { EndParts } from './domain/approvals/ending.ts'
import { forgetOldGrants } from './domain/approvals/grant.ts'
import { timestamp } from './domain/base/clock-and-ids.ts'
import { endOverdue } from './domain/kinds/endings.ts'
import type { Stores } from './domain/stores.ts'
import { expireProposals } from './domain/transfer/proposal.ts'

/** Sweep at an interval until `opened` ends. While it fails, `steps` has its name. */
export function sweepEvery(
  opened: AsyncDisposableStack,
  seconds: number,
  { name, sweep, steps, log }: Sweeping,
): void {
  const failed = (error: unknown) =>
    log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'sweep')
  opened.adopt(repeating(seconds * 1_000, steps.watched(name, sweep), failed), (it) => it.stop())
}

type Sweeping = {
  name: string
  sweep: () => Promise<void>
  steps: FailingSteps
  log: Pick<Logger, 'warn'>
}

/** One sweep: end approvals and approved deposits that did not return to their terminal, remove old remembered
 * approvals and proposals and delete the contents of expired requests. */
type Swept = EndParts & {
  clockSteps: { isAhead: () => boolean }
  stores: Stores
  sweepRequests: (parts: Pick<EndParts, 'clock' | 'endings'>) => Promise<void>
}

export function overdueSweep(parts: Swept): () => Promise<void> {
  const { stores, clock } = parts
  return async () => {
    await parts.sweepRequests(parts)
    await endOverdue(parts)
    await forgetOldGrants({ stores, clock })
    if (!parts.clockSteps.isAhead()) await expireProposals({ stores, clock })
    await stores.touchUses.forget(timestamp(clock))
    await stores.lastingActs.forget(timestamp(clock))
  }
}
