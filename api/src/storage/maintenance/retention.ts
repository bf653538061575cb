import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import { repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import { pruneLogs } from '../audit/audit-pruning.ts'
import type { Queries } from '../base/queries.ts'
import { forgetDeliveries } from '../deliveries/delivery-retention.ts'
import { forgetDeposits } from '../deliveries/deposits.ts'

const EVERY_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000

const FORGETTING = { audit: pruneLogs, deliveries: forgetDeliveries, deposits: forgetDeposits }

type RetentionParts = {
  queries: Queries
  /** Days that each is kept; 0: for ever. */
  days: Record<keyof typeof FORGETTING, number>
  now: () => Date
  /** The clock is days ahead: what seems old may be new. */
  isAhead: () => boolean
  steps: FailingSteps
  log: Pick<Logger, 'info' | 'error'>
}

/** Delete what is older than its days until `opened` ends, at the start and each hour. Nodes may do this at once: the
 * second one finds nothing left to delete. */
export function keepDays(
  opened: AsyncDisposableStack,
  { days: kept, queries, now, isAhead, steps, log }: RetentionParts,
): void {
  for (const [what, forget] of Object.entries(FORGETTING)) {
    const days = kept[what as keyof typeof FORGETTING]
    if (days === 0) continue
    const ending = new AbortController()
    const work = async () => {
      if (isAhead()) return
      const before = new Date(now().getTime() - days * DAY_MS).toISOString()
      await forget(queries, { before, now, log, ending: ending.signal })
    }
    const failed = (error: unknown) =>
      log.error({ what, error: error instanceof Error ? error.message : String(error) }, 'retention')
    const forgetting = repeating(EVERY_MS, steps.watched(`retention of ${what}`, work), failed)
    forgetting.start()
    opened.adopt(forgetting, (it) => {
      ending.abort()
      return it.stop()
    })
  }
}
