import type { WholePage } from '../../domain/base/listing.ts'
import type {
  Delivery,
  DeliveryFilter,
  DeliveryNow,
  DeliveryStore,
} from '../../domain/deliveries/delivery.ts'
import { inChunks } from '../base/chunks.ts'
import { keysIn, labelIn, viaIn } from '../base/delivery-texts.ts'
import type { Queries, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { countOf, pageOf, selectOf } from '../base/tenant-rows.ts'
import { type ProgramsShown, programsShown } from '../programs/programs.ts'
import { PROGRAM } from '../schema/column.ts'

/** How many deliveries one look takes. */
const BATCH = 100

export function createDeliveryStore({ query }: Queries): DeliveryStore {
  return {
    async overdue(time) {
      const rows = await query
        .selectFrom('deliveries')
        .select(['tenant_id', 'id'])
        .where('held_until', '<', time)
        .limit(BATCH)
        .execute()
      return rows.map(({ tenant_id, id }) => ({ tenantId: tenant_id, deliveryId: id }))
    },
    find: (tenantId, deliveryId) => find(query, tenantId, deliveryId),
    list: (tenantId, filter, page) => list(query, { tenantId, filter, page }),
  }
}

async function find(query: Query, tenantId: string, deliveryId: string): Promise<DeliveryNow | null> {
  const row = await withNames(filtered(query, tenantId, {}))
    .where('deliveries.id', '=', deliveryId)
    .executeTakeFirst()
  if (row === undefined) return null
  const { keys, ...delivery } = presented(row, await programsShown(query, [row[PROGRAM]]))
  const ids = keys.map(({ id }) => id)
  const current = await inChunks(ids, (chunk) =>
    selectOf(query, 'keys', tenantId).select(['id', 'value_version']).where('id', 'in', chunk).execute(),
  )
  const versions = new Map(current.map(({ id, value_version }) => [id, value_version]))
  return { ...delivery, keys: keys.map((key) => ({ ...key, current_version: versions.get(key.id) ?? null })) }
}

type DeliveryListing = { tenantId: string; filter: DeliveryFilter; page: WholePage }

/** Counted at most; a longer list has no total. */
const COUNTED = 10_000

async function list(
  query: Query,
  { tenantId, filter, page }: DeliveryListing,
): ReturnType<DeliveryStore['list']> {
  const { rows, total } = await pageOf(
    withNames(filtered(query, tenantId, filter))
      .orderBy('deliveries.created_at', 'desc')
      .orderBy('deliveries.id', 'desc'),
    page,
    countOf(
      query.selectFrom(
        filtered(query, tenantId, filter)
          .select('deliveries.id')
          .limit(COUNTED + 1)
          .as('counted'),
      ),
    ),
  )
  const programIds = rows.map((row) => row[PROGRAM])
  const shownProgram = await programsShown(query, programIds)
  return {
    total: total > COUNTED ? null : total,
    rows: rows.map((row) => presented(row, shownProgram)),
  }
}

function filtered(query: Query, tenantId: string, { bundleId, userId, programId, from, to }: DeliveryFilter) {
  return selectOf(query, 'deliveries', tenantId)
    .$if(bundleId !== undefined, (select) => select.where('deliveries.bundle_id', '=', bundleId ?? ''))
    .$if(userId !== undefined, (select) => select.where('deliveries.user_id', '=', userId ?? ''))
    .$if(programId !== undefined, (select) => select.where(`deliveries.${PROGRAM}`, '=', programId ?? ''))
    .$if(from !== undefined, (select) => select.where('deliveries.created_at', '>=', from ?? ''))
    .$if(to !== undefined, (select) => select.where('deliveries.created_at', '<=', to ?? ''))
}

function withNames(rows: ReturnType<typeof filtered>) {
  return rows
    .leftJoin('users', 'users.id', 'deliveries.user_id')
    .leftJoin('users as vouchers', 'vouchers.id', 'deliveries.voucher_id')
    .selectAll('deliveries')
    .select(['users.username', 'vouchers.username as voucher_name'])
}

type ListedDelivery = Tables['deliveries'] & {
  username: string | null
  voucher_name: string | null
}

function presented(row: ListedDelivery, shownProgram: ProgramsShown): Delivery {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state === 'approved' && row.held_until !== null ? 'held' : row.state,
    bundle: { id: row.bundle_id, name: row.bundle_name },
    approver: row.user_id === null ? null : { kind: 'user', id: row.user_id, name: row.username },
    vouched_by: row.voucher_id === null ? null : { kind: 'user', id: row.voucher_id, name: row.voucher_name },
    machine: row[PROGRAM] === null ? null : shownProgram(row[PROGRAM]),
    holder: row.holder,
    label: labelIn(row.label),
    via: viaIn(row.via),
    keys: keysIn(row.versions),
    created_at: row.created_at,
    collected_at: row.collected_at,
  }
}
