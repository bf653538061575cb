import { sql } from 'kysely'
import type { Slice } from '../../domain/base/listing.ts'
import { dayOf, slotOf, type UseCount, type UseOf, type UseStore } from '../../domain/deliveries/use.ts'
import { send } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { namesIn, selectOf } from '../base/tenant-rows.ts'

type Fetch = { tenantId: string; bundleId: string; machineId: string | null; at: string }

/** Count a fetch in the transaction that notes it. The last statement of the transaction, so that two of them never
 * wait for each other with this row in their hands. */
export function countFetch(transaction: Query, { tenantId, bundleId, machineId, at }: Fetch): Promise<void> {
  const [day, slot] = [dayOf(at), slotOf(at)]
  const row = { machine_id: machineId ?? '', slot, day, fetches: 1, last_at: at }
  const existing = selectOf(transaction, 'bundles', { tenantId, id: bundleId }).select([
    'tenant_id',
    'id as bundle_id',
    ...Object.entries(row).map(([column, value]) => sql`${value}`.as(column)),
  ])
  const insertion = transaction
    .insertInto('fetch_days')
    .columns(['tenant_id', 'bundle_id', 'machine_id', 'slot', 'day', 'fetches', 'last_at'])
    .expression(existing)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'bundle_id', 'machine_id', 'slot']).doUpdateSet((column) => ({
        fetches: sql`case when fetch_days.day = excluded.day then fetch_days.fetches + 1 else 1 end`,
        day: column.ref('excluded.day'),
        last_at: column.ref('excluded.last_at'),
      })),
    )
  return send(transaction, insertion)
}

/** How often bundles and machines are used. */
export function createUseStore(query: Query): UseStore {
  return {
    async list(tenantId, by, slice) {
      const rows = await daysOf(query, { tenantId, by, slice })
      return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(useIn)
    },
  }
}

type UseListing = { tenantId: string; by: UseOf; slice: Slice }

const OF = {
  bundle: { table: 'bundles', column: 'fetch_days.bundle_id' },
  machine: { table: 'machines', column: 'fetch_days.machine_id' },
} as const

function daysOf(query: Query, { tenantId, by, slice }: UseListing) {
  const { table, column } = OF[by]
  const wanted = namesIn(selectOf(query, table, tenantId).select('name'), slice)
  return selectOf(query, table, tenantId)
    .leftJoin('fetch_days', (join) => join.on(inOneTenant(column, `${table}.id`)))
    .select([`${table}.id`, `${table}.name`, 'fetch_days.day'])
    .select(sql<number | null>`sum(fetch_days.fetches)`.as('fetches'))
    .select(sql<string | null>`max(fetch_days.last_at)`.as('last_at'))
    .where(`${table}.name`, 'in', wanted)
    .groupBy([`${table}.id`, `${table}.name`, 'fetch_days.day'])
    .orderBy(`${table}.name`)
    .execute()
}

type DayOfUse = Awaited<ReturnType<typeof daysOf>>[number]

function useIn(rows: readonly DayOfUse[]): UseCount[] {
  const [first] = rows
  if (first === undefined) return []
  const fetches = new Map(
    rows.flatMap((row) => (row.day === null ? [] : [[row.day, row.fetches ?? 0] as const])),
  )
  const last_at = rows.reduce<string | null>(
    (last, row) => ((row.last_at ?? '') > (last ?? '') ? row.last_at : last),
    null,
  )
  return [{ id: first.id, name: first.name, fetches, last_at }]
}
