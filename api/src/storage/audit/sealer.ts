import { setTimeout as sleep } from 'node:timers/promises'
import { type Repeating, repeating } from '@keyferry/plumbing/repeating'
import type { Logger } from 'pino'
import { backlogOf, type Waiting } from '../../domain/audit/audit-backlog.ts'
import { BoundedMap } from '../base/bounded-map.ts'
import type { Database } from '../base/queries.ts'
import { isFound } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import type { Head } from './audit-head.ts'
import { type Seal, sealTenant } from './sealing.ts'

const SEAL_AFTER_MS = 200
const SWEEP_EVERY_MS = 5_000
const SEEN_HEADS = 10_000

export type SealerParts = {
  database: Database
  key: NamedAuditKey
  /** Of the web pages, where messages of webhooks link to. */
  publicUrl: string | null
  now: () => Date
  log: Pick<Logger, 'info' | 'error'>
}

/** Seals the events of all tenants in the background: soon after each commit of this node, and every few seconds what
 * other nodes left behind. Nothing here is part of an answer. */
export class Sealer {
  readonly #parts: SealerParts
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #seen = new BoundedMap<string, Head>(SEEN_HEADS)
  readonly #problems = new Map<string, string>()
  #full: ReadonlySet<string> = new Set()
  #late: ReadonlySet<string> = new Set()
  #hasForged = false
  readonly #sweeps: Repeating
  #isClosed = false

  constructor(parts: SealerParts) {
    this.#parts = parts
    const failed = (error: unknown) =>
      parts.log.error({ error: error instanceof Error ? error.message : String(error) }, 'audit sweep')
    this.#sweeps = repeating(SWEEP_EVERY_MS, () => this.#sweepOnce(), failed)
    this.#sweeps.start()
  }

  /** Seal these tenants' events soon. */
  wake(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) {
      if (this.#isClosed || this.#timers.has(tenantId)) continue
      const timer = setTimeout(() => this.#start(tenantId), SEAL_AFTER_MS).unref()
      this.#timers.set(tenantId, timer)
    }
  }

  /** Whether a tenant has so many unsealed events that it must not make more. */
  isFull(tenantId: string): boolean {
    return this.#full.has(tenantId)
  }

  /** Why sealing is behind or has stopped; empty when all is well. */
  get problems(): readonly string[] {
    const late = this.#late.size > 0 ? ['audit backlog'] : []
    const forged = this.#hasForged ? ['forged audit events'] : []
    return [...new Set([...this.#problems.values(), ...late, ...forged])]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const swept = this.#sweeps.stop()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all([...this.#running.values(), swept])
  }

  #start(tenantId: string): void {
    this.#timers.delete(tenantId)
    void this.#seal(tenantId)
  }

  // One run per tenant at a time; an event that is committed during a run has its own timer.
  #seal(tenantId: string): Promise<void> {
    const run = (this.#running.get(tenantId) ?? Promise.resolve()).then(() => this.#sealAll(tenantId))
    const ending = run.finally(() => {
      if (this.#running.get(tenantId) === ending) this.#running.delete(tenantId)
    })
    this.#running.set(tenantId, ending)
    return ending
  }

  async #sealAll(tenantId: string): Promise<void> {
    const { log, database } = this.#parts
    try {
      for (let read = database.sealBatch; read >= database.sealBatch && !this.#isClosed; ) {
        const seal = await this.#sealOnce(tenantId)
        this.#remember(tenantId, seal)
        read = seal.read
        if (read >= database.sealBatch) await sleep(0)
      }
    } catch (error) {
      // The sweep tries again. Only a head that went back needs a person.
      if (error instanceof Error && error.name === 'HeadWentBack')
        this.#problems.set(tenantId, 'audit log went back')
      log.error(
        { tenantId, error: error instanceof Error ? error.message : String(error) },
        'audit log not sealed',
      )
    }
  }

  #sealOnce(tenantId: string): Promise<Seal> {
    const { database, key, publicUrl, now } = this.#parts
    const { insertAll, updateAll, holdShared, sealBatch: most } = database
    const options = { key, publicUrl, now: now().toISOString(), most, insertAll, updateAll, holdShared }
    return database.write((transaction) =>
      sealTenant(transaction, { tenantId, seen: this.#seen.get(tenantId) }, options),
    )
  }

  #remember(tenantId: string, { head, forged, note }: Seal): void {
    const { log } = this.#parts
    this.#seen.set(tenantId, head)
    this.#problems.delete(tenantId)
    if (forged.length > 0) {
      this.#hasForged = true
      log.error({ tenantId, positions: forged }, 'events of the outbox that no server wrote')
    }
    // A log pipeline stores the note where a person who can write to this database cannot change it.
    if (note !== null) log.info({ tenantId, note }, 'audit note')
  }

  async #sweepOnce(): Promise<void> {
    const waiting = (await this.#waiting()).map(({ tenantId }) => tenantId)
    // Another node may have sealed what this one refused.
    for (const tenantId of new Set([...waiting, ...this.#problems.keys()])) {
      if (!this.#isClosed && !this.#timers.has(tenantId)) await this.#seal(tenantId)
    }
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
