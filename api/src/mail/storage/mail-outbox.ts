import { MAIL_TIMES, type MailKind, OWN_MAILS } from '@keyferry/contract/mail'
import { z } from 'zod'
import type { Lease, Outbox, ReceiverPlace, SentCall } from '../../domain/base/outbox.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { changing, hasChanged } from '../../storage/base/statements.ts'
import { type MailFacts, type MailOutcome, settledMail } from '../domain/mail.ts'
import { noteExpiriesAgain } from './mail-queue.ts'
import type { MailRow } from './rows.ts'

/** A mail that is being sent. */
export type QueuedMail = {
  id: string
  address: string
  kind: MailKind
  tenantId: string
  userId: string | null
  facts: MailFacts
  giveUpAt: string
  /** Of the receiver, in a row. */
  failures: number
}

const Facts: z.ZodType<MailFacts> = z.object({
  seq: z.number().optional(),
  invitation: z.string().exactOptional(),
  off: z.array(z.enum(OWN_MAILS)).exactOptional(),
})

/** Receivers that one node sends to at a time. */
const ROOM = 5

export function hasMailRoom(running: readonly ReceiverPlace[], place: ReceiverPlace): boolean {
  return running.length < ROOM && running.every(({ id }) => id !== place.id)
}

export function createMailOutbox(queries: Queries): Outbox<ReceiverPlace, QueuedMail, MailOutcome> {
  return {
    due: (now) => due(queries.query, now),
    claim: changing(queries, claim),
    next: changing(queries, next),
    settle: changing(queries, settle),
    release: changing(queries, release),
  }
}

const OPEN = ['waiting', 'sending'] as const

async function due(query: Query, now: string): Promise<ReceiverPlace[]> {
  return await query
    .selectFrom('mail_receivers')
    .select('id')
    .where('next_at', '<=', now)
    .where('claimed_until', '<=', now)
    .where((receivers) =>
      receivers.exists(
        receivers
          .selectFrom('mail_messages as message')
          .select('message.id')
          .whereRef('message.address_key', '=', 'mail_receivers.id')
          .where('message.state', 'in', OPEN)
          .where('message.not_before', '<=', now),
      ),
    )
    .orderBy('next_at')
    .limit(ROOM * 2)
    .execute()
}

async function claim(transaction: Query, { id }: ReceiverPlace, lease: Lease): Promise<boolean> {
  const free = transaction
    .updateTable('mail_receivers')
    .where('id', '=', id)
    .where('next_at', '<=', lease.now)
    .where('claimed_until', '<=', lease.now)
  return await hasChanged(free.set({ claimed_by: lease.claim, claimed_until: lease.until }))
}

/** Locks the receiver until the transaction ends; undefined: the claim is over. */
function lockClaimed(transaction: Query, { id }: ReceiverPlace, claimedBy: string, until?: string) {
  return transaction
    .updateTable('mail_receivers')
    .set((column) => ({ claimed_until: until ?? column.ref('claimed_until') }))
    .where('id', '=', id)
    .where('claimed_by', '=', claimedBy)
    .returning('failures')
    .executeTakeFirst()
}

// A mail that is being sent although this node has the claim was left by a node that ended.
async function next(transaction: Query, place: ReceiverPlace, lease: Lease): Promise<QueuedMail | null> {
  const receiver = await lockClaimed(transaction, place, lease.claim, lease.until)
  if (!receiver) return null
  const messages = () => transaction.selectFrom('mail_messages').where('address_key', '=', place.id)
  const waiting = await messages()
    .selectAll()
    .where('state', 'in', OPEN)
    .where('not_before', '<=', lease.now)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const sent = await messages()
    .select(['kind', (each) => each.fn.max('done_at').as('at')])
    .where('state', '=', 'sent')
    .groupBy('kind')
    .execute()
  const delayed = delayedUntil(sent, lease.now)
  for (const { id, kind } of waiting) {
    const not_before = delayed.get(kind)
    if (not_before) await update(transaction, id, { not_before, state: 'waiting' })
  }
  const row = waiting.find(({ kind }) => !delayed.has(kind))
  if (!row) return null
  await update(transaction, row.id, { state: 'sending', attempts: row.attempts + 1 })
  const { id, kind, tenant_id: tenantId, user_id: userId, give_up_at: giveUpAt } = row
  const facts = Facts.parse(JSON.parse(row.facts))
  return { id, address: place.id, kind, tenantId, userId, facts, giveUpAt, ...receiver }
}

/** Kinds of which a mail was sent a short time ago, and until when the next one waits. */
function delayedUntil(sent: readonly { kind: MailKind; at: string | null }[], now: string) {
  const until = sent.map(({ kind, at }) => {
    const free = new Date(Date.parse(at ?? now) + MAIL_TIMES.apartSeconds * 1_000).toISOString()
    return [kind, free] as const
  })
  return new Map(until.filter(([, free]) => free > now))
}

async function update(transaction: Query, id: string, change: Partial<MailRow>): Promise<void> {
  await transaction.updateTable('mail_messages').set(change).where('id', '=', id).execute()
}

async function settle(
  transaction: Query,
  place: ReceiverPlace,
  { claim: claimedBy, message, outcome, now }: SentCall<QueuedMail, MailOutcome>,
): Promise<boolean> {
  if (!(await lockClaimed(transaction, place, claimedBy))) return false
  const { state, retryAt, giveUpAt: give_up_at } = settledMail(outcome, { ...message, now })
  const isOver = state !== 'waiting'
  const last_error = outcome.end === 'failed' ? outcome.word : null
  const done_at = isOver ? now.toISOString() : null
  await update(transaction, message.id, { state, last_error, done_at, give_up_at })
  if (state === 'refused' && last_error !== null) await noteExpiriesAgain(transaction, message, now)
  await transaction
    .updateTable('mail_receivers')
    .set({ next_at: retryAt, failures: outcome.end === 'failed' ? message.failures + 1 : 0 })
    .where('id', '=', place.id)
    .execute()
  return isOver
}

async function release(transaction: Query, place: ReceiverPlace, claimedBy: string): Promise<void> {
  if (!(await lockClaimed(transaction, place, claimedBy))) return
  await transaction
    .updateTable('mail_messages')
    .set({ state: 'waiting' })
    .where('address_key', '=', place.id)
    .where('state', '=', 'sending')
    .execute()
  await transaction
    .updateTable('mail_receivers')
    .set({ claimed_by: null, claimed_until: '' })
    .where('id', '=', place.id)
    .execute()
}
