import type { Database } from './queries.ts'
import { openSqlite } from './sqlite.ts'

/** Open the database of a `postgres://` URL, or the SQLite file at a path (made when absent, mode 0600). */
export async function openDatabase(place: string): Promise<Database> {
  if (!/^postgres(ql)?:\/\//.test(place)) return openSqlite(place)
  // Its client is a good part of what a start costs, so only those load it who need it.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(place)
}

// SQLite's extended result code and PostgreSQL's SQLSTATE for a foreign key without its row.
const SQLITE_FOREIGN_KEY = 787
const PG_FOREIGN_KEY = '23503'

/** Whether a row could not be stored because the row that it refers to is gone. */
export function isMissingReference(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error) return error.errcode === SQLITE_FOREIGN_KEY
  return 'code' in error && error.code === PG_FOREIGN_KEY
}
