import { randomId } from '@keyferry/crypto/token'
import { entryOf } from '../../domain/audit/audit.ts'
import type { AppendedBatch } from '../../storage/audit/appending.ts'
import { chunks, inChunks } from '../../storage/base/chunks.ts'
import type { Database, Query } from '../../storage/base/queries.ts'
import { selectOf } from '../../storage/base/tenant-rows.ts'
import { personIn } from '../domain/hand-over.ts'
import { messageBody } from '../domain/webhook-body.ts'
import {
  checkpoint,
  keysIn,
  type LoggedEntry,
  type MessageDraft,
  makesMessage,
  messagesOf,
} from '../domain/webhook-message.ts'
import { giveUpAt, messagesFor, type Subscription } from '../domain/webhook-subscription.ts'
import { bundleIdsIn, eventsIn } from './webhook-reading.ts'

/*
 * The messages of appended entries, written in the transaction that appends them: no entry is in the log without its
 * messages, and none makes them twice.
 */

type FanOutDatabase = Pick<Database, 'insertAll' | 'lockShared'>

/** `publicUrl`: of the web pages, where messages link to. */
type FanOutParts = FanOutDatabase & { publicUrl: string | null }

/** Make the messages of appended entries, for each active webhook that wants them. */
export async function fanOut(
  parts: FanOutParts,
  transaction: Query,
  batches: readonly AppendedBatch[],
): Promise<void> {
  const tenantIds = batches.map(({ tenantId }) => tenantId)
  const webhooks = await activeWebhooks(parts, transaction, tenantIds)
  for (const batch of batches) {
    const receivers = webhooks.get(batch.tenantId)
    if (!receivers) continue
    const entries = batch.rows.map(entryIn).filter(makesMessage)
    if (entries.length > 0 || batch.note !== null)
      await writeMessages(parts, transaction, { ...batch, entries, receivers })
  }
}

type ActiveWebhook = Subscription & { id: string }
type MessageBatch = AppendedBatch & { entries: readonly LoggedEntry[]; receivers: readonly ActiveWebhook[] }

async function writeMessages(parts: FanOutParts, transaction: Query, batch: MessageBatch): Promise<void> {
  const { tenantId, entries, receivers } = batch
  const known = {
    places: await placesOf(transaction, tenantId, entries),
    people: await peopleOf(transaction, entries),
    waitingUrl: `${parts.publicUrl ?? ''}/w/${tenantId}/waiting`,
  }
  const drafts = [...messagesOf(entries, known), ...checkpoints(batch)]
  const wanted = receivers.flatMap(({ id: webhookId, ...subscription }) =>
    messagesFor(subscription, drafts).map((draft) => ({ webhookId, draft })),
  )
  for (const some of chunks(wanted)) {
    const rows = some.map((each) => newRow(tenantId, each, batch.now))
    await parts.insertAll(transaction, 'webhook_messages', rows)
  }
}

function entryIn({ seq, body }: AppendedBatch['rows'][number]): LoggedEntry {
  return { ...entryOf(body, null), seq }
}

function checkpoints({ note, rows, now }: AppendedBatch): MessageDraft[] {
  const last = rows.at(-1)
  return note === null || !last ? [] : [checkpoint({ seq: last.seq, hash: last.hash, note, at: now })]
}

// Locked, so that none is deleted before its messages are committed.
async function activeWebhooks(
  { lockShared }: FanOutDatabase,
  transaction: Query,
  tenantIds: readonly string[],
) {
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['tenant_id', 'id', 'created_at', 'events', 'bundle_ids'])
    .where('tenant_id', 'in', tenantIds)
    .where('is_active', '=', 1)
    .orderBy('id')
    .modifyEnd(lockShared)
    .execute()
  const receiverOf = ({
    id,
    created_at: madeAt,
    events,
    bundle_ids,
  }: (typeof rows)[number]): ActiveWebhook => ({
    id,
    madeAt,
    events: new Set(eventsIn(events)),
    bundleIds: new Set(bundleIdsIn(bundle_ids)),
  })
  const byTenant = Map.groupBy(rows, ({ tenant_id }) => tenant_id)
  return new Map([...byTenant].map(([tenantId, some]) => [tenantId, some.map(receiverOf)]))
}

async function placesOf(transaction: Query, tenantId: string, entries: readonly LoggedEntry[]) {
  const ids = [...new Set(entries.flatMap(keysIn))]
  const rows = await inChunks(ids, (some) =>
    selectOf(transaction, 'attachments', tenantId)
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['attachments.key_id', 'attachments.delivered_name', 'bundles.id', 'bundles.name'])
      .where('attachments.key_id', 'in', some)
      .execute(),
  )
  const places = rows.map(({ key_id: keyId, delivered_name, id, name }) => ({
    keyId,
    bundle: { id, name },
    name: delivered_name,
  }))
  return Map.groupBy(places, ({ keyId }) => keyId)
}

async function peopleOf(transaction: Query, entries: readonly LoggedEntry[]) {
  const people = await inChunks([...new Set(entries.flatMap(personIn))], (some) =>
    transaction.selectFrom('users').select(['id', 'username']).where('id', 'in', some).execute(),
  )
  return new Map(people.map(({ id, username }) => [id, username]))
}

type WebhookDelivery = { webhookId: string; draft: MessageDraft }

function newRow(tenantId: string, { webhookId, draft }: WebhookDelivery, now: string) {
  return {
    tenant_id: tenantId,
    webhook_id: webhookId,
    id: randomId(),
    type: draft.type,
    body: messageBody(draft),
    merge_key: null,
    state: 'waiting',
    not_before: now,
    give_up_at: giveUpAt(now),
    attempts: 0,
    created_at: now,
  } as const
}
