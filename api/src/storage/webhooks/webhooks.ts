import { LIMITS } from '@keyferry/contract'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import type { WebhookChange, WebhookDraft, WebhookStore } from '../../domain/webhooks/webhook.ts'
import { tooManyWebhooks, webhookNotFound } from '../../domain/webhooks/webhook.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag, type WebhookRow } from '../base/tables.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import type { WebhookSecrets } from '../keys-at-rest/webhook-secrets.ts'
import { holdTenant } from '../people/tenants.ts'
import { webhookReader } from './webhook-reading.ts'

export function createWebhookStore({ query, write }: Queries, secrets: WebhookSecrets): WebhookStore {
  return {
    ...webhookReader(query),
    insert: (tenantId, { secret, ...webhook }, stamp) =>
      write(async (transaction) => {
        await holdTenant(transaction, tenantId)
        const seal = await secrets.sealer(transaction, tenantId)
        const sealed = seal(secret, { webhookId: webhook.id, version: 1 })
        return insert(transaction, { tenantId, webhook, secret: sealed, stamp })
      }),
    update: (tenantId, webhookId, change) =>
      write((transaction) => update(transaction, { tenantId, webhookId, ...change })),
    delete: (tenantId, webhookId, stamp) =>
      write(async (transaction) => {
        const row = await deleteOf(transaction, 'webhooks', { tenantId, id: webhookId })
          .returning(['id', 'url'])
          .executeTakeFirst()
        if (!row) throw webhookNotFound()
        transaction.record(webhookEvent({ tenantId, ...row }, 'webhook.deleted', { stamp }))
      }),
    rotate: (tenantId, webhookId, { secret, oldUntil, stamp }) =>
      write(async (transaction) => {
        const seal = await secrets.sealer(transaction, tenantId)
        const sealed = (version: number) => seal(secret, { webhookId, version })
        return rotate(transaction, { tenantId, webhookId, sealed, oldUntil, stamp })
      }),
  }
}

type Insertion = {
  tenantId: string
  webhook: WebhookDraft & { id: string }
  secret: Uint8Array
  stamp: Stamp
}

async function insert(transaction: Recorded, { tenantId, webhook, secret, stamp }: Insertion): Promise<void> {
  const total = await countOf(selectOf(transaction, 'webhooks', tenantId))
  if (total >= LIMITS.webhooks) throw tooManyWebhooks()
  await requireBundles(transaction, tenantId, webhook.bundle_ids)
  const { id, url, description } = webhook
  const made = { created_by: stamp.by, created_at: stamp.at }
  await transaction
    .insertInto('webhooks')
    .values({
      ...NO_TROUBLE,
      ...made,
      ...chosenColumns(webhook),
      tenant_id: tenantId,
      id,
      url,
      description,
      secret,
      secret_version: 1,
      claimed_until: '',
    })
    .execute()
  const data = toldOf(webhook)
  transaction.record(webhookEvent({ tenantId, id, url }, 'webhook.created', { stamp, data }))
}

const NO_TROUBLE = { failing_since: null, failures: 0, is_slow: 0, next_at: '', ended_reason: null } as const

type Chosen = Pick<WebhookDraft, 'events' | 'bundle_ids' | 'is_active'>

function chosenColumns({ events, bundle_ids, is_active }: Chosen) {
  return {
    events: JSON.stringify([...new Set(events)]),
    bundle_ids: JSON.stringify([...new Set(bundle_ids)]),
    is_active: flag(is_active),
  }
}

function toldOf({ events, is_active }: Chosen): EventData {
  return { names: events, is_active }
}

async function requireBundles(transaction: Query, tenantId: string, ids: readonly string[]): Promise<void> {
  const wanted = new Set(ids)
  if (wanted.size === 0) return
  const total = await countOf(selectOf(transaction, 'bundles', tenantId).where('id', 'in', [...wanted]))
  if (total !== wanted.size) throw bundleNotFound()
}

type Update = { tenantId: string; webhookId: string; stamp: Stamp } & WebhookChange

async function update(transaction: Recorded, { tenantId, webhookId, stamp, ...change }: Update) {
  const before = await holdWebhook(transaction, tenantId, webhookId)
  if (!before) throw webhookNotFound()
  if (change.bundle_ids) await requireBundles(transaction, tenantId, change.bundle_ids)
  const wanted = wantedColumns(before, change)
  const changed = FIELDS.filter((field) => wanted[field] !== before[field])
  const isFresh = changed.includes('url') || change.is_active === true
  if (changed.length === 0 && !isFresh) return
  await updateOf(transaction, 'webhooks', { tenantId, id: webhookId })
    .set({ ...wanted, ...(isFresh ? NO_TROUBLE : {}) })
    .execute()
  if (changed.length === 0) return
  const data = { changed, is_active: wanted.is_active === 1 }
  const webhook = { tenantId, id: webhookId, url: wanted.url }
  transaction.record(webhookEvent(webhook, 'webhook.changed', { stamp, data }))
}

const FIELDS = ['url', 'description', 'events', 'bundle_ids', 'is_active'] as const

function wantedColumns(before: WebhookRow, change: WebhookChange): Pick<WebhookRow, (typeof FIELDS)[number]> {
  const { events = null, bundle_ids = null, is_active } = change
  return {
    url: change.url ?? before.url,
    description: change.description ?? before.description,
    events: events === null ? before.events : JSON.stringify([...new Set(events)]),
    bundle_ids: bundle_ids === null ? before.bundle_ids : JSON.stringify([...new Set(bundle_ids)]),
    is_active: is_active === undefined ? before.is_active : flag(is_active),
  }
}

/** Hold a webhook until the transaction ends. */
export function holdWebhook(
  transaction: Query,
  tenantId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  return updateOf(transaction, 'webhooks', { tenantId, id: webhookId })
    .set((column) => ({ created_at: column.ref('created_at') }))
    .returningAll()
    .executeTakeFirst()
}

type Rotating = {
  tenantId: string
  webhookId: string
  sealed: (version: number) => Uint8Array
  oldUntil: string
  stamp: Stamp
}

async function rotate(transaction: Recorded, { tenantId, webhookId, sealed, oldUntil, stamp }: Rotating) {
  const row = await holdWebhook(transaction, tenantId, webhookId)
  if (!row) throw webhookNotFound()
  const version = row.secret_version + 1
  await updateOf(transaction, 'webhooks', { tenantId, id: webhookId })
    .set({
      secret: sealed(version),
      secret_version: version,
      old_secret: row.secret,
      old_secret_until: oldUntil,
    })
    .execute()
  const webhook = { tenantId, id: webhookId, url: row.url }
  transaction.record(webhookEvent(webhook, 'webhook.secret_rotated', { stamp }))
}

type WebhookRef = { tenantId: string; id: string; url: string }

/** The name of a webhook in events: the host alone, because a path may hold a secret of the receiver. */
export function webhookTarget({ id, url }: Omit<WebhookRef, 'tenantId'>) {
  return { kind: 'webhook', id, name: new URL(url).host } as const
}

function webhookEvent(
  { tenantId, ...webhook }: WebhookRef,
  action: `webhook.${'created' | 'changed' | 'deleted' | 'secret_rotated'}`,
  { stamp, data = {} }: { stamp: Stamp; data?: EventData },
): Event {
  return { tenantId, action, target: webhookTarget(webhook), data, ...madeBy(stamp) }
}
