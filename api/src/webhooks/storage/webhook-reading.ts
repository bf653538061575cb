import { WEBHOOK_EVENTS, type WebhookEvent, type Webhook as WebhookSchema } from '@keyferry/contract/webhooks'
import { z } from 'zod'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { TargetRules } from '../../domain/base/outgoing-target.ts'
import type { Caller } from '../../domain/people/membership.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { countOf, pageOf, selectOf } from '../../storage/base/tenant-rows.ts'
import type { WebhookRow } from './rows.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

export type Webhook = z.output<typeof WebhookSchema>

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

export type WebhookParts = {
  queries: Queries
  secrets: WebhookSecrets
  clock: ClockAndIds
  targets: TargetRules
}

type ReadingParts = Pick<WebhookParts, 'queries' | 'clock'>

/** @throws DomainError not_found, for another tenant's webhook too */
export async function findWebhook(
  { queries, clock }: ReadingParts,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: string,
): Promise<Webhook> {
  const row = await webhooks(queries.query, tenantId).where('id', '=', id).executeTakeFirst()
  if (!row) throw webhookNotFound()
  return webhookIn(row, timestamp(clock))
}

/** The oldest first. */
export async function listWebhooks(
  { queries: { query }, clock }: ReadingParts,
  { tenantId }: Caller,
  page: WholePage,
): Promise<ListPage<Webhook>> {
  const all = selectOf(query, 'webhooks', tenantId)
  const oldestFirst = webhooks(query, tenantId).orderBy('created_at').orderBy('id')
  const { rows, total } = await pageOf(oldestFirst, page, countOf(all))
  return { total, rows: rows.map((row) => webhookIn(row, timestamp(clock))) }
}

export function webhookNotFound(): DomainError {
  return new DomainError('not_found', 'webhook not found')
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

// `now` decides whether the old secret still signs.
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
