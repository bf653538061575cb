import { madeByServer } from '../../domain/base/event.ts'
import type { Lease, Outbox, SentCall } from '../../domain/base/outbox.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { changing, hasChanged } from '../../storage/base/statements.ts'
import { flag } from '../../storage/base/tables.ts'
import { updateOf } from '../../storage/base/tenant-rows.ts'
import {
  type CallOutcome,
  type DueWebhook,
  type OutgoingMessage,
  settlementOf,
  type WantedWebhooks,
  type WebhookPlace,
  wantedBeside,
  wasSlow,
} from '../domain/webhook-outbox.ts'
import type { WebhookRow } from './rows.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'
import { webhookTarget } from './webhooks.ts'

/*
 * All transactions that touch a webhook and its messages take the webhook first, so that they cannot deadlock.
 */

export function createWebhookOutbox(
  queries: Queries,
  secrets: WebhookSecrets,
): Outbox<DueWebhook, OutgoingMessage, CallOutcome> {
  const { query, write } = queries
  return {
    async due(now, running) {
      const wanted = wantedBeside(running)
      return wanted === null ? [] : await due(query, now, wanted)
    },
    claim: changing(queries, claim),
    async next(place, lease) {
      const open = await secrets.opener(place.tenantId)
      return write((transaction) => next({ transaction, open }, place, lease))
    },
    settle: changing(queries, settle),
    release: changing(queries, release),
  }
}

async function due(query: Query, now: string, { most, busyTenants, busyPeople, withSlow }: WantedWebhooks) {
  const rows = await query
    .selectFrom('webhooks')
    .select(['tenant_id as tenantId', 'id', 'created_by as createdBy', 'is_slow'])
    .where('is_active', '=', 1)
    .where('next_at', '<=', now)
    .where('claimed_until', '<=', now)
    .$if(busyTenants.length > 0, (webhooks) => webhooks.where('tenant_id', 'not in', busyTenants))
    .$if(busyPeople.length > 0, (webhooks) => webhooks.where('created_by', 'not in', busyPeople))
    .$if(!withSlow, (webhooks) => webhooks.where('is_slow', '=', 0))
    .where((webhooks) =>
      webhooks.exists(
        webhooks
          .selectFrom('webhook_messages as message')
          .select('message.id')
          .whereRef('message.tenant_id', '=', 'webhooks.tenant_id')
          .whereRef('message.webhook_id', '=', 'webhooks.id')
          .where('message.state', 'in', ['waiting', 'sending'])
          .where('message.not_before', '<=', now),
      ),
    )
    .orderBy('next_at')
    .limit(most)
    .execute()
  return rows.map(({ is_slow, ...row }) => ({ ...row, isSlow: is_slow === 1 }))
}

function claim(transaction: Query, { tenantId, id }: WebhookPlace, lease: Lease): Promise<boolean> {
  const free = updateOf(transaction, 'webhooks', { tenantId, id, is_active: 1 })
    .where('next_at', '<=', lease.now)
    .where('claimed_until', '<=', lease.now)
  return hasChanged(free.set({ claimed_by: lease.claim, claimed_until: lease.until }))
}

type SecretOpener = Awaited<ReturnType<WebhookSecrets['opener']>>

function secretsOf(row: WebhookRow, now: string, open: SecretOpener): string[] {
  const { id: webhookId, secret_version: version, old_secret: old, old_secret_until: oldUntil } = row
  const isOldUsed = old !== null && oldUntil !== null && oldUntil > now
  const ofOld = isOldUsed ? [open(old, { webhookId, version: version - 1 })] : []
  return [open(row.secret, { webhookId, version }), ...ofOld]
}

/** Renew a claim, which locks the webhook until the transaction ends.
 * @returns the webhook; undefined when the claim is over */
function lockClaimed(
  transaction: Query,
  { tenantId, id }: WebhookPlace,
  { claim: claimedBy, until }: { claim: string; until?: string },
) {
  return updateOf(transaction, 'webhooks', { tenantId, id, claimed_by: claimedBy })
    .set((column) => ({ claimed_until: until ?? column.ref('claimed_until') }))
    .returningAll()
    .executeTakeFirst()
}

// A message that is being sent although this node has the claim was left by a node that ended.
async function next(
  { transaction, open }: { transaction: Query; open: SecretOpener },
  place: WebhookPlace,
  lease: Lease,
): Promise<OutgoingMessage | null> {
  const webhook = await lockClaimed(transaction, place, lease)
  if (webhook?.is_active !== 1) return null
  const { tenantId, id: webhook_id } = place
  const row = await updateOf(transaction, 'webhook_messages', { tenantId, webhook_id })
    .set((column) => ({ state: 'sending', merge_key: null, attempts: column('attempts', '+', 1) }))
    .where('state', 'in', ['waiting', 'sending'])
    .where('not_before', '<=', lease.now)
    .where('id', '=', (messages) =>
      messages
        .selectFrom('webhook_messages as first')
        .select('first.id')
        .where('first.tenant_id', '=', tenantId)
        .where('first.webhook_id', '=', webhook_id)
        .where('first.state', 'in', ['waiting', 'sending'])
        .where('first.not_before', '<=', lease.now)
        .orderBy((order) => order.case().when('first.type', '=', 'webhook.test').then(0).else(1).end())
        .orderBy('first.created_at')
        .orderBy('first.id')
        .limit(1),
    )
    .returning(['id', 'body', 'give_up_at as giveUpAt'])
    .executeTakeFirst()
  if (!row) return null
  const { url, failures, failing_since: failingSince } = webhook
  return { ...row, url, failures, failingSince, secrets: secretsOf(webhook, lease.now, open) }
}

async function settle(
  transaction: Recorded,
  place: WebhookPlace,
  { claim: claimedBy, message, outcome, now: at }: SentCall<OutgoingMessage, CallOutcome>,
): Promise<boolean> {
  const webhook = await lockClaimed(transaction, place, { claim: claimedBy })
  if (!webhook) return false
  const settlement = settlementOf({ message, outcome, now: at, random: Math.random() })
  const now = at.toISOString()
  const { tenantId, id: webhook_id } = place
  const { state } = settlement
  const isOver = state !== 'waiting'
  await updateOf(transaction, 'webhook_messages', { tenantId, id: message.id, webhook_id })
    .set({ state, last_status: outcome.status, last_error: outcome.word, last_ms: outcome.ms })
    .set({ done_at: isOver ? now : null })
    .execute()
  const end = state === 'done' ? null : settlement.end
  await updateOf(transaction, 'webhooks', { tenantId, id: webhook_id })
    .set(
      state === 'done'
        ? { failing_since: null, failures: 0, next_at: '', last_delivered_at: now }
        : {
            failing_since: webhook.failing_since ?? now,
            failures: webhook.failures + 1,
            next_at: settlement.retryAt,
          },
    )
    .set({ is_slow: flag(wasSlow(outcome)) })
    .$if(end !== null, (webhooks) => webhooks.set({ is_active: 0, ended_reason: end }))
    .execute()
  if (end === null) return state === 'done'
  const event = { action: 'webhook.disabled', target: webhookTarget(webhook), data: { reason: end } } as const
  transaction.record({ ...madeByServer(now), tenantId, ...event })
  return false
}

async function release(transaction: Query, place: WebhookPlace, claimedBy: string): Promise<void> {
  if (!(await lockClaimed(transaction, place, { claim: claimedBy }))) return
  const { tenantId, id: webhook_id } = place
  await updateOf(transaction, 'webhook_messages', { tenantId, webhook_id, state: 'sending' })
    .set({ state: 'waiting', last_error: 'interrupted' })
    .execute()
  await updateOf(transaction, 'webhooks', { tenantId, id: webhook_id })
    .set({ claimed_by: null, claimed_until: '' })
    .execute()
}
