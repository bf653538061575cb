import type { AuditAction } from '@keyferry/contract'
import { z } from 'zod'
import type {
  DeliveredKey,
  Delivery,
  DeliveryEnd,
  DeliveryFilter,
  DeliveryStore,
  NewDelivery,
  Via,
} from '../domain/delivery.ts'
import { type Event, type EventData, madeBy } from '../domain/event.ts'
import type { WholePage } from '../domain/listing.ts'
import { isMissingReference } from './database.ts'
import { clearVoid, noteApproved, noteCollected, type OpenDelivery } from './holdings.ts'
import type { Queries, Query, Recorded } from './queries.ts'
import type { DeliveryRow } from './tables.ts'

export function createDeliveryStore({ query, write, record }: Queries): DeliveryStore {
  return {
    begin: (tenantId, delivery) =>
      despiteDeletedKeys(() =>
        write((transaction) => begin({ transaction, record }, { tenantId, delivery })),
      ),
    void: (tenantId, ending) =>
      write((transaction) => endVoid({ transaction, record }, { ...ending, tenantId })),
    collect: (tenantId, ending) =>
      despiteDeletedKeys(() =>
        write((transaction) => collect({ transaction, record }, { ...ending, tenantId })),
      ),
    find: (tenantId, deliveryId) => find(query, tenantId, deliveryId),
    list: (tenantId, filter, page) => list(query, { tenantId, filter, page }),
  }
}

// A key that is deleted between the look-up and the insert of its holding fails the insert; the next look-up misses it.
export async function despiteDeletedKeys<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!isMissingReference(error)) throw error
    return await change()
  }
}

type Beginning = { tenantId: string; delivery: NewDelivery }

/** Record in a transaction a delivery that is about to leave. */
export async function begin(
  { transaction, record }: Recorded,
  { tenantId, delivery }: Beginning,
): Promise<void> {
  const { id, requestId, bundle, holder, label, via, keys, stamp, held } = delivery
  await transaction
    .insertInto('deliveries')
    .values({
      tenant_id: tenantId,
      id,
      kind: delivery.grantId === null ? 'approval' : 'remembered',
      state: 'approved',
      request_id: requestId,
      held_until: held?.until ?? null,
      bundle_id: bundle.id,
      bundle_name: bundle.name,
      user_id: stamp.by,
      machine_id: null,
      proof_id: null,
      holder,
      label: label && JSON.stringify(label),
      via,
      versions: JSON.stringify(keys.map(storedKey)),
      created_at: stamp.at,
      collected_at: null,
    })
    .execute()
  await noteApproved(transaction, { tenantId, userId: stamp.by, deliveryId: id, holder, keys, at: stamp.at })
  await record(transaction, approvedEvent(tenantId, delivery))
}

function approvedEvent(tenantId: string, delivery: NewDelivery): Event {
  const { held, firstApproverId, grantId } = delivery
  return {
    tenantId,
    ...madeBy(delivery.stamp),
    ...(grantId === null
      ? { action: 'delivery.approved' }
      : { action: 'delivery.remembered', actor: { kind: 'client', id: null } }),
    target: { kind: 'bundle', ...delivery.bundle },
    data: {
      ...deliveredData(delivery),
      ...(held === null ? {} : { release: held.by }),
      ...(firstApproverId === null ? {} : { first: firstApproverId }),
      ...(grantId === null ? {} : { grant: grantId }),
    },
  }
}

/** What an event tells of the values that leave. */
export function deliveredData({
  id,
  keys,
  unversioned,
}: Pick<NewDelivery, 'id' | 'keys' | 'unversioned'>): EventData {
  const versionsOf = (isPart: boolean) =>
    keys
      .filter((key) => (key.isPart ?? false) === isPart)
      .map(({ name, version }) => [name, version] as const)
  const parts = versionsOf(true)
  return {
    delivery: id,
    versions: versionsOf(false),
    ...(unversioned.length === 0 ? {} : { names: unversioned }),
    ...(parts.length === 0 ? {} : { parts }),
  }
}

type Ending = DeliveryEnd & { tenantId: string }

type VoidEnding = Ending & { action?: AuditAction; reason?: string }

/** End a delivery that never left the server. Does nothing to one that has ended. */
export async function endVoid({ transaction, record }: Recorded, ending: VoidEnding): Promise<void> {
  const open = await holdOpenDeliveries(transaction, ending)
  const ended = await end(transaction, ending, { state: 'void' })
  if (!ended) return
  await clearVoid(transaction, { ...ending, ...ended, open })
  const actor = { kind: 'user', id: ended.userId } as const
  const { action = 'delivery.void', reason } = ending
  const data = { delivery: ending.deliveryId, ...(reason === undefined ? {} : { reason }) }
  await record(transaction, { ...endEvent(ending, ended, { action, actor }), data })
}

async function collect({ transaction, record }: Recorded, ending: Ending): Promise<void> {
  const ended = await end(transaction, ending, { state: 'collected', collected_at: ending.at })
  if (!ended) return
  await noteCollected(transaction, { ...ending, ...ended })
  const actor = { kind: 'client', id: null } as const
  await record(transaction, endEvent(ending, ended, { action: 'delivery.collected', actor }))
}

type Ended = {
  holder: string
  userId: string
  approvedAt: string
  label: Delivery['label']
  bundle: Delivery['bundle']
  keys: Delivery['keys']
}

// Holds the delivery's row from then on; null where it has ended already.
async function end(
  transaction: Query,
  { tenantId, deliveryId }: Ending,
  columns: { state: 'void' | 'collected'; collected_at?: string },
): Promise<Ended | null> {
  const row = await transaction
    .updateTable('deliveries')
    .set({ ...columns, held_until: null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', deliveryId)
    .where('state', '=', 'approved')
    .returning(['label', 'holder', 'user_id', 'bundle_id', 'bundle_name', 'versions', 'created_at'])
    .executeTakeFirst()
  // A machine's delivery ends when it is written, so it is not found here.
  if (!row || row.user_id === null) return null
  const bundle = { id: row.bundle_id, name: row.bundle_name }
  const { holder, user_id: userId, created_at: approvedAt } = row
  return { holder, userId, approvedAt, label: labelIn(row.label), bundle, keys: keysIn(row.versions) }
}

function endEvent(
  { tenantId, deliveryId, at, origin }: Ending,
  { bundle, label }: Ended,
  who: Pick<Event, 'action' | 'actor'>,
): Event {
  return {
    tenantId,
    ...who,
    at,
    origin: origin === null && label === null ? null : { ...origin, ...label },
    target: { kind: 'bundle', ...bundle },
    data: { delivery: deliveryId },
  }
}

/** Open deliveries of a holder that are looked at; older ones are not worth a look. */
const OPEN = 20

// The newest of the holder's deliveries that are not confirmed, this one left out, newest first. All are held until the
// transaction ends, in the order of their ids, so that two ends of deliveries neither overlook each other nor deadlock.
async function holdOpenDeliveries(
  transaction: Query,
  { tenantId, deliveryId }: Ending,
): Promise<OpenDelivery[]> {
  const rows = await transaction
    .selectFrom('deliveries')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('holder', '=', (own) =>
      own
        .selectFrom('deliveries as own')
        .select('own.holder')
        .where('own.tenant_id', '=', tenantId)
        .where('own.id', '=', deliveryId),
    )
    .where('state', '=', 'approved')
    .orderBy('created_at', 'desc')
    .limit(OPEN)
    .execute()
  const open: OpenDelivery[] = []
  for (const id of new Set([deliveryId, ...rows.map((row) => row.id)].toSorted())) {
    const row = await holdOpen(transaction, tenantId, id)
    if (row && id !== deliveryId) open.push({ id, keys: keysIn(row.versions), at: row.created_at })
  }
  return open.toSorted((a, b) => (a.at < b.at ? 1 : -1))
}

function holdOpen(transaction: Query, tenantId: string, id: string) {
  return transaction
    .updateTable('deliveries')
    .set((column) => ({ state: column.ref('state') }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .returning(['versions', 'created_at'])
    .executeTakeFirst()
}

/** The last member marks a part. */
const StoredKeys = z.array(z.tuple([z.string(), z.string(), z.number()], z.literal('part')))
const StoredLabel = z.object({ hostname: z.string(), user: z.string(), program: z.string() }).nullable()

function keysIn(versions: string): Delivery['keys'] {
  return StoredKeys.parse(JSON.parse(versions)).map(([id, name, version, mark]) => ({
    id,
    name,
    version,
    isPart: mark === 'part',
  }))
}

/** A key in the text of a delivery's row. */
export function storedKey({ id, name, version, isPart = false }: DeliveredKey) {
  return isPart ? [id, name, version, 'part'] : [id, name, version]
}

/** What a row's text tells of the client's claims. */
export function labelIn(label: string | null): Delivery['label'] {
  return label === null ? null : StoredLabel.parse(JSON.parse(label))
}

/** How a row's text says that the values are used. */
export function viaIn(via: string | null): Via {
  return via === 'run' || via === 'pull' ? via : null
}

async function find(query: Query, tenantId: string, deliveryId: string): Promise<Delivery | null> {
  const row = await withNames(filtered(query, tenantId, {}))
    .where('deliveries.id', '=', deliveryId)
    .executeTakeFirst()
  return row ? presented(row) : null
}

type Listing = { tenantId: string; filter: DeliveryFilter; page: WholePage }

/** Counted at most; a longer list has no total. */
const COUNTED = 10_000

async function list(query: Query, { tenantId, filter, page }: Listing): ReturnType<DeliveryStore['list']> {
  const [rows, { total }] = await Promise.all([
    withNames(filtered(query, tenantId, filter))
      .orderBy('deliveries.created_at', 'desc')
      .orderBy('deliveries.id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    query
      .selectFrom(
        filtered(query, tenantId, filter)
          .select('deliveries.id')
          .limit(COUNTED + 1)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ])
  return { total: total > COUNTED ? null : total, rows: rows.map(presented) }
}

function filtered(query: Query, tenantId: string, { bundleId, userId, machineId, from, to }: DeliveryFilter) {
  return query
    .selectFrom('deliveries')
    .where('deliveries.tenant_id', '=', tenantId)
    .$if(bundleId !== undefined, (select) => select.where('deliveries.bundle_id', '=', bundleId ?? ''))
    .$if(userId !== undefined, (select) => select.where('deliveries.user_id', '=', userId ?? ''))
    .$if(machineId !== undefined, (select) => select.where('deliveries.machine_id', '=', machineId ?? ''))
    .$if(from !== undefined, (select) => select.where('deliveries.created_at', '>=', from ?? ''))
    .$if(to !== undefined, (select) => select.where('deliveries.created_at', '<=', to ?? ''))
}

function withNames(rows: ReturnType<typeof filtered>) {
  return rows
    .leftJoin('users', 'users.id', 'deliveries.user_id')
    .leftJoin('machines', 'machines.id', 'deliveries.machine_id')
    .selectAll('deliveries')
    .select(['users.username', 'machines.name as machine_name'])
}

type Presented = DeliveryRow & { username: string | null; machine_name: string | null }

function presented(row: Presented): Delivery {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state === 'approved' && row.held_until !== null ? 'held' : row.state,
    bundle: { id: row.bundle_id, name: row.bundle_name },
    approver: row.user_id === null ? null : { kind: 'user', id: row.user_id, name: row.username },
    machine: row.machine_id === null ? null : { kind: 'machine', id: row.machine_id, name: row.machine_name },
    holder: row.holder,
    label: labelIn(row.label),
    via: viaIn(row.via),
    keys: keysIn(row.versions),
    created_at: row.created_at,
    collected_at: row.collected_at,
  }
}
