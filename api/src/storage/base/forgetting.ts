import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Queries, Query } from './queries.ts'
import type { Tables } from './tables.ts'

/** Rows that one transaction deletes: few enough that writers on SQLite do not wait. */
export const FORGOTTEN_AT_ONCE = 500

/** What a deletion of old rows works by: rows from before the timestamp `before` go, until `ending` aborts. */
export type Retention = {
  before: string
  now: () => Date
  log: Pick<Logger, 'info'>
  ending: AbortSignal
}

type EndedRows = { table: keyof Tables; ended: string; before: string }

/** Delete the rows of all tenants that ended before a time, which the column `ended` has.
 * @returns how many */
export async function forgetEnded(
  { write }: Pick<Queries, 'write'>,
  old: EndedRows,
  ending?: AbortSignal,
): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await write((transaction) => deleteSome(transaction, old))
    count += deleted
    if (deleted < FORGOTTEN_AT_ONCE || ending?.aborted) return count
  }
}

async function deleteSome(transaction: Query, { table, ended, before }: EndedRows): Promise<number> {
  const [from, at] = [sql.table(table), sql.ref(ended)]
  const { numAffectedRows } = await sql`delete from ${from} where ${at} < ${before} and id in
    (select id from ${from} where ${at} < ${before} limit ${FORGOTTEN_AT_ONCE})`.execute(transaction)
  return Number(numAffectedRows)
}
