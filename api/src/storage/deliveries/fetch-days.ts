import { sql } from 'kysely'
import type { Slice } from '../../domain/base/listing.ts'
import { dayOf, slotOf, type UseCount, type UseStore } from '../../domain/deliveries/use.ts'
import { inChunks } from '../base/chunks.ts'
import { send } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { namesIn, selectOf } from '../base/tenant-rows.ts'
import { programs } from '../programs/programs.ts'
import { PROGRAM } from '../schema/column.ts'

type Fetch = { tenantId: string; bundleId: string; programId: string | null; at: string }

/** Count a fetch in the transaction that notes it. The last statement of the transaction, so that two of them never
 * wait for each other with this row in their hands. */
export function countFetch(transaction: Query, { tenantId, bundleId, programId, at }: Fetch): Promise<void> {
  const [day, slot] = [dayOf(at), slotOf(at)]
  const row = { [PROGRAM]: programId ?? '', slot, day, fetches: 1, last_at: at }
  const existing = selectOf(transaction, 'bundles', { tenantId, id: bundleId }).select([
    'tenant_id',
    'id as bundle_id',
    ...Object.entries(row).map(([column, value]) => sql`${value}`.as(column)),
  ])
  const insertion = transaction
    .insertInto('fetch_days')
    .columns(['tenant_id', 'bundle_id', PROGRAM, 'slot', 'day', 'fetches', 'last_at'])
    .expression(existing)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'bundle_id', PROGRAM, 'slot']).doUpdateSet((column) => ({
        fetches: sql`case when fetch_days.day = excluded.day then fetch_days.fetches + 1 else 1 end`,
        day: column.ref('excluded.day'),
        last_at: column.ref('excluded.last_at'),
      })),
    )
  return send(transaction, insertion)
}

/** How often bundles and programs are used. */
export function createUseStore(query: Query): UseStore {
  return {
    async list(tenantId, by, slice) {
      const isOfBundles = by === 'bundle'
      const column = isOfBundles ? 'bundle_id' : PROGRAM
      const named = isOfBundles
        ? await listBundles(query, tenantId, slice)
        : await programs.list(query, tenantId, slice)
      const ids = named.map(({ id }) => id)
      const days = await inChunks(ids, (some) => daysOf(query, tenantId, { column, ids: some }))
      const byId = Map.groupBy(days, ({ id }) => id)
      return named.map((each) => ({ ...each, ...useIn(byId.get(each.id) ?? []) }))
    },
  }
}

function listBundles(query: Query, tenantId: string, slice: Slice) {
  const wanted = namesIn(selectOf(query, 'bundles', tenantId).select('name'), slice)
  return selectOf(query, 'bundles', tenantId)
    .select(['id', 'name'])
    .where('name', 'in', wanted)
    .orderBy('name')
    .execute()
}

type DaysWanted = { column: 'bundle_id' | typeof PROGRAM; ids: readonly string[] }

function daysOf(query: Query, tenantId: string, { column, ids }: DaysWanted) {
  return selectOf(query, 'fetch_days', tenantId)
    .select([`${column} as id`, 'day'])
    .select(sql<number>`sum(fetches)`.as('fetches'))
    .select(sql<string>`max(last_at)`.as('last_at'))
    .where(column, 'in', ids)
    .groupBy([column, 'day'])
    .execute()
}

type DayOfUse = Awaited<ReturnType<typeof daysOf>>[number]

function useIn(days: readonly DayOfUse[]): Pick<UseCount, 'fetches' | 'last_at'> {
  const last_at =
    days
      .map((each) => each.last_at)
      .toSorted()
      .at(-1) ?? null
  return { fetches: new Map(days.map(({ day, fetches }) => [day, fetches])), last_at }
}
