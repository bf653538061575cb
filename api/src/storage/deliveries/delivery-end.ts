import type { ReleaseWay } from '@keyferry/contract'
import type { Event } from '../../domain/base/event.ts'
import type { Delivery, DeliveryEnd } from '../../domain/deliveries/delivery.ts'
import { keysIn, labelIn } from '../base/delivery-texts.ts'
import { ask } from '../base/pipeline.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'
import { clearVoid, noteCollected, type OpenDelivery } from '../holders/holders.ts'
import { countFetch } from './fetch-days.ts'

type DeliveryEnding = DeliveryEnd & { tenantId: string }

type VoidEnding = DeliveryEnding & { isAlarm?: boolean; reason?: string }

/** End a delivery that never left the server. Does nothing to one that has ended. */
export async function endVoid(transaction: Recorded, ending: VoidEnding): Promise<void> {
  const open = await lockOpenDeliveries(transaction, ending)
  const ended = await end(transaction, ending, { state: 'void', held_until: null })
  if (!ended) return
  await clearVoid(transaction, { ...ending, ...ended, open })
  const actor = { kind: 'user', id: ended.approverId } as const
  const { isAlarm = false, reason } = ending
  const action = isAlarm ? 'delivery.not_released' : 'delivery.void'
  const data = { delivery: ending.deliveryId, ...(reason === undefined ? {} : { reason }) }
  transaction.record({ ...endEvent(ending, ended, { action, actor }), data })
}

/** Record that an approval came back through the terminal. */
export async function release(
  transaction: Recorded,
  { tenantId, deliveryId, at, origin, by }: DeliveryEnding & { by: ReleaseWay },
): Promise<void> {
  const held = await updateOf(transaction, 'deliveries', { tenantId, id: deliveryId })
    .set({ held_until: null })
    .where('held_until', 'is not', null)
    .returning(['bundle_id', 'bundle_name'])
    .executeTakeFirst()
  if (!held) return
  transaction.record({
    tenantId,
    action: 'delivery.released',
    actor: { kind: 'client', id: null },
    at,
    origin,
    target: { kind: 'bundle', id: held.bundle_id, name: held.bundle_name },
    data: { delivery: deliveryId, release: by },
  })
}

/** Record that the client collected a delivery. Does nothing to one that has ended. */
export async function collect(transaction: Recorded, ending: DeliveryEnding): Promise<void> {
  const ended = await end(transaction, ending, { state: 'collected', collected_at: ending.at })
  if (!ended) return
  await noteCollected(transaction, { ...ending, ...ended })
  await countFetch(transaction, { ...ending, bundleId: ended.bundle.id, programId: null })
  const actor = { kind: 'client', id: null } as const
  transaction.record(endEvent(ending, ended, { action: 'delivery.collected', actor }))
}

type EndedDelivery = {
  holder: string
  /** Whose terminal it is. */
  userId: string
  approverId: string
  approvedAt: string
  label: Delivery['label']
  bundle: Delivery['bundle']
  keys: Delivery['keys']
}

// Locks the delivery's row from then on; null where it has ended already.
async function end(
  transaction: Query,
  { tenantId, deliveryId }: DeliveryEnding,
  columns: { state: 'void'; held_until: null } | { state: 'collected'; collected_at: string },
): Promise<EndedDelivery | null> {
  const ending = updateOf(transaction, 'deliveries', { tenantId, id: deliveryId, state: 'approved' })
    .set(columns)
    .returning([
      'label',
      'holder',
      'user_id',
      'voucher_id',
      'bundle_id',
      'bundle_name',
      'versions',
      'created_at',
    ])
  const [row] = await ask(transaction, ending)
  // A program's delivery ends when it is written, so it is not found here.
  if (!row || row.user_id === null) return null
  const bundle = { id: row.bundle_id, name: row.bundle_name }
  const { holder, user_id: approverId, created_at: approvedAt } = row
  const userId = row.voucher_id ?? approverId
  return {
    holder,
    userId,
    approverId,
    approvedAt,
    label: labelIn(row.label),
    bundle,
    keys: keysIn(row.versions),
  }
}

function endEvent(
  { tenantId, deliveryId, at, origin }: DeliveryEnding,
  { bundle, label }: EndedDelivery,
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

/** How many open deliveries of a holder are read; older ones are ignored. */
const OPEN = 20

// The newest of the holder's deliveries that are not confirmed, this one left out, newest first. All are locked, in the
// order of their ids, so that two ends of deliveries neither overlook each other nor deadlock.
async function lockOpenDeliveries(
  transaction: Query,
  { tenantId, deliveryId }: DeliveryEnding,
): Promise<OpenDelivery[]> {
  const rows = await selectOf(transaction, 'deliveries', { tenantId, state: 'approved' })
    .select('id')
    .where('holder', '=', (own) =>
      own
        .selectFrom('deliveries as own')
        .select('own.holder')
        .where('own.tenant_id', '=', tenantId)
        .where('own.id', '=', deliveryId),
    )
    .where('user_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(OPEN)
    .execute()
  const open: OpenDelivery[] = []
  for (const id of new Set([deliveryId, ...rows.map((row) => row.id)].toSorted())) {
    const row = await lockOpen(transaction, tenantId, id)
    if (row && id !== deliveryId) open.push({ id, keys: keysIn(row.versions), at: row.created_at })
  }
  return open.toSorted((a, b) => (a.at < b.at ? 1 : -1))
}

function lockOpen(transaction: Query, tenantId: string, id: string) {
  return updateOf(transaction, 'deliveries', { tenantId, id, state: 'approved' })
    .set((column) => ({ state: column.ref('state') }))
    .returning(['versions', 'created_at'])
    .executeTakeFirst()
}
