import { CHAIN_START, chainHash, isEventMac } from '@keyferry/crypto/audit-chain'
import { chainNote } from '@keyferry/crypto/chain-note'
import { signNote } from '@keyferry/crypto/signed-note'
import { indexOf } from '../../domain/audit/audit.ts'
import { send } from '../base/pipeline.ts'
import type { Database, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { fanOut } from '../webhooks/webhook-fan-out.ts'

/** The newest entry of a chain. */
export type Head = { seq: number; hash: string; epoch: number }

/** The result of one seal. `read`: how many rows it took from the outbox. `forged`: the positions of those that no API
 * node wrote; they are never sealed. `note` is set at the first seal of a day. */
export type Seal = { head: Head; read: number; forged: readonly number[]; note: string | null }

export type SealOptions = { key: NamedAuditKey; now: string; most: number } & Pick<
  Database,
  'insertAll' | 'updateAll' | 'holdShared'
>

/** A head that is older than one that this node has seen: the database was cut or restored without `audit-restored`. */
class HeadWentBack extends Error {
  override readonly name = 'HeadWentBack'
}

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
  await refuseOlder(transaction, head, place)
  const events = await oldestEvents(transaction, tenantId, options.most)
  const genuine = events.filter((event) => isGenuine(event, options.key))
  const forged = events.filter((event) => !genuine.includes(event)).map(({ position }) => position)
  if (forged.length > 0) await setAside(transaction, forged, options.now)
  const { head: newHead, note } = await append(transaction, { tenantId, head, events: genuine }, options)
  return { head: newHead, read: events.length, forged, note }
}

async function append(
  transaction: Query,
  { tenantId, head, events }: { tenantId: string; head: HeldHead; events: readonly StoredEvent[] },
  options: SealOptions,
): Promise<{ head: Head; note: string | null }> {
  const rows = chained(head, events)
  const last = rows.at(-1)
  if (!last) return { head, note: null }
  const newHead = { seq: last.seq, hash: last.hash, epoch: head.epoch }
  const note = await writeSeal(transaction, { tenantId, head: newHead }, options)
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

/** Where a log begins: `first_seq` is its oldest entry, `first_prev` the hash before that. */
export type HeldHead = Head & { first_seq: number; first_prev: string }

/** The head of a tenant, held until the transaction ends; made at the first call. */
export async function holdHead(transaction: Query, tenantId: string): Promise<HeldHead> {
  const held = await tryHold(transaction, tenantId)
  if (held) return held
  const start = { seq: 0, hash: CHAIN_START, first_seq: 1, first_prev: CHAIN_START, epoch: 1 }
  await transaction
    .insertInto('audit_heads')
    .values({ tenant_id: tenantId, ...start })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await tryHold(transaction, tenantId)) ?? start
}

function tryHold(transaction: Query, tenantId: string): Promise<HeldHead | undefined> {
  return updateOf(transaction, 'audit_heads', tenantId)
    .set((column) => ({ epoch: column.ref('epoch') }))
    .returning(['seq', 'hash', 'epoch', 'first_seq', 'first_prev'])
    .executeTakeFirst()
}

async function refuseOlder(
  transaction: Query,
  head: HeldHead,
  { tenantId, seen }: { tenantId: string; seen: Head | undefined },
): Promise<void> {
  if (!seen || head.epoch > seen.epoch) return
  const isOlder = head.epoch < seen.epoch || head.seq < seen.seq
  const isPruned = seen.seq < head.first_seq - 1
  const fits = isPruned || (await hashAt(transaction, { tenantId, head, seq: seen.seq })) === seen.hash
  if (isOlder || !fits)
    throw new HeadWentBack(`the audit log ends at entry ${head.seq}; this server has seen entry ${seen.seq}`)
}

// Another node may have sealed since, onto what this node saw or onto something else.
async function hashAt(
  transaction: Query,
  { tenantId, head, seq }: { tenantId: string; head: HeldHead; seq: number },
): Promise<string | undefined> {
  if (seq === head.seq) return head.hash
  if (seq === head.first_seq - 1) return head.first_prev
  const row = await selectOf(transaction, 'audit_log', { tenantId, seq }).select('hash').executeTakeFirst()
  return row?.hash
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

/** Whether an API node wrote this row of the outbox. */
export function isGenuine(
  { tenant_id, body, origin, mac }: Omit<StoredEvent, 'position'>,
  key: NamedAuditKey,
): boolean {
  return isEventMac(mac, { tenantId: tenant_id, body, origin }, key.mac)
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
  { tenantId, head }: { tenantId: string; head: Head },
  { key, now }: Pick<SealOptions, 'key' | 'now'>,
): Promise<string | null> {
  const newest = await selectOf(transaction, 'audit_seals', tenantId)
    .select('day')
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
  const today = now.slice(0, 'yyyy-mm-dd'.length)
  const day = newest && newest.day > today ? newest.day : today
  const note = signNote(chainNote({ ...head, origin: `${key.name}/${tenantId}`, at: now }), key)
  const seal = { seq: head.seq, hash: head.hash, sealed_at: now, note }
  const upsert = transaction
    .insertInto('audit_seals')
    .values({ tenant_id: tenantId, day, ...seal })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'day']).doUpdateSet(seal))
  await send(transaction, upsert)
  return newest?.day === day ? null : note
}
