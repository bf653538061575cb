import { sql } from 'kysely'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

/*
 * Entries that were added to a log where its chain does not show it.
 */

/** Names such an entry; null when there is none.
 * @param first the number of the entry with which the chain begins */
export async function additionTo(query: Query, tenantId: string, first: number): Promise<string | null> {
  const early = await entryBefore(query, tenantId, first)
  if (early !== null) return `entry ${early} was added before the first entry, ${first}`
  const repeat = await repeatedEntry(query, tenantId)
  return repeat === null ? null : `entry ${repeat} repeats an earlier entry`
}

async function entryBefore(query: Query, tenantId: string, first: number): Promise<number | null> {
  const row = await selectOf(query, 'audit_log', tenantId)
    .select('seq')
    .where('seq', '<', first)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? null
}

// A server's own event that is written into the outbox again is sealed a second time.
async function repeatedEntry(query: Query, tenantId: string): Promise<number | null> {
  // A body begins with its number and its id: {"seq":1,"id":"<36 characters>".
  const id = sql`substr(body, length(cast(seq as text)) + 9, 43)`
  const last = sql<number>`max(seq)`
  const row = await selectOf(query, 'audit_log', tenantId)
    .select(last.as('seq'))
    .groupBy(id)
    .having(sql`count(*)`, '>', 1)
    .orderBy(last)
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? null
}
