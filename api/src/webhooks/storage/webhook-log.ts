import type { WebhookMessageList } from '@keyferry/contract/webhooks'
import type { z } from 'zod'
import { timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { Caller } from '../../domain/people/membership.ts'
import type { Query } from '../../storage/base/queries.ts'
import type { Tables } from '../../storage/base/tables.ts'
import { countOf, pageOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'
import { giveUpAt } from '../domain/webhook-subscription.ts'
import type { WebhookRow } from './rows.ts'
import { type WebhookParts, webhookNotFound } from './webhook-reading.ts'
import { lockWebhook } from './webhooks.ts'

/*
 * What was sent to a receiver, and what waits to be sent. An owner sends a message again, or a test message, which has
 * no event behind it.
 */

type WebhookMessage = z.output<typeof WebhookMessageList>[number]

type LogParts = Pick<WebhookParts, 'queries' | 'clock'>

const COLUMNS = [
  'id',
  'type',
  'state',
  'attempts',
  'last_status',
  'last_error',
  'last_ms',
  'created_at',
  'not_before',
  'done_at',
  'body',
] as const

type WantedMessages = {
  webhookId: string
  state: WebhookMessage['state'] | undefined
  page: WholePage
}

/** The latest first.
 * @throws DomainError not_found */
export async function listWebhookMessages(
  { queries: { query } }: LogParts,
  { tenantId }: Caller,
  { webhookId, state, page }: WantedMessages,
): Promise<ListPage<WebhookMessage>> {
  const webhook = await selectOf(query, 'webhooks', { tenantId, id: webhookId })
    .select(['next_at', 'is_active'])
    .executeTakeFirst()
  if (!webhook) throw webhookNotFound()
  const all = selectOf(query, 'webhook_messages', { tenantId, webhook_id: webhookId }).$if(
    state !== undefined,
    (messages) => messages.where('state', '=', state ?? 'waiting'),
  )
  const { rows, total } = await pageOf(
    all.select(COLUMNS).orderBy('created_at', 'desc').orderBy('id', 'desc'),
    page,
    countOf(all),
  )
  return { total, rows: rows.map((row) => messageIn(row, webhook)) }
}

function messageIn(
  { not_before, ...row }: Pick<Tables['webhook_messages'], (typeof COLUMNS)[number]>,
  { next_at, is_active }: { next_at: string; is_active: number },
): WebhookMessage {
  const isAwaited = row.state === 'waiting' && is_active === 1
  return { ...row, next_at: isAwaited ? (next_at > not_before ? next_at : not_before) : null }
}

const TEST = 'webhook.test'

/** Send a message that says nothing, to try the receiver. While one waits, no other is made.
 * @returns the message's id
 * @throws DomainError not_found · conflict: the webhook is off */
export async function testWebhook(
  { queries, clock }: LogParts,
  { tenantId, userId }: Caller,
  webhookId: string,
): Promise<string> {
  const now = timestamp(clock)
  const actor = { kind: 'user', id: userId }
  const body = JSON.stringify({ type: TEST, timestamp: now, data: { seq: null, actor } })
  const row = { tenant_id: tenantId, webhook_id: webhookId, id: clock.newId(), type: TEST, body } as const
  return await queries.write(async (transaction) => {
    const webhook = await lockWebhook(transaction, tenantId, webhookId)
    if (!webhook) throw webhookNotFound()
    await sendNow(transaction, webhook)
    const place = { tenantId, webhook_id: webhookId, state: 'waiting', merge_key: TEST } as const
    const waiting = await selectOf(transaction, 'webhook_messages', place).select('id').executeTakeFirst()
    if (waiting) return waiting.id
    const times = { not_before: now, give_up_at: giveUpAt(now), created_at: now }
    await transaction
      .insertInto('webhook_messages')
      .values({ ...row, ...times, merge_key: TEST, state: 'waiting', attempts: 0 })
      .execute()
    return row.id
  })
}

/** Send a message again, with the id and the body that it had.
 * @throws DomainError not_found · conflict: the webhook is off, or the message is being sent */
export async function resendWebhookMessage(
  { queries, clock }: LogParts,
  { tenantId }: Caller,
  { webhookId, messageId: id }: { webhookId: string; messageId: string },
): Promise<void> {
  const now = timestamp(clock)
  await queries.write(async (transaction) => {
    const webhook = await lockWebhook(transaction, tenantId, webhookId)
    const place = { tenantId, id, webhook_id: webhookId }
    const message = webhook && (await lockedMessage(transaction, place))
    if (!message) throw new DomainError('not_found', 'message not found')
    await sendNow(transaction, webhook)
    if (message.state === 'sending' && webhook.claimed_until > now)
      throw new DomainError('conflict', 'this message is being sent: wait for its end')
    await updateOf(transaction, 'webhook_messages', place)
      .set({ state: 'waiting', merge_key: null, not_before: now, give_up_at: giveUpAt(now), done_at: null })
      .execute()
  })
}

function lockedMessage(transaction: Query, place: { tenantId: string; id: string; webhook_id: string }) {
  return updateOf(transaction, 'webhook_messages', place)
    .set((column) => ({ attempts: column.ref('attempts') }))
    .returning('state')
    .executeTakeFirst()
}

// A person who asks for a call does not wait for the schedule of failed ones.
async function sendNow(transaction: Query, webhook: WebhookRow): Promise<void> {
  const { tenant_id: tenantId, id, is_active } = webhook
  if (is_active === 0) throw new DomainError('conflict', 'this webhook is off: turn it on first')
  await updateOf(transaction, 'webhooks', { tenantId, id }).set({ next_at: '' }).execute()
}
