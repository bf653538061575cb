import { type Expression, sql } from 'kysely'
import { turn } from '../../domain/base/turns.ts'
import type { DeliveredKey } from '../../domain/deliveries/delivery.ts'
import { chunks } from '../base/chunks.ts'
import { send } from '../base/pipeline.ts'
import type { Queries, Query } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { PROGRAM } from '../schema/column.ts'

/*
 * What holders have: one row for each key and holder, however many deliveries there are. An approval is noted in
 * `perhaps_version`, before values leave; a confirmed hand-over moves it to `version`. A confirmed hand-over answers
 * for every delivery to this holder that was approved before it. Rows are written in the order of their keys, so that
 * two deliveries of the same keys wait for each other and do not deadlock.
 */

type HoldingFilter = {
  tenantId: string
  /** Of a person, or of a program. */
  userId: string | null
  programId?: string | null
  deliveryId: string
  holder: string
  keys: readonly DeliveredKey[]
  /** ISO timestamp. */
  at: string
}

const ROWS_AT_ONCE = 500

/** Note in the transaction of a new delivery what its holder may have from then on. */
export async function noteApproved(transaction: Query, given: HoldingFilter): Promise<void> {
  for await (const part of inOrder(given)) {
    const columns = { times: 0, perhaps_version: versionsOf(part), perhaps_delivery_id: part.deliveryId }
    const rows = insertion(transaction, part, columns).onConflict((conflict) =>
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
  given: HoldingFilter & { approvedAt: string },
): Promise<void> {
  const { deliveryId, approvedAt } = given
  const unlessThis = <T>(column: Expression<T>) =>
    sql<T | null>`case when holdings.perhaps_delivery_id = ${deliveryId} then null else ${column} end`
  for await (const part of inOrder(given)) {
    const columns = { settled_at: approvedAt, version: versionsOf(part), delivery_id: deliveryId, times: 1 }
    const rows = insertion(transaction, part, columns).onConflict((conflict) =>
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

/** As `noteCollected`, for what a program has in this very version: the usual case. No indexed column changes
 * then, so the database writes one or two pages instead of several for each key.
 * @returns the keys that it has in another version or not at all; all of them, if there is no such delivery */
export async function collectedAgain(
  transaction: Query,
  lock: Queries['lock'],
  { tenantId, holder, keys, deliveryId, at }: HoldingFilter,
): Promise<DeliveredKey[]> {
  if (keys.length === 0 || keys.length > ROWS_AT_ONCE) return [...keys]
  const whose = { tenantId, holder }
  // The rows are locked in the order of their keys before the first of them changes.
  const theirs = selectOf(transaction, 'holdings', whose)
    .select('key_id')
    .where(
      'key_id',
      'in',
      keys.map(({ id }) => id),
    )
    .where(
      sql`key_id || ' ' || version`,
      'in',
      keys.map(({ id, version }) => `${id} ${version}`),
    )
    .where('dismissed_at', 'is', null)
    .where((row) =>
      row.exists(selectOf(transaction, 'deliveries', { tenantId, id: deliveryId }).select('id')),
    )
    .orderBy('key_id')
    .modifyEnd(lock)
  const rows = await updateOf(transaction, 'holdings', whose)
    .set((column) => ({
      delivery_id: deliveryId,
      last_at: at,
      settled_at: sql<string>`case when settled_at > ${at} then settled_at else ${at} end`,
      times: column('times', '+', 1),
    }))
    .where('key_id', 'in', theirs)
    .returning('key_id')
    .execute()
  const updated = new Set(rows.map(({ key_id }) => key_id))
  return keys.filter(({ id }) => !updated.has(id))
}

// In the order of their ids, some at a time: a statement has a bounded number of parameters.
async function* inOrder(given: HoldingFilter): AsyncGenerator<HoldingFilter> {
  for (const keys of chunks(given.keys.toSorted((a, b) => (a.id < b.id ? -1 : 1)))) {
    yield { ...given, keys }
    // Notes of many keys let other calls run.
    if (given.keys.length > keys.length) await turn()
  }
}

function versionsOf({ keys }: HoldingFilter) {
  const versions = keys.map(({ id, version }) => sql`when ${id} then ${version}`)
  return sql`cast(case id ${sql.join(versions, sql` `)} end as integer)`
}

const COLUMNS = [
  'tenant_id',
  'key_id',
  'holder',
  'user_id',
  PROGRAM,
  'first_at',
  'last_at',
  'settled_at',
  'version',
  'delivery_id',
  'times',
  'perhaps_version',
  'perhaps_delivery_id',
] as const

// A row for each key that exists; `more`: its other columns.
function insertion(
  transaction: Query,
  { tenantId, holder, userId, programId = null, keys, at }: HoldingFilter,
  more: { [Column in (typeof COLUMNS)[number]]?: unknown },
) {
  const place = { tenant_id: tenantId, key_id: sql.ref('id'), holder, user_id: userId, [PROGRAM]: programId }
  const row: typeof more = { ...place, first_at: at, last_at: at, ...more }
  const existing = selectOf(transaction, 'keys', tenantId)
    .select(COLUMNS.map((column) => sql`${row[column] ?? null}`.as(column)))
    .where('id', 'in', idsOf(keys))
    .orderBy('id')
  return transaction
    .insertInto('holdings')
    .columns([...COLUMNS])
    .expression(existing)
}

function idsOf(keys: readonly { id: string }[]): string[] {
  return keys.map(({ id }) => id)
}

/** A delivery that is not confirmed; `at`: when it was approved. */
export type OpenDelivery = { id: string; keys: readonly DeliveredKey[]; at: string }

/** Note that a delivery never left the server: its holder may still have what an open delivery of before contains.
 * @param voided.open the holder's open deliveries, newest first */
export async function clearVoid(
  transaction: Query,
  voided: HoldingFilter & { open: readonly OpenDelivery[] },
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
  }: HoldingFilter & { keyId: string; newest: OpenDelivery | undefined },
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
