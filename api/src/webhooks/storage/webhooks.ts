import { WEBHOOK_LIMITS } from '@keyferry/contract/webhooks'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { changing } from '../../storage/base/statements.ts'
import { flag } from '../../storage/base/tables.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'
import { holdTenant } from '../../storage/people/tenants.ts'
import {
  type NewWebhook,
  type SecretRotation,
  tooManyWebhooks,
  type WebhookChange,
  type WebhookDraft,
  type WebhookStore,
  webhookNotFound,
} from '../domain/webhook.ts'
import type { WebhookRow } from './rows.ts'
import { bundleIdsIn, eventsIn, webhookReader } from './webhook-reading.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

export function createWebhookStore(queries: Queries, secrets: WebhookSecrets): WebhookStore {
  return {
    ...webhookReader(queries.query),
    insert: changing(queries, async (transaction, { secret, ...webhook }: NewWebhook, stamp: Stamp) => {
      await holdTenant(transaction, stamp.tenantId)
      const seal = await secrets.sealer(transaction, stamp.tenantId)
      const sealed = seal(secret, { webhookId: webhook.id, version: 1 })
      await insert(transaction, { ...webhook, sealed }, stamp)
    }),
    update: changing(queries, update),
    delete: changing(queries, remove),
    rotate: changing(queries, async (transaction, rotation: SecretRotation, stamp: Stamp) =>
      rotate(transaction, { ...rotation, seal: await secrets.sealer(transaction, stamp.tenantId) }, stamp),
    ),
  }
}

async function insert(
  transaction: Recorded,
  { sealed, ...webhook }: Omit<NewWebhook, 'secret'> & { sealed: Uint8Array },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  if ((await countOf(selectOf(transaction, 'webhooks', tenantId))) >= WEBHOOK_LIMITS.webhooks)
    throw tooManyWebhooks()
  await requireBundles(transaction, tenantId, webhook.bundle_ids)
  const made = { tenant_id: tenantId, created_by: stamp.by, created_at: stamp.at, claimed_until: '' }
  await transaction
    .insertInto('webhooks')
    .values({
      ...webhook,
      ...NO_TROUBLE,
      ...made,
      ...chosenColumns(webhook),
      secret: sealed,
      secret_version: 1,
    })
    .execute()
  const data = { names: webhook.events, is_active: webhook.is_active }
  transaction.record(webhookEvent(webhook, stamp, { action: 'webhook.created', data }))
}

async function remove(transaction: Recorded, id: string, stamp: Stamp): Promise<void> {
  const row = await deleteOf(transaction, 'webhooks', { tenantId: stamp.tenantId, id })
    .returning(['id', 'url'])
    .executeTakeFirst()
  if (!row) throw webhookNotFound()
  transaction.record(webhookEvent(row, stamp, { action: 'webhook.deleted' }))
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

async function update(
  transaction: Recorded,
  { webhookId: id, ...change }: WebhookChange & { webhookId: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const before = await holdWebhook(transaction, tenantId, id)
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
}

const FIELDS = ['url', 'description', 'events', 'bundle_ids', 'is_active'] as const

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

/** Hold a webhook until the transaction ends. */
export function holdWebhook(transaction: Query, tenantId: string, webhookId: string) {
  return updateOf(transaction, 'webhooks', { tenantId, id: webhookId })
    .set((column) => ({ created_at: column.ref('created_at') }))
    .returningAll()
    .executeTakeFirst()
}

type SealSecret = Awaited<ReturnType<WebhookSecrets['sealer']>>

async function rotate(
  transaction: Recorded,
  { webhookId: id, secret, oldUntil, seal }: SecretRotation & { seal: SealSecret },
  stamp: Stamp,
): Promise<void> {
  const row = await holdWebhook(transaction, stamp.tenantId, id)
  if (!row) throw webhookNotFound()
  const version = row.secret_version + 1
  const current = { secret: seal(secret, { webhookId: id, version }), secret_version: version }
  await updateOf(transaction, 'webhooks', { tenantId: stamp.tenantId, id })
    .set({ ...current, old_secret: row.secret, old_secret_until: oldUntil })
    .execute()
  transaction.record(webhookEvent(row, stamp, { action: 'webhook.secret_rotated' }))
}

type WebhookRef = { id: string; url: string }

/** The name of a webhook in events: the host alone, because a path may hold a secret of the receiver. */
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
