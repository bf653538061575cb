import { repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import type { Queries } from '../base/queries.ts'
import { dayOf, pruneOldest, tenantsToPrune } from './audit-pruning.ts'

const EVERY_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000

type RetentionParts = {
  queries: Queries
  /** Days that entries are kept. */
  days: number
  now: () => Date
  log: Pick<Logger, 'info' | 'error'>
}

/** Delete old days of all logs until `opened` ends, at the start and each hour. Nodes may do this at once: each cut
 * holds the log's head, so the second node finds nothing left to cut. */
export function keepDays(opened: AsyncDisposableStack, parts: RetentionParts): void {
  const ending = new AbortController()
  const failed = (error: unknown) =>
    parts.log.error({ error: error instanceof Error ? error.message : String(error) }, 'audit retention')
  const pruning = repeating(EVERY_MS, () => pruneAll(parts, ending.signal), failed)
  pruning.start()
  opened.adopt(pruning, (it) => {
    ending.abort()
    return it.stop()
  })
}

async function pruneAll(parts: RetentionParts, ending: AbortSignal): Promise<void> {
  const { queries, days, now } = parts
  const before = dayOf(new Date(now().getTime() - days * DAY_MS).toISOString())
  for (const tenantId of await tenantsToPrune(queries.query, before)) {
    let isDone = false
    while (!isDone && !ending.aborted) isDone = !(await pruneSome(parts, tenantId, before))
  }
}

async function pruneSome(
  { queries, now, log }: RetentionParts,
  tenantId: string,
  before: string,
): Promise<boolean> {
  const actor = { kind: 'server', id: null } as const
  const pruning = { tenantId, before, actor, now: now().toISOString() }
  const pruned = await queries.write((transaction) => pruneOldest(transaction, pruning))
  if (pruned) log.info({ tenantId, ...pruned }, 'audit log pruned')
  return pruned !== null
}
