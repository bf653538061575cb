import { chainHash } from '@keyferry/crypto/audit-chain'
import { indexOf } from '../../domain/audit/audit.ts'
import { send } from '../base/pipeline.ts'
import type { Database, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { checkpointsOf, type HeadRow, lockHeads, noteOf, refusalOf, type SeenHead } from './audit-head.ts'
import { isGenuine } from './genuine-events.ts'

/** The result of one append, a row for each log that it locked. `note` is set at the first append of a day. */
export type AppendOutcome = {
  heads: readonly Appended[]
  /** Why nothing may be added to a log. */
  refused: ReadonlyMap<string, string>
  /** The positions of events that no API node wrote; they are never appended. */
  forged: ReadonlyMap<string, readonly number[]>
  /** How many events it took from the outbox. */
  read: number
}

/** What one append added to a log. `note` is set at the first append of a day. */
export type AppendedBatch = {
  tenantId: string
  rows: readonly Pick<Tables['audit_log'], 'seq' | 'hash' | 'body'>[]
  note: string | null
  now: string
}

/** Runs in the transaction of the append. */
export type AfterAppend = (transaction: Query, batches: readonly AppendedBatch[]) => Promise<void>

export type AppendParts = { key: NamedAuditKey; now: string; most: number; afterAppend: AfterAppend } & Pick<
  Database,
  'skipLocked' | 'insertAll' | 'updateAll'
>

/** Move the oldest events of these tenants from the outbox to their logs: number them, chain them, sign the new heads,
 * and let the modules follow. Run it in a transaction, which locks the heads until it ends. A log that another node has
 * locked is left to that node.
 * @param seen the newest head of each tenant that this node knows */
export async function appendTogether(
  transaction: Query,
  seen: ReadonlyMap<string, SeenHead | undefined>,
  options: AppendParts,
): Promise<AppendOutcome> {
  const { heads, newest, refused } = await lockGenuine(transaction, seen, options)
  if (heads.size === 0) return { heads: [], refused, forged: new Map(), read: 0 }
  const events = await oldestEvents(transaction, [...heads.keys()], options.most)
  const [genuine, forged] = partition(events, (event) => isGenuine(event, options.key))
  if (forged.length > 0) await setAside(transaction, forged, options.now)
  const logs = [...Map.groupBy(genuine, (event) => event.tenant_id)].flatMap(([tenantId, added]) => {
    const head = heads.get(tenantId)
    return head ? [{ tenantId, head, newest: newest.get(tenantId), rows: chained(head, added) }] : []
  })
  const appended = await append(transaction, { logs, events: genuine }, options)
  const forgedIn = Map.groupBy(forged, (event) => event.tenant_id)
  return {
    heads: [...heads].map(([tenantId, head]) => {
      return appended.get(tenantId) ?? { tenantId, head: { ...head, note: null }, note: null }
    }),
    refused,
    forged: new Map([...forgedIn].map(([tenantId, rows]) => [tenantId, positionsOf(rows)])),
    read: events.length,
  }
}

/** The locked heads that entries may follow, their newest checkpoints, and the other heads. */
async function lockGenuine(
  transaction: Query,
  seen: ReadonlyMap<string, SeenHead | undefined>,
  options: Pick<AppendParts, 'skipLocked' | 'key'>,
) {
  const locked = await lockHeads(transaction, seen, options)
  const newest = await checkpointsOf(transaction, [...locked.keys()])
  const heads = new Map<string, HeadRow>()
  const refused = new Map<string, string>()
  for (const [tenantId, head] of locked) {
    const known = { tenantId, head, last: newest.get(tenantId), seen: seen.get(tenantId), key: options.key }
    const refusal = await refusalOf(transaction, known)
    if (refusal === null) heads.set(tenantId, head)
    else refused.set(tenantId, refusal)
  }
  return { heads, newest, refused }
}

type Addition = {
  tenantId: string
  head: HeadRow
  newest: Tables['audit_seals'] | undefined
  rows: readonly Tables['audit_log'][]
}

type Appended = { tenantId: string; head: SeenHead; note: string | null }

async function append(
  transaction: Query,
  { logs, events }: { logs: readonly Addition[]; events: readonly StoredEvent[] },
  options: AppendParts,
): Promise<ReadonlyMap<string, Appended>> {
  if (logs.length === 0) return new Map()
  const { insertAll, updateAll } = options
  const appended = await writeCheckpoints(transaction, logs, options)
  await insertAll(
    transaction,
    'audit_log',
    logs.flatMap(({ rows }) => rows),
  )
  const taken = transaction.deleteFrom('events').where('position', 'in', positionsOf(events))
  await send(transaction, taken)
  const rows = [...appended.values()].map(({ tenantId, head: { seq, hash, epoch } }) => {
    return { tenant_id: tenantId, seq, hash, epoch }
  })
  await updateAll(transaction, 'audit_heads', { by: ['tenant_id'], rows })
  const batches = logs.map(({ tenantId, rows: added }) => {
    return { tenantId, rows: added, note: appended.get(tenantId)?.note ?? null, now: options.now }
  })
  await options.afterAppend(transaction, batches)
  return appended
}

// Forged rows stay as evidence. They are not read again with each append, or many of them would keep honest ones out.
async function setAside(transaction: Query, forged: readonly StoredEvent[], now: string): Promise<void> {
  const rows = transaction.updateTable('events').where('position', 'in', positionsOf(forged))
  await send(transaction, rows.set({ refused_at: now }))
}

type StoredEvent = Pick<Tables['events'], 'tenant_id' | 'body' | 'origin' | 'mac'> & { position: number }

function oldestEvents(transaction: Query, tenantIds: readonly string[], most: number) {
  return transaction
    .selectFrom('events')
    .select(['position', 'tenant_id', 'body', 'origin', 'mac'])
    .where('tenant_id', 'in', tenantIds)
    .where('refused_at', 'is', null)
    .orderBy('position')
    .limit(most)
    .execute()
}

const positionsOf = (events: readonly StoredEvent[]) => events.map(({ position }) => position)

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  const parts = Map.groupBy(all, isFirst)
  return [parts.get(true) ?? [], parts.get(false) ?? []]
}

function chained(head: HeadRow, events: readonly StoredEvent[]): Tables['audit_log'][] {
  let { seq, hash } = head
  return events.map(({ tenant_id, body, origin }) => {
    seq += 1
    const line = `{"seq":${seq},${body.slice(1)}`
    hash = chainHash(hash, line)
    return { tenant_id, seq, hash, body: line, origin, ...indexOf(body) }
  })
}

/** Sign the new heads and keep each note as the day's checkpoint. A clock that goes back never reopens an earlier day.
 * @returns the new heads; `note` where it is the first of its day */
async function writeCheckpoints(
  transaction: Query,
  logs: readonly Addition[],
  { key, now }: Pick<AppendParts, 'key' | 'now'>,
): Promise<ReadonlyMap<string, Appended>> {
  const today = now.slice(0, 'yyyy-mm-dd'.length)
  const appended = new Map<string, Appended>()
  const values = logs.map(({ tenantId, head: { epoch }, newest, rows }) => {
    const { seq, hash } = rows.at(-1) ?? { seq: 0, hash: '' }
    const head = { seq, hash, epoch }
    const day = newest && newest.day > today ? newest.day : today
    const note = noteOf(head, { tenantId, key, at: now })
    appended.set(tenantId, {
      tenantId,
      head: { ...head, note },
      note: newest?.day === day ? null : note,
    })
    return { tenant_id: tenantId, day, seq, hash, sealed_at: now, note }
  })
  const upsert = transaction
    .insertInto('audit_seals')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'day']).doUpdateSet((row) => ({
        seq: row.ref('excluded.seq'),
        hash: row.ref('excluded.hash'),
        sealed_at: row.ref('excluded.sealed_at'),
        note: row.ref('excluded.note'),
      })),
    )
  await send(transaction, upsert)
  return appended
}
