import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import { type Repeating, repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import { backlogOf, type Waiting } from '../../domain/audit/audit-backlog.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { Database } from '../base/queries.ts'
import { isFound } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { type AfterAppend, type AppendOutcome, appendTogether } from './appending.ts'
import type { SeenHead } from './audit-head.ts'

const APPEND_EVERY_MS = 200
// Tenants of one transaction.
const AT_ONCE = 64
const SWEEP_EVERY_MS = 5_000
const SEEN_HEADS = 10_000

export type ChainWriterParts = {
  database: Database
  key: NamedAuditKey
  afterAppend: AfterAppend
  now: () => Date
  steps: FailingSteps
  log: Pick<Logger, 'info' | 'error'>
}

/** Appends the events of all tenants to their logs in the background: several times a second what this node committed,
 * and every few seconds what other nodes left behind. Nothing here is part of an answer. */
export class ChainWriter {
  readonly #parts: ChainWriterParts
  readonly #woken = new Set<string>()
  readonly #due = new Set<string>()
  #atOnce = AT_ONCE
  #timer: NodeJS.Timeout | null = null
  #run: Promise<void> | null = null
  readonly #seen = new BoundedMap<string, SeenHead>(SEEN_HEADS)
  readonly #problems = new Map<string, string>()
  #full: ReadonlySet<string> = new Set()
  #late: ReadonlySet<string> = new Set()
  #hasForged = false
  readonly #sweeps: Repeating
  #isClosed = false

  constructor(parts: ChainWriterParts) {
    this.#parts = parts
    const failed = (error: unknown) => parts.log.error({ error: textOf(error) }, 'audit sweep')
    this.#sweeps = repeating(
      SWEEP_EVERY_MS,
      parts.steps.watched('audit sweep', () => this.#sweepOnce()),
      failed,
    )
    this.#sweeps.start()
  }

  /** Append these tenants' events soon. */
  wake(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#woken.add(tenantId)
    if (this.#woken.size === 0 || this.#isClosed) return
    this.#timer ??= setTimeout(() => this.#tick(), APPEND_EVERY_MS).unref()
  }

  /** Whether a tenant has so many waiting events that it must not make more. */
  isFull(tenantId: string): boolean {
    return this.#full.has(tenantId)
  }

  /** Why the log is behind or has stopped; empty when all is well. */
  get problems(): readonly string[] {
    const late = this.#late.size > 0 ? ['audit backlog'] : []
    const forged = this.#hasForged ? ['forged audit events'] : []
    return [...new Set([...this.#problems.values(), ...late, ...forged])]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const swept = this.#sweeps.stop()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await Promise.all([this.#run, swept])
  }

  #tick(): void {
    this.#timer = null
    const woken = [...this.#woken]
    this.#woken.clear()
    void this.#append(woken)
  }

  // One run at a time; what becomes due during a run joins it. A tenant with more than a batch takes its turn again,
  // last.
  #append(tenantIds: Iterable<string>): Promise<void> {
    for (const tenantId of tenantIds) this.#due.add(tenantId)
    this.#run ??= this.#appendDue().finally(() => {
      this.#run = null
    })
    return this.#run
  }

  async #appendDue(): Promise<void> {
    while (this.#due.size > 0 && !this.#isClosed) {
      const some = [...this.#due].slice(0, this.#atOnce)
      for (const tenantId of some) this.#due.delete(tenantId)
      await sleep(await this.#appendSome(some))
    }
  }

  // One tenant that cannot be appended to must not keep the others waiting, so after a failure each is tried alone. A
  // database that is unavailable fails in the same way as one tenant that takes too long: the next attempt waits. Of a
  // tenant that failed alone, the sweep tries again.
  async #appendSome(tenantIds: readonly string[]): Promise<number> {
    try {
      this.#remember(await this.#appendOnce(tenantIds), tenantIds)
      this.#atOnce = Math.min(this.#atOnce * 2, AT_ONCE)
      return 0
    } catch (error) {
      const [alone = '', ...others] = tenantIds
      if (others.length > 0) for (const each of tenantIds) this.#due.add(each)
      else if (!isUnavailable(error)) this.#problems.set(alone, 'audit log not sealed')
      this.#atOnce = 1
      this.#parts.log.error({ tenantIds, error: textOf(error) }, 'audit log not sealed')
      return isUnavailable(error) ? APPEND_EVERY_MS : 0
    }
  }

  #appendOnce(tenantIds: readonly string[]): Promise<AppendOutcome> {
    const { database, key, afterAppend, now } = this.#parts
    const seen = new Map(tenantIds.map((tenantId) => [tenantId, this.#seen.get(tenantId)]))
    const options = { ...database, key, afterAppend, now: now().toISOString(), most: database.appendBatch }
    return database.write((transaction) => appendTogether(transaction, seen, options))
  }

  #remember({ heads, refused, forged, read }: AppendOutcome, tenantIds: readonly string[]): void {
    const { log, database } = this.#parts
    for (const { tenantId, head, note } of heads) {
      this.#seen.set(tenantId, head)
      this.#problems.delete(tenantId)
      // A log pipeline stores the note where a person who can write to this database cannot change it.
      if (note !== null) log.info({ tenantId, note }, 'audit note')
    }
    // Only a head that went back needs a person.
    for (const [tenantId, error] of refused) {
      this.#problems.set(tenantId, 'audit log went back')
      log.error({ tenantId, error }, 'audit log not sealed')
    }
    for (const [tenantId, positions] of forged) {
      this.#hasForged = true
      log.error({ tenantId, positions }, 'events of the outbox that no server wrote')
    }
    // The rest takes its turn again, behind the others.
    if (read >= database.appendBatch) for (const tenantId of tenantIds) this.#due.add(tenantId)
    // Another node has locked these logs. It may have read their events before the newest were committed.
    const locked = new Set([...heads.map(({ tenantId }) => tenantId), ...refused.keys()])
    this.wake(tenantIds.filter((tenantId) => !locked.has(tenantId)))
  }

  async #sweepOnce(): Promise<void> {
    const waiting = (await this.#waiting()).map(({ tenantId }) => tenantId)
    // Another node may have appended what this one refused.
    await this.#append([...waiting, ...this.#problems.keys()])
    if (this.#isClosed) return
    const { late, full } = backlogOf(await this.#waiting(), this.#parts.now())
    this.#late = late
    this.#full = full
    this.#hasForged = await this.#findForged()
  }

  #waiting(): Promise<Waiting[]> {
    return this.#parts.database.query
      .selectFrom('events')
      .select(({ fn }) => [
        'tenant_id as tenantId',
        fn.countAll<number>().as('count'),
        fn.min('created_at').as('oldest'),
      ])
      .where('refused_at', 'is', null)
      .groupBy('tenant_id')
      .execute()
  }

  async #findForged(): Promise<boolean> {
    const { query } = this.#parts.database
    return isFound(query.selectFrom('events').where('refused_at', 'is not', null))
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'unavailable'
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
