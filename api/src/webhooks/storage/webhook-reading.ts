import { WEBHOOK_EVENTS, type WebhookEvent } from '@keyferry/contract/webhooks'
import { z } from 'zod'
import type { Query } from '../../storage/base/queries.ts'
import { countOf, pageOf, selectOf } from '../../storage/base/tenant-rows.ts'
import { type Webhook, type WebhookStore, webhookNotFound } from '../domain/webhook.ts'
import type { WebhookRow } from './rows.ts'

const Events = z.array(z.enum(WEBHOOK_EVENTS))
const Ids = z.array(z.string())

/** The types in a row's column `events`; empty for all. */
export function eventsIn(text: string): WebhookEvent[] {
  return Events.parse(JSON.parse(text))
}

/** The ids in a row's column `bundle_ids`; empty for all. */
export function bundleIdsIn(text: string): string[] {
  return Ids.parse(JSON.parse(text))
}

export function webhookReader(query: Query): Pick<WebhookStore, 'find' | 'list'> {
  return {
    async find(tenantId, webhookId, now) {
      const row = await webhooks(query, tenantId).where('id', '=', webhookId).executeTakeFirst()
      if (!row) throw webhookNotFound()
      return webhookIn(row, now)
    },
    async list(tenantId, page, now) {
      const { rows, total } = await pageOf(
        webhooks(query, tenantId).orderBy('created_at').orderBy('id'),
        page,
        countOf(selectOf(query, 'webhooks', tenantId)),
      )
      return { total, rows: rows.map((row) => webhookIn(row, now)) }
    },
  }
}

const COLUMNS = [
  'id',
  'url',
  'description',
  'events',
  'bundle_ids',
  'is_active',
  'old_secret_until',
  'failing_since',
  'failures',
  'next_at',
  'ended_reason',
  'last_delivered_at',
  'created_by',
  'created_at',
] as const

function webhooks(query: Query, tenantId: string) {
  return selectOf(query, 'webhooks', tenantId)
    .select(COLUMNS)
    .select((column) =>
      column
        .selectFrom('webhook_messages')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where('webhook_messages.tenant_id', '=', tenantId)
        .whereRef('webhook_messages.webhook_id', '=', 'webhooks.id')
        .where('webhook_messages.state', 'in', ['waiting', 'sending'])
        .as('waiting'),
    )
}

type CountedWebhookRow = Pick<WebhookRow, (typeof COLUMNS)[number]> & { waiting: number | null }

function webhookIn(row: CountedWebhookRow, now: string): Webhook {
  const { old_secret_until: until, failing_since, is_active } = row
  return {
    ...row,
    events: eventsIn(row.events),
    bundle_ids: bundleIdsIn(row.bundle_ids),
    is_active: is_active === 1,
    old_secret_until: until !== null && until > now ? until : null,
    next_at: failing_since === null || is_active === 0 || row.next_at === '' ? null : row.next_at,
    waiting: row.waiting ?? 0,
  }
}
