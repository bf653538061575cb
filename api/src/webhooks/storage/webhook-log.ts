import type { Queries, Query } from '../../storage/base/queries.ts'
import { changing } from '../../storage/base/statements.ts'
import type { Tables } from '../../storage/base/tables.ts'
import { countOf, pageOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'
import { webhookNotFound } from '../domain/webhook.ts'
import type { SentNow, WantedMessages, WebhookLogStore, WebhookMessage } from '../domain/webhook-log.ts'
import type { WebhookRow } from './rows.ts'
import { holdWebhook } from './webhooks.ts'

export function createWebhookLogStore(queries: Queries): WebhookLogStore {
  return {
    list: (tenantId, asked) => list(queries.query, tenantId, asked),
    test: changing(queries, test),
    resend: changing(queries, resend),
  }
}

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

async function list(query: Query, tenantId: string, { webhookId, state, page }: WantedMessages) {
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

async function test(
  transaction: Query,
  tenantId: string,
  { webhookId, messageId: id, now, giveUpAt, body }: SentNow & { body: string },
): ReturnType<WebhookLogStore['test']> {
  const webhook = await holdWebhook(transaction, tenantId, webhookId)
  if (!webhook) return 'absent'
  if (webhook.is_active === 0) return 'off'
  await sendNow(transaction, webhook)
  const waiting = await selectOf(transaction, 'webhook_messages', {
    tenantId,
    webhook_id: webhookId,
    state: 'waiting',
    merge_key: TEST,
  })
    .select('id')
    .executeTakeFirst()
  if (waiting) return waiting
  const times = { not_before: now, give_up_at: giveUpAt, created_at: now }
  const row = { tenant_id: tenantId, webhook_id: webhookId, id, type: TEST, body, merge_key: TEST } as const
  await transaction
    .insertInto('webhook_messages')
    .values({ ...row, ...times, state: 'waiting', attempts: 0 })
    .execute()
  return { id }
}

async function resend(
  transaction: Query,
  tenantId: string,
  { webhookId, messageId: id, now, giveUpAt }: SentNow,
): ReturnType<WebhookLogStore['resend']> {
  const webhook = await holdWebhook(transaction, tenantId, webhookId)
  const place = { tenantId, id, webhook_id: webhookId }
  const message = webhook && (await heldMessage(transaction, place))
  if (!message) return 'absent'
  if (webhook.is_active === 0) return 'off'
  if (message.state === 'sending' && webhook.claimed_until > now) return 'sending'
  await sendNow(transaction, webhook)
  await updateOf(transaction, 'webhook_messages', place)
    .set({ state: 'waiting', merge_key: null, not_before: now, give_up_at: giveUpAt, done_at: null })
    .execute()
  return 'done'
}

function heldMessage(transaction: Query, place: { tenantId: string; id: string; webhook_id: string }) {
  return updateOf(transaction, 'webhook_messages', place)
    .set((column) => ({ attempts: column.ref('attempts') }))
    .returning('state')
    .executeTakeFirst()
}

// A person who asks for a call does not wait for the schedule of failed ones.
async function sendNow(transaction: Query, { tenant_id: tenantId, id }: WebhookRow): Promise<void> {
  await updateOf(transaction, 'webhooks', { tenantId, id }).set({ next_at: '' }).execute()
}
