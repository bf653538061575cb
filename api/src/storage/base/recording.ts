import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { eventMac, originHash } from '@keyferry/crypto/audit-chain'
import type { AuditKey } from '@keyferry/crypto/audit-key'
import { randomId } from '@keyferry/crypto/token'
import type { Insertable } from 'kysely'
import type { TouchedIds } from '../../domain/approvals/effects.ts'
import { unavailable } from '../../domain/base/errors.ts'
import { changesValues, type Event, eventBody } from '../../domain/base/event.ts'
import { originText } from '../../domain/base/origin.ts'
import { turn } from '../../domain/base/turns.ts'
import { type MacWrite, versionText } from '../row-macs/row-macs.ts'
import { chunks } from './chunks.ts'
import { type Database, type Queries, type Recorded, recordedBy } from './queries.ts'
import type { Tables } from './tables.ts'

/** What empties the outbox. */
type AfterCommit = {
  /** Called after a commit, with the tenants that have new events. */
  wake: (tenantIds: ReadonlySet<string>) => void
  /** Called after a commit, with the tenants of which a bundle may deliver other values now. */
  valuesChanged: (tenantIds: ReadonlySet<string>) => void
  /** Whether a tenant has too many waiting events to make more. */
  isFull: (tenantId: string) => boolean
}

const NOTHING_AFTER: AfterCommit = { wake: () => {}, valuesChanged: () => {}, isFull: () => false }

type EventRow = Insertable<Tables['events']>

/** The queries of a database whose transactions record events. Those of one transaction are inserted together, right
 * before its commit. `after` learns for which tenants it recorded some. */
export function recording(
  database: Database,
  { mac: key }: Pick<AuditKey, 'mac'>,
  after: AfterCommit = NOTHING_AFTER,
): Queries {
  const write: Queries['write'] = async (change) => {
    const events: Event[] = []
    const changed = new Set<string>()
    const record = (event: Event): void => {
      if (after.isFull(event.tenantId)) throw unavailable('audit log')
      events.push(event)
      if (changesValues(event)) changed.add(event.tenantId)
    }
    const own = calls.getStore()
    const around = own?.isDone === false ? own.around : null
    const result = await database.write(async (transaction) => {
      const recorded = recordedBy(database, transaction, record)
      const judge = await around?.(recorded)
      // An earlier transaction of the connection may have failed.
      await database.written(transaction)
      const made = await change(recorded)
      const writes = await database.written(transaction)
      await judge?.(touchedBy(writes, events))
      const versions = versionsIn(events, [...writes, ...(await database.written(transaction))])
      for (const some of chunks(events)) {
        const rows = some.map((event) =>
          eventRow({ ...event, rows: event.rows ?? versions.get(event) ?? [] }, key),
        )
        await recorded.insertAll('events', rows)
        if (events.length > some.length) await turn() // Many events let other calls run.
      }
      return made
    })
    if (own) own.isDone = true
    if (events.length > 0) after.wake(new Set(events.map(({ tenantId }) => tenantId)))
    if (changed.size > 0) after.valuesChanged(changed)
    return result
  }
  return { ...database, write }
}

/** The first event of each tenant contains the versions of its rows, and the first of all those of the whole server. */
function versionsIn(events: readonly Event[], writes: readonly MacWrite[]): Map<Event, string[]> {
  const first = new Map(events.toReversed().map((event) => [event.tenantId, event]))
  const versions = new Map<Event, string[]>()
  for (const write of writes) {
    const event = write.tenantId === null ? events[0] : first.get(write.tenantId)
    if (!event) continue
    const own = versions.get(event) ?? []
    own.push(versionText(write))
    versions.set(event, own)
  }
  return versions
}

function eventRow(event: Event, key: AuditKey['mac']): EventRow {
  const { tenantId, at } = event
  const origin = originText(event.origin, randomUUID())
  const personal = origin === null ? null : originHash(origin)
  const body = eventBody(event, { id: randomId(), personal })
  return { tenant_id: tenantId, body, origin, mac: eventMac({ tenantId, body, origin }, key), created_at: at }
}

/** Begins a transaction. The result ends it. */
type Around = (transaction: Recorded) => Promise<(touched: TouchedIds) => Promise<void>>

// MACs name the rows of bundles and attachments; events name the other keys.
function touchedBy(writes: readonly MacWrite[], events: readonly Event[]): TouchedIds {
  const named = (of: string) => writes.flatMap(({ table, name }) => (table === of ? [name.split(' ')] : []))
  const copied = [...copiesOfCall()].flatMap(([id, sources]) => [id, ...sources])
  const changed = events.flatMap(({ target }) => (target.kind === 'key' ? [target.id] : []))
  const attached = named('attachments').map((name) => name.at(-1) ?? '')
  const bundleIds = new Set(named('bundles').flat())
  const made = events.flatMap(({ action, target }) => (action === 'key.created' ? [target.id] : []))
  return { bundleIds, keyIds: new Set([...attached, ...copied, ...changed]), madeIds: new Set(made) }
}

type Call = { around: Around; isUndone: boolean; isDone: boolean; copies: Map<string, string[]> }

const calls = new AsyncLocalStorage<Call>()

/** Run a call whose first transaction that commits begins and ends with something.
 * @param isUndone `around` ends the transaction with an error */
export function aroundWrites<T>(around: Around, call: () => Promise<T>, isUndone = false): Promise<T> {
  return calls.run({ around, isUndone, isDone: false, copies: new Map() }, call)
}

/** Whether what this call writes is undone in any case. */
export function isWriteUndone(): boolean {
  return calls.getStore()?.isUndone === true
}

/** Note that keys got the values of others. A source can be a copy of this call too. */
export function noteCopies(copies: Iterable<readonly [keyId: string, sourceId: string]>): void {
  const known = calls.getStore()?.copies
  for (const [id, source] of copies)
    known?.set(id, [...(known.get(id) ?? []), source, ...(known.get(source) ?? [])])
}

export function copiesOfCall(): ReadonlyMap<string, readonly string[]> {
  return calls.getStore()?.copies ?? new Map()
}
