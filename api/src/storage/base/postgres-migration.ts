import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Query } from './queries.ts'

const ATTEMPTS = 30
const PAUSE_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'
const HELD =
  'migration: another transaction holds the tables; end it (see pg_stat_activity), or try again when it has ended'

/** Migrate in one transaction that may take hours and never makes other writers wait long: if another transaction holds
 * a table for more than a second, it gives all locks back and begins again.
 * @throws Error: a table was held at each attempt */
export async function migrateAlone<T>(
  query: Query,
  lock: (transaction: Query) => Promise<void>,
  work: (transaction: Query) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await query.transaction().execute(async (transaction) => {
        await sql`set local statement_timeout = 0`.execute(transaction)
        await lock(transaction)
        await sql`set local lock_timeout = '1s'`.execute(transaction)
        return await work(transaction)
      })
    } catch (error) {
      if (!isHeld(error)) throw error
      await sleep(PAUSE_MS * Math.random())
    }
  }
  throw new Error(HELD)
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
}
