import { randomId } from '@keyferry/crypto/token'
import { entryOf } from '../../domain/audit/audit.ts'
import { personIn } from '../../domain/webhooks/hand-over.ts'
import { extendedBody, messageBody, sentAfterQuiet } from '../../domain/webhooks/webhook-body.ts'
import {
  checkpoint,
  isTold,
  type KeyPlace,
  keysIn,
  type MessageDraft,
  messagesOf,
  type SealedEntry,
} from '../../domain/webhooks/webhook-message.ts'
import { messagesFor, type Subscription, timesOf } from '../../domain/webhooks/webhook-subscription.ts'
import { chunks } from '../base/chunks.ts'
import type { Database, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'
import { bundleIdsIn, eventsIn } from './webhook-reading.ts'

/*
 * The messages of sealed entries, written in the seal's transaction: no entry is in the log without its messages, and
 * none makes them twice. A message that waits takes up further changes of the same thing. One that a node is sending
 * is left alone, because the receiver may have read it already.
 */

/** What one seal added to a log. `note` is set at the first seal of a day. */
export type SealedBatch = {
  tenantId: string
  rows: readonly Pick<Tables['audit_log'], 'seq' | 'hash' | 'body'>[]
  note: string | null
  now: string
}

type Parts = Pick<Database, 'insertAll' | 'updateAll' | 'holdShared'>

export type FanOutParts = Parts & { publicUrl: string | null }

/** Make the messages of sealed entries, for each active webhook that wants them. */
export async function fanOut(parts: FanOutParts, transaction: Query, batch: SealedBatch): Promise<void> {
  const entries = batch.rows.map(entryIn).filter(isTold)
  if (entries.length === 0 && batch.note === null) return
  const webhooks = await activeWebhooks(parts, transaction, batch.tenantId)
  if (webhooks.length === 0) return
  const known = {
    places: await placesOf(transaction, batch.tenantId, entries),
    people: await peopleOf(transaction, entries),
    waitingUrl: `${parts.publicUrl ?? ''}/w/${batch.tenantId}/waiting`,
  }
  const drafts = [...messagesOf(entries, known), ...checkpoints(batch)]
  const wanted = webhooks.flatMap(({ id: webhookId, ...subscription }) =>
    messagesFor(subscription, drafts).map((draft) => ({ webhookId, draft })),
  )
  await store(parts, transaction, { ...batch, wanted })
}

function entryIn({ seq, body }: SealedBatch['rows'][number]): SealedEntry {
  return { ...entryOf(body, null), seq }
}

function checkpoints({ note, rows, now }: SealedBatch): MessageDraft[] {
  const last = rows.at(-1)
  return note === null || !last ? [] : [checkpoint({ seq: last.seq, hash: last.hash, note, at: now })]
}

// Held, so that none is deleted before its messages are committed.
async function activeWebhooks(
  { holdShared }: Parts,
  transaction: Query,
  tenantId: string,
): Promise<(Subscription & { id: string })[]> {
  const rows = await selectOf(transaction, 'webhooks', { tenantId, is_active: 1 })
    .select(['id', 'created_at', 'events', 'bundle_ids'])
    .orderBy('id')
    .modifyEnd(holdShared)
    .execute()
  return rows.map(({ id, created_at: madeAt, events, bundle_ids }) => ({
    id,
    madeAt,
    events: new Set(eventsIn(events)),
    bundleIds: new Set(bundleIdsIn(bundle_ids)),
  }))
}

async function placesOf(
  transaction: Query,
  tenantId: string,
  entries: readonly SealedEntry[],
): Promise<ReadonlyMap<string, readonly KeyPlace[]>> {
  const ids = [...new Set(entries.flatMap(keysIn))]
  const places: KeyPlace[] = []
  for (const some of chunks(ids)) {
    const rows = await selectOf(transaction, 'attachments', tenantId)
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['attachments.key_id', 'attachments.delivered_name', 'bundles.id', 'bundles.name'])
      .where('attachments.key_id', 'in', some)
      .execute()
    for (const { key_id: keyId, delivered_name, id, name } of rows)
      places.push({ keyId, bundle: { id, name }, name: delivered_name })
  }
  return Map.groupBy(places, ({ keyId }) => keyId)
}

async function peopleOf(
  transaction: Query,
  entries: readonly SealedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const people = new Map<string, string>()
  for (const some of chunks([...new Set(entries.flatMap(personIn))])) {
    const rows = await transaction
      .selectFrom('users')
      .select(['id', 'username'])
      .where('id', 'in', some)
      .execute()
    for (const { id, username } of rows) people.set(id, username)
  }
  return people
}

type Wanted = { webhookId: string; draft: MessageDraft }
type Storing = { tenantId: string; now: string; wanted: readonly Wanted[] }

async function store(
  { insertAll, updateAll }: Parts,
  transaction: Query,
  { tenantId, now, wanted }: Storing,
): Promise<void> {
  for (const some of chunks(wanted)) {
    const waiting = await holdWaiting(transaction, tenantId, some)
    const added = some.filter((each) => !waiting.has(placeOf(each)))
    const extended = some.flatMap((each) => {
      const row = waiting.get(placeOf(each))
      return row ? [extension(row, each.draft, now)] : []
    })
    await insertAll(
      transaction,
      'webhook_messages',
      added.map((each) => newRow(tenantId, each, now)),
    )
    const by = ['tenant_id', 'webhook_id', 'id'] as const
    await updateAll(transaction, 'webhook_messages', { by, rows: extended })
  }
}

type WaitingRow = Pick<
  Tables['webhook_messages'],
  'tenant_id' | 'webhook_id' | 'id' | 'body' | 'merge_key' | 'created_at'
>

// Held, so that no node sends one of them before it has taken up the change.
async function holdWaiting(
  transaction: Query,
  tenantId: string,
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, WaitingRow>> {
  const mergeKeys = [...new Set(wanted.flatMap(({ draft }) => draft.mergeKey ?? []))]
  if (mergeKeys.length === 0) return new Map()
  const rows = await updateOf(transaction, 'webhook_messages', { tenantId, state: 'waiting' })
    .set((column) => ({ attempts: column.ref('attempts') }))
    .where('webhook_id', 'in', [...new Set(wanted.map(({ webhookId }) => webhookId))])
    .where('merge_key', 'in', mergeKeys)
    .returning(['tenant_id', 'webhook_id', 'id', 'body', 'merge_key', 'created_at'])
    .execute()
  return new Map(rows.map((row) => [`${row.webhook_id} ${row.merge_key}`, row]))
}

function placeOf({ webhookId, draft }: Wanted): string {
  return `${webhookId} ${draft.mergeKey}`
}

function extension(
  { tenant_id, webhook_id, id, body, created_at }: WaitingRow,
  draft: MessageDraft,
  now: string,
) {
  return {
    tenant_id,
    webhook_id,
    id,
    body: extendedBody(body, draft),
    not_before: sentAfterQuiet(created_at, now),
  }
}

function newRow(tenantId: string, { webhookId, draft }: Wanted, now: string) {
  const { notBefore, giveUpAt } = timesOf(draft, now)
  return {
    tenant_id: tenantId,
    webhook_id: webhookId,
    id: randomId(),
    type: draft.type,
    body: messageBody(draft),
    merge_key: draft.mergeKey,
    state: 'waiting',
    not_before: notBefore,
    give_up_at: giveUpAt,
    attempts: 0,
    created_at: now,
  } as const
}
