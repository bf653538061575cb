import { DomainError } from '../../domain/base/errors.ts'
import type { Database } from './queries.ts'
import { openSqlite } from './sqlite.ts'

const CONNECTIONS = 12

/** Open the database of a `postgres://` URL, or the SQLite file at a path (made when absent, mode 0600).
 * @param connections how many to PostgreSQL at a time
 * @param url of each new one */
export async function openDatabase(
  place: string,
  connections = CONNECTIONS,
  url = () => place,
): Promise<Database> {
  if (!/^postgres(ql)?:\/\//.test(place)) return openSqlite(place)
  // Its client is a good part of what a start costs, so only those load it who need it.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(url, connections)
}

// SQLite's extended result codes and PostgreSQL's SQLSTATEs.
const SQLITE_FOREIGN_KEY = 787
const PG_FOREIGN_KEY = '23503'

const SQLITE_UNIQUE = 2067
const PG_UNIQUE = '23505'

/** Whether a row could not be stored because a unique index has its value. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, SQLITE_UNIQUE, PG_UNIQUE)
}

/** Whether a row could not be stored because the row that it refers to is gone. */
export function isMissingReference(error: unknown): boolean {
  return hasCode(error, SQLITE_FOREIGN_KEY, PG_FOREIGN_KEY)
}

/** Whether a transaction failed because others locked what it needs: a deadlock, or `limitLocks`. */
export function isLockConflict(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error
  return cause instanceof Error && 'code' in cause && (cause.code === '40P01' || cause.code === '55P03')
}

/** Do some work. If the database refuses it for this reason, the caller gets this error. */
export async function refusing<Outcome>(
  isRefusal: (error: unknown) => boolean,
  refusal: () => DomainError,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    throw isRefusal(error) ? refusal() : error
  }
}

function hasCode(error: unknown, ofSqlite: number, ofPostgres: string): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error) return error.errcode === ofSqlite
  return 'code' in error && error.code === ofPostgres
}
