import { chainHash } from '@keyferry/crypto/audit-chain'
import { indexOf } from '../../domain/audit/audit.ts'
import { send } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { type FanOutParts, fanOut } from '../webhooks/webhook-fan-out.ts'
import { type Head, type HeldHead, holdHead, newestSeal, noteOf, requireGenuineHead } from './audit-head.ts'
import { isGenuine } from './genuine-events.ts'

/** The result of one seal. `read`: how many rows it took from the outbox. `forged`: the positions of those that no API
 * node wrote; they are never sealed. `note` is set at the first seal of a day. */
export type Seal = { head: Head; read: number; forged: readonly number[]; note: string | null }

export type SealOptions = { key: NamedAuditKey; now: string; most: number } & FanOutParts

/** Move a tenant's oldest events from the outbox to the log: number them, chain them, sign the new head, and make the
 * messages of webhooks. Run it in a transaction, which holds the head until it ends, so that seals of one tenant
 * follow one another.
 * @param seen the newest head that this node knows
 * @throws HeadWentBack */
export async function sealTenant(
  transaction: Query,
  place: { tenantId: string; seen: Head | undefined },
  options: SealOptions,
): Promise<Seal> {
  const { tenantId } = place
  const head = await holdHead(transaction, tenantId)
  const seal = await newestSeal(transaction, tenantId)
  await requireGenuineHead(transaction, { ...place, head, seal, key: options.key })
  const events = await oldestEvents(transaction, tenantId, options.most)
  const genuine = events.filter((event) => isGenuine(event, options.key))
  const forged = events.filter((event) => !genuine.includes(event)).map(({ position }) => position)
  if (forged.length > 0) await setAside(transaction, forged, options.now)
  const { head: newHead, note } = await append(
    transaction,
    { tenantId, head, seal, events: genuine },
    options,
  )
  return { head: newHead, read: events.length, forged, note }
}

type Addition = {
  tenantId: string
  head: HeldHead
  seal: Tables['audit_seals'] | undefined
  events: readonly StoredEvent[]
}

async function append(
  transaction: Query,
  { tenantId, head, seal, events }: Addition,
  options: SealOptions,
): Promise<{ head: Head; note: string | null }> {
  const rows = chained(head, events)
  const last = rows.at(-1)
  if (!last) return { head, note: null }
  const newHead = { seq: last.seq, hash: last.hash, epoch: head.epoch }
  const note = await writeSeal(transaction, { tenantId, head: newHead, newest: seal }, options)
  await options.insertAll(transaction, 'audit_log', rows)
  await forgetEvents(transaction, tenantId, events)
  await send(transaction, updateOf(transaction, 'audit_heads', tenantId).set(newHead))
  await fanOut(options, transaction, { tenantId, rows, note, now: options.now })
  return { head: newHead, note }
}

// Forged rows stay as evidence. They must not be read again with each seal, or many of them would keep honest ones out.
async function setAside(transaction: Query, positions: readonly number[], now: string): Promise<void> {
  await send(
    transaction,
    transaction.updateTable('events').set({ refused_at: now }).where('position', 'in', positions),
  )
}

type StoredEvent = {
  position: number
  tenant_id: string
  body: string
  origin: string | null
  mac: Uint8Array
}

function oldestEvents(transaction: Query, tenantId: string, most: number): Promise<StoredEvent[]> {
  return selectOf(transaction, 'events', tenantId)
    .select(['position', 'tenant_id', 'body', 'origin', 'mac'])
    .where('refused_at', 'is', null)
    .orderBy('position')
    .limit(most)
    .execute()
}

function chained(head: Head, events: readonly StoredEvent[]): Tables['audit_log'][] {
  let { seq, hash } = head
  return events.map(({ tenant_id, body, origin }) => {
    seq += 1
    const line = `{"seq":${seq},${body.slice(1)}`
    hash = chainHash(hash, line)
    return { tenant_id, seq, hash, body: line, origin, ...indexOf(body) }
  })
}

async function forgetEvents(
  transaction: Query,
  tenantId: string,
  events: readonly StoredEvent[],
): Promise<void> {
  const positions = events.map(({ position }) => position)
  const sealed = deleteOf(transaction, 'events', tenantId).where('position', 'in', positions)
  await send(transaction, sealed)
}

/** Sign the head and keep the note as the seal of the day. A clock that goes back never reopens an earlier day.
 * @returns the note when it is the first of its day */
async function writeSeal(
  transaction: Query,
  { tenantId, head, newest }: { tenantId: string; head: Head; newest: Tables['audit_seals'] | undefined },
  { key, now }: Pick<SealOptions, 'key' | 'now'>,
): Promise<string | null> {
  const today = now.slice(0, 'yyyy-mm-dd'.length)
  const day = newest && newest.day > today ? newest.day : today
  const note = noteOf(head, { tenantId, key, at: now })
  const seal = { seq: head.seq, hash: head.hash, sealed_at: now, note }
  const upsert = transaction
    .insertInto('audit_seals')
    .values({ tenant_id: tenantId, day, ...seal })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'day']).doUpdateSet(seal))
  await send(transaction, upsert)
  return newest?.day === day ? null : note
}
