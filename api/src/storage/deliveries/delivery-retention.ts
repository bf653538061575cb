import { sql } from 'kysely'
import { FORGOTTEN_AT_ONCE, type Retention } from '../base/forgetting.ts'
import type { Queries, Query } from '../base/queries.ts'
import { deleteOf, selectOf } from '../base/tenant-rows.ts'
import { deliveriesOfHolders } from '../holders/holders.ts'

/*
 * An old delivery is deleted if no answer about the present needs it. Those that stay: one that has not ended; one
 * that a holder's entry tells of; and of each bundle, holder, approver and kind, the newest of the old ones, which says
 * what a person approved last, when a program fetched last, and who was given values of a bundle.
 */

/** Delete old deliveries of all tenants. */
export async function forgetDeliveries(queries: Queries, { before, ending, log }: Retention): Promise<void> {
  for (const tenantId of await tenantsWithOld(queries.query, before)) {
    const count = await forgetOf(queries, { tenantId, before, ending })
    if (count > 0) log.info({ tenantId, count }, 'old deliveries deleted')
  }
}

async function tenantsWithOld(query: Query, before: string): Promise<string[]> {
  const rows = await query
    .selectFrom('tenants')
    .select('id')
    .where(
      sql<boolean>`exists (select 1 from deliveries where tenant_id = tenants.id and created_at < ${before})`,
    )
    .execute()
  return rows.map(({ id }) => id)
}

type OldDeliveries = { tenantId: string; before: string; ending: AbortSignal }

async function forgetOf(
  { query, write }: Queries,
  { tenantId, before, ending }: OldDeliveries,
): Promise<number> {
  const kept = await deliveriesOfHolders(query, tenantId, before)
  const known = new Set<string>()
  let count = 0
  for (let last: OldDelivery | undefined, isDone = false; !isDone && !ending.aborted; ) {
    const rows = await olderThan(query, tenantId, last ?? { created_at: before, id: '' })
    const ids = rows.filter((row) => isOver(row, before) && !isNewest(row, known)).map(({ id }) => id)
    const gone = ids.filter((id) => !kept.has(id))
    if (gone.length > 0)
      await write((transaction) =>
        deleteOf(transaction, 'deliveries', tenantId).where('id', 'in', gone).execute(),
      )
    count += gone.length
    last = rows.at(-1)
    isDone = rows.length < FORGOTTEN_AT_ONCE
  }
  return count
}

type OldDelivery = Awaited<ReturnType<typeof olderThan>>[number]

function olderThan(query: Query, tenantId: string, { created_at, id }: { created_at: string; id: string }) {
  return selectOf(query, 'deliveries', tenantId)
    .select([
      'id',
      'kind',
      'state',
      'bundle_id',
      'holder',
      'user_id',
      'held_until',
      'created_at',
      'collected_at',
    ])
    .where(sql<boolean>`(created_at, id) < (${created_at}, ${id})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(FORGOTTEN_AT_ONCE)
    .execute()
}

function isOver({ state, held_until, collected_at }: OldDelivery, before: string): boolean {
  return state === 'void' || (held_until === null && collected_at !== null && collected_at < before)
}

// Called from the newest to the oldest.
function isNewest({ state, bundle_id, holder, user_id, kind }: OldDelivery, known: Set<string>): boolean {
  const group = [bundle_id, holder, user_id, kind].join(' ')
  if (state === 'void' || known.has(group)) return false
  known.add(group)
  return true
}
