import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Query } from './queries.ts'

const ATTEMPTS = 30
const PAUSE_MS = 1_000
// A lock that was not available in time, and a deadlock.
const LOCKED_CODES: ReadonlySet<unknown> = new Set(['55P03', '40P01'])
const LOCKED =
  'migration: another transaction holds the tables; end it (see pg_stat_activity), or try again when it has ended'

/** Migrate in one transaction that may take hours and never makes other writers wait long: if another transaction has
 * locked a table for more than a second, it gives all locks back and begins again.
 * @throws Error: a table was locked at each attempt */
export async function migrateAlone<T>(
  query: Query,
  lock: (transaction: Query) => Promise<void>,
  work: (transaction: Query) => Promise<T>,
): Promise<T> {
  const inTransaction = async (transaction: Query) => {
    await sql`set local statement_timeout = 0`.execute(transaction)
    await lock(transaction)
    await sql`set local lock_timeout = '1s'`.execute(transaction)
    return await work(transaction)
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await query.transaction().execute(inTransaction)
    } catch (error) {
      if (!isLocked(error)) throw error
      await sleep(PAUSE_MS * Math.random())
    }
  }
  throw new Error(LOCKED)
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCKED_CODES.has(error.code)
}
