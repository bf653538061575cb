import { WEBHOOK_LIMITS, WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { makeWebhookSecret } from '@keyferry/crypto/webhook-signature'
import { timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError, readBack } from '../../domain/base/errors.ts'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import { type ExpectedChange, requireExpected } from '../../domain/base/expected.ts'
import { type Stamp, stampOf } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import type { Caller } from '../../domain/people/membership.ts'
import type { Query } from '../../storage/base/queries.ts'
import { flag } from '../../storage/base/tables.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'
import { lockTenant } from '../../storage/people/tenants.ts'
import type { WebhookRow } from './rows.ts'
import {
  bundleIdsIn,
  eventsIn,
  findWebhook,
  type Webhook,
  type WebhookParts,
  webhookNotFound,
} from './webhook-reading.ts'

/*
 * A webhook is an address outside that the server calls when something changes in a workspace. Owners manage them. The
 * chain writer makes the messages (webhook-message.ts), and the sender sends them (webhook-outbox.ts). A message tells
 * what changed and never a value, so a receiver that wants values fetches them as a program.
 */

type WebhookDraft = Pick<Webhook, 'url' | 'description' | 'events' | 'bundle_ids' | 'is_active'>
type WebhookChange = ExpectedChange<WebhookDraft>

/** @throws DomainError target_refused · not_found: a bundle · conflict: the workspace has as many as it can have */
export async function createWebhook(
  parts: WebhookParts,
  caller: Caller,
  draft: WebhookDraft,
): Promise<Webhook & { secret: string }> {
  const { queries, secrets, clock, targets } = parts
  targets.allowed(draft.url)
  const [id, secret, stamp] = [clock.newId(), makeWebhookSecret(), stampOf(caller, clock)]
  const { tenantId } = stamp
  await queries.write(async (transaction) => {
    await lockTenant(transaction, tenantId)
    const encrypt = await secrets.cipher(transaction, tenantId)
    if ((await countOf(selectOf(transaction, 'webhooks', tenantId))) >= WEBHOOK_LIMITS.webhooks)
      throw tooManyWebhooks()
    await requireBundles(transaction, tenantId, draft.bundle_ids)
    await transaction
      .insertInto('webhooks')
      .values({
        ...draft,
        ...NO_TROUBLE,
        ...chosenColumns(draft),
        id,
        tenant_id: tenantId,
        created_by: stamp.by,
        created_at: stamp.at,
        claimed_until: '',
        secret: encrypt(secret, { webhookId: id, version: 1 }),
        secret_version: 1,
      })
      .execute()
    const data = { names: draft.events, is_active: draft.is_active }
    transaction.record(webhookEvent({ ...draft, id }, stamp, { action: 'webhook.created', data }))
  })
  return { ...(await readBack(findWebhook(parts, caller, id))), secret }
}

/** @throws DomainError not_found */
export async function deleteWebhook(
  { queries, clock }: Pick<WebhookParts, 'queries' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const stamp = stampOf(caller, clock)
  await queries.write(async (transaction) => {
    const row = await deleteOf(transaction, 'webhooks', { tenantId: stamp.tenantId, id })
      .returning(['id', 'url'])
      .executeTakeFirst()
    if (!row) throw webhookNotFound()
    transaction.record(webhookEvent(row, stamp, { action: 'webhook.deleted' }))
  })
}

const NO_TROUBLE = { failing_since: null, failures: 0, is_slow: 0, next_at: '', ended_reason: null } as const

function chosenColumns({ events, bundle_ids, is_active }: WebhookDraft) {
  return { events: listed(events), bundle_ids: listed(bundle_ids), is_active: flag(is_active) }
}

const listed = (names: readonly string[]) => JSON.stringify([...new Set(names)])

async function requireBundles(transaction: Query, tenantId: string, ids: readonly string[]): Promise<void> {
  const wanted = new Set(ids)
  if (wanted.size === 0) return
  const total = await countOf(selectOf(transaction, 'bundles', tenantId).where('id', 'in', [...wanted]))
  if (total !== wanted.size) throw bundleNotFound()
}

const FIELDS = ['url', 'description', 'events', 'bundle_ids', 'is_active'] as const

/** Change a webhook; absent fields stay. A new URL, or turning it on, clears the failures. A change that changes
 * nothing leaves no trace.
 * @throws DomainError target_refused · not_found (webhook or bundle) · changed */
export async function updateWebhook(
  parts: WebhookParts,
  caller: Caller,
  { webhookId: id, change }: { webhookId: string; change: WebhookChange },
): Promise<Webhook> {
  const { queries, clock, targets } = parts
  if (change.url !== undefined) targets.allowed(change.url)
  const stamp = stampOf(caller, clock)
  const { tenantId } = stamp
  await queries.write(async (transaction) => {
    const before = await lockWebhook(transaction, tenantId, id)
    if (!before) throw webhookNotFound()
    requireExpected(change, chosenIn(before))
    if (change.bundle_ids) await requireBundles(transaction, tenantId, change.bundle_ids)
    const wanted = wantedColumns(before, change)
    const changed = FIELDS.filter((field) => wanted[field] !== before[field])
    const isFresh = changed.includes('url') || change.is_active === true
    if (changed.length === 0 && !isFresh) return
    await updateOf(transaction, 'webhooks', { tenantId, id })
      .set({ ...wanted, ...(isFresh ? NO_TROUBLE : {}) })
      .execute()
    if (changed.length === 0) return
    const data = { changed, is_active: wanted.is_active === 1 }
    transaction.record(webhookEvent({ id, url: wanted.url }, stamp, { action: 'webhook.changed', data }))
  })
  return readBack(findWebhook(parts, caller, id))
}

function chosenIn({ url, description, events, bundle_ids, is_active }: WebhookRow): WebhookDraft {
  const lists = { events: eventsIn(events), bundle_ids: bundleIdsIn(bundle_ids) }
  return { url, description, ...lists, is_active: is_active === 1 }
}

function wantedColumns(before: WebhookRow, change: WebhookChange): Pick<WebhookRow, (typeof FIELDS)[number]> {
  const { events = null, bundle_ids = null, is_active } = change
  return {
    url: change.url ?? before.url,
    description: change.description ?? before.description,
    events: events === null ? before.events : listed(events),
    bundle_ids: bundle_ids === null ? before.bundle_ids : listed(bundle_ids),
    is_active: is_active === undefined ? before.is_active : flag(is_active),
  }
}

/** Lock a webhook until the transaction ends. */
export function lockWebhook(transaction: Query, tenantId: string, webhookId: string) {
  return updateOf(transaction, 'webhooks', { tenantId, id: webhookId })
    .set((column) => ({ created_at: column.ref('created_at') }))
    .returningAll()
    .executeTakeFirst()
}

/** Give a webhook a new secret. Both sign for a day, so that the receiver can change at any time within it.
 * @throws DomainError not_found */
export async function rotateWebhookSecret(
  { queries, secrets, clock }: WebhookParts,
  caller: Caller,
  id: string,
): Promise<{ secret: string; old_secret_until: string }> {
  const [secret, stamp] = [makeWebhookSecret(), stampOf(caller, clock)]
  const { tenantId } = stamp
  const old_secret_until = timestamp(clock, WEBHOOK_TIMES.overlapSeconds)
  await queries.write(async (transaction) => {
    const encrypt = await secrets.cipher(transaction, tenantId)
    const row = await lockWebhook(transaction, tenantId, id)
    if (!row) throw webhookNotFound()
    const version = row.secret_version + 1
    const current = { secret: encrypt(secret, { webhookId: id, version }), secret_version: version }
    await updateOf(transaction, 'webhooks', { tenantId, id })
      .set({ ...current, old_secret: row.secret, old_secret_until })
      .execute()
    transaction.record(webhookEvent(row, stamp, { action: 'webhook.secret_rotated' }))
  })
  return { secret, old_secret_until }
}

type WebhookRef = { id: string; url: string }

/** The name of a webhook in events: the host alone, because a path may contain a secret of the receiver. */
export function webhookTarget({ id, url }: WebhookRef) {
  return { kind: 'webhook', id, name: new URL(url).host } as const
}

function webhookEvent(
  webhook: WebhookRef,
  stamp: Stamp,
  event: { action: `webhook.${'created' | 'changed' | 'deleted' | 'secret_rotated'}`; data?: EventData },
): Event {
  return { ...madeBy(stamp), target: webhookTarget(webhook), data: {}, ...event }
}

function tooManyWebhooks(): DomainError {
  const message = `a workspace can have ${WEBHOOK_LIMITS.webhooks} webhooks: delete one that is not used`
  return new DomainError('conflict', message, { details: { limit: WEBHOOK_LIMITS.webhooks } })
}
