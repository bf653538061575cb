import type { Logger } from 'pino'
import type { Queries } from '../base/queries.ts'
import { dayOf, pruneOldest, tenantsToPrune } from './audit-pruning.ts'

const EVERY_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000

export type RetentionParts = {
  queries: Queries
  /** Days that entries are kept. */
  days: number
  now: () => Date
  log: Pick<Logger, 'info' | 'error'>
}

/** Deletes old days of all logs, at the start and each hour. Nodes may do this at once: each cut holds the log's head,
 * so the second node finds nothing left to cut. */
export class AuditRetention {
  readonly #parts: RetentionParts
  readonly #timer: NodeJS.Timeout
  #run: Promise<void> | null = null
  #isClosed = false

  constructor(parts: RetentionParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#start(), EVERY_MS).unref()
    this.#start()
  }

  /** Resolves when a cut that runs has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#run
  }

  #start(): void {
    if (this.#run) return
    const run = this.#pruneAll().catch((error: unknown) => {
      this.#parts.log.error(
        { error: error instanceof Error ? error.message : String(error) },
        'audit retention',
      )
    })
    this.#run = run.finally(() => {
      this.#run = null
    })
  }

  async #pruneAll(): Promise<void> {
    const { queries, days, now } = this.#parts
    const before = dayOf(new Date(now().getTime() - days * DAY_MS).toISOString())
    for (const tenantId of await tenantsToPrune(queries.query, before)) {
      let isDone = false
      while (!isDone && !this.#isClosed) isDone = !(await this.#pruneSome(tenantId, before))
    }
  }

  async #pruneSome(tenantId: string, before: string): Promise<boolean> {
    const { queries, now, log } = this.#parts
    const pruning = {
      tenantId,
      before,
      actor: { kind: 'server', id: null } as const,
      now: now().toISOString(),
    }
    const pruned = await queries.write((transaction) => pruneOldest(transaction, pruning))
    if (pruned) log.info({ tenantId, ...pruned }, 'audit log pruned')
    return pruned !== null
  }
}
