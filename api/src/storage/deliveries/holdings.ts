import { type Expression, sql } from 'kysely'
import type { DeliveredKey } from '../../domain/deliveries/delivery.ts'
import { send } from '../base/pipeline.ts'
import type { Queries, Query } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'

/*
 * What holders have: one row for each key and holder, however many deliveries there are. An approval is noted in
 * `perhaps_version`, before values leave; a confirmed hand-over moves it to `version`. A confirmed hand-over answers
 * for every delivery to this holder that was approved before it. Rows are written in the order of their keys, so that
 * two deliveries of the same keys wait for each other and do not deadlock.
 */

type Given = {
  tenantId: string
  /** Of a person, or of a machine. */
  userId: string | null
  machineId?: string | null
  deliveryId: string
  holder: string
  keys: readonly DeliveredKey[]
  /** ISO timestamp. */
  at: string
}

const ROWS_AT_ONCE = 500

/** Note in the transaction of a new delivery what its holder may have from then on. */
export async function noteApproved(transaction: Query, given: Given): Promise<void> {
  for (const keys of await existingKeys(transaction, given)) {
    const rows = transaction
      .insertInto('holdings')
      .values(
        keys.map(({ id, version }) => ({
          ...firstColumns(given, id),
          settled_at: null,
          version: null,
          delivery_id: null,
          times: 0,
          perhaps_version: version,
          perhaps_delivery_id: given.deliveryId,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'key_id', 'holder']).doUpdateSet((expression) => ({
          perhaps_version: expression.ref('excluded.perhaps_version'),
          perhaps_delivery_id: expression.ref('excluded.perhaps_delivery_id'),
          dismissed_at: null,
        })),
      )
    await send(transaction, rows)
  }
}

/** Record that a client collected a delivery. */
export async function noteCollected(
  transaction: Query,
  given: Given & { approvedAt: string },
): Promise<void> {
  const unlessThis = <T>(column: Expression<T>) =>
    sql<T | null>`case when holdings.perhaps_delivery_id = ${given.deliveryId} then null else ${column} end`
  for (const keys of await existingKeys(transaction, given)) {
    const rows = transaction
      .insertInto('holdings')
      .values(
        keys.map(({ id, version }) => ({
          ...firstColumns(given, id),
          settled_at: given.approvedAt,
          version,
          delivery_id: given.deliveryId,
          times: 1,
          perhaps_version: null,
          perhaps_delivery_id: null,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'key_id', 'holder']).doUpdateSet((expression) => ({
          version: expression.ref('excluded.version'),
          delivery_id: expression.ref('excluded.delivery_id'),
          perhaps_version: unlessThis(expression.ref('holdings.perhaps_version')),
          perhaps_delivery_id: unlessThis(expression.ref('holdings.perhaps_delivery_id')),
          settled_at: sql<string>`case when holdings.settled_at > excluded.settled_at
            then holdings.settled_at else excluded.settled_at end`,
          last_at: expression.ref('excluded.last_at'),
          times: expression('holdings.times', '+', 1),
          dismissed_at: null,
        })),
      )
    await send(transaction, rows)
  }
}

/** As `noteCollected`, for a holder that has these very versions: the usual case of a machine. No indexed column
 * changes then, so the database writes a page or two instead of some for each key.
 * @returns false, and nothing is written, if the holder has other versions */
export async function noteCollectedAgain(
  { hold }: Pick<Queries, 'hold'>,
  transaction: Query,
  { tenantId, holder, keys, deliveryId, at }: Given,
): Promise<boolean> {
  if (keys.length === 0 || keys.length > ROWS_AT_ONCE) return false
  const held = await selectOf(transaction, 'holdings', { tenantId, holder })
    .select(['key_id', 'version'])
    .where('key_id', 'in', idsOf(keys))
    .where('perhaps_version', 'is', null)
    .where('dismissed_at', 'is', null)
    .orderBy('key_id')
    .modifyEnd(hold)
    .execute()
  const versions = new Map(held.map(({ key_id, version }) => [key_id, version]))
  if (!keys.every(({ id, version }) => versions.get(id) === version)) return false
  await updateOf(transaction, 'holdings', { tenantId, holder })
    .set((column) => ({
      delivery_id: deliveryId,
      last_at: at,
      settled_at: sql<string>`case when settled_at > ${at} then settled_at else ${at} end`,
      times: column('times', '+', 1),
    }))
    .where('key_id', 'in', idsOf(keys))
    .execute()
  return true
}

function firstColumns({ tenantId, holder, userId, machineId = null, at }: Given, keyId: string) {
  const place = { tenant_id: tenantId, key_id: keyId, holder, user_id: userId, machine_id: machineId }
  return { ...place, first_at: at, last_at: at, dismissed_at: null }
}

// In the order of their ids, some at a time: a statement has a bounded number of parameters.
async function existingKeys(transaction: Query, { tenantId, keys }: Given): Promise<DeliveredKey[][]> {
  const inOrder = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const chunks: DeliveredKey[][] = []
  for (let from = 0; from < inOrder.length; from += ROWS_AT_ONCE) {
    const chunk = inOrder.slice(from, from + ROWS_AT_ONCE)
    const rows = await selectOf(transaction, 'keys', tenantId)
      .select('id')
      .where('id', 'in', idsOf(chunk))
      .execute()
    const known = new Set(idsOf(rows))
    const existing = chunk.filter(({ id }) => known.has(id))
    if (existing.length > 0) chunks.push(existing)
  }
  return chunks
}

function idsOf(keys: readonly { id: string }[]): string[] {
  return keys.map(({ id }) => id)
}

/** A delivery that is not confirmed; `at`: when it was approved. */
export type OpenDelivery = { id: string; keys: readonly DeliveredKey[]; at: string }

/** Note that a delivery never left the server: its holder may still have what an open delivery of before holds.
 * @param voided.open the holder's open deliveries, newest first */
export async function clearVoid(
  transaction: Query,
  voided: Given & { open: readonly OpenDelivery[] },
): Promise<void> {
  const { tenantId, holder, deliveryId, open } = voided
  if (voided.keys.length === 0) return
  const rows = await selectOf(transaction, 'holdings', { tenantId, holder, perhaps_delivery_id: deliveryId })
    .select(['key_id', 'settled_at'])
    .where('key_id', 'in', idsOf(voided.keys))
    .orderBy('key_id')
    .execute()
  for (const { key_id: keyId, settled_at } of rows) {
    const newest = open.find(({ at, keys }) => at > (settled_at ?? '') && keys.some(({ id }) => id === keyId))
    await setPerhaps(transaction, { ...voided, keyId, newest })
  }
}

async function setPerhaps(
  transaction: Query,
  {
    tenantId,
    holder,
    deliveryId,
    keyId,
    newest,
  }: Given & { keyId: string; newest: OpenDelivery | undefined },
): Promise<void> {
  const version = newest?.keys.find(({ id }) => id === keyId)?.version ?? null
  const row = await updateOf(transaction, 'holdings', {
    tenantId,
    key_id: keyId,
    holder,
    perhaps_delivery_id: deliveryId,
  })
    .set({ perhaps_version: version, perhaps_delivery_id: newest?.id ?? null })
    .returning(['version', 'perhaps_version'])
    .executeTakeFirst()
  if (!row || row.version !== null || row.perhaps_version !== null) return
  await deleteOf(transaction, 'holdings', { tenantId, key_id: keyId, holder }).execute()
}
