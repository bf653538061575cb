import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { Pool, types } from 'pg'
import { DomainError, unavailable } from '../domain/errors.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>

/** How the two databases differ to those who make tables. */
export type ColumnTypes = { text: string; bytes: string; tableEnd: string }

export type Database = {
  query: Query
  columns: ColumnTypes
  /** Holds every other migrator back until the transaction ends. */
  lockMigrations(transaction: Query): Promise<void>
  close(): Promise<void>
}

const BUSY_TIMEOUT_MS = 2_000
const CACHED_STATEMENTS = 500
const PG_CONNECTIONS = 12
const PG_CONNECT_TIMEOUT_MS = 3_000
const PG_STATEMENT_TIMEOUT_MS = 15_000
const INT8: number = types.builtins.INT8
const MIGRATION_LOCK = 5_393

/** Open the database of a `postgres://` URL, or the SQLite file at a path (made when absent, mode 0600). */
export function openDatabase(place: string): Database {
  return /^postgres(ql)?:\/\//.test(place) ? openPostgres(place) : openSqlite(place)
}

function openSqlite(path: string): Database {
  closeSync(openSync(path, 'a', 0o600))
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  const driver = new ImmediateSqliteDriver(file)
  const query = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => guarded(driver, isSqliteAway),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return {
    query,
    columns: { text: 'text', bytes: 'blob', tableEnd: 'strict' },
    // A transaction that begins immediate is alone in writing already.
    lockMigrations: async () => {},
    close: () => query.destroy(),
  }
}

// Begun immediate, a transaction waits for the lock at its start; begun deferred, it fails when a read turns into a write.
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #file: DatabaseSync

  constructor(file: DatabaseSync) {
    super({ database: { close: () => file.close(), prepare: cachedStatements(file) } })
    this.#file = file
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  // A full or failing disk has SQLite roll back by itself; a second rollback would fail and hide the first failure.
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.isTransaction) await super.rollbackTransaction(connection)
  }
}

type Statement = {
  reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

function cachedStatements(file: DatabaseSync): (text: string) => Statement {
  const cache = new Map<string, Statement>()
  return (text) => {
    const known = cache.get(text)
    if (known) return known
    const [oldest] = cache.keys()
    if (cache.size >= CACHED_STATEMENTS && oldest !== undefined) cache.delete(oldest)
    const made = statement(file.prepare(text))
    cache.set(text, made)
    return made
  }
}

// The query layer types its parameters as unknown; the tables allow only what SQLite takes.
const inputs = (parameters: readonly unknown[]) => parameters as SQLInputValue[]

function statement(prepared: StatementSync): Statement {
  return {
    reader: prepared.columns().length > 0,
    all: (parameters) => prepared.all(...inputs(parameters)),
    run: (parameters) => prepared.run(...inputs(parameters)),
    iterate: (parameters) => prepared.iterate(...inputs(parameters)),
  }
}

function openPostgres(url: string): Database {
  const pool = new Pool({
    connectionString: url,
    max: PG_CONNECTIONS,
    connectionTimeoutMillis: PG_CONNECT_TIMEOUT_MS,
    statement_timeout: PG_STATEMENT_TIMEOUT_MS,
    query_timeout: PG_STATEMENT_TIMEOUT_MS + PG_CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  })
  // A connection that the server ends while no query is on it says so by an event, which unheard ends the process. The
  // pool hears its idle ones; those in use, between two statements of a transaction, are heard here.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  const query = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => guarded(new PostgresDriver({ pool }), isPostgresAway),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return {
    query,
    columns: { text: 'text collate "C"', bytes: 'bytea', tableEnd: '' },
    lockMigrations: async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
    },
    close: () => query.destroy(),
  }
}

function ignore(): void {}

// Counts arrive as 64-bit integers, which the client gives as text unless told otherwise.
function parserOf(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 ? Number : types.getTypeParser(oid, format)
}

const guardedConnections = new WeakSet<DatabaseConnection>()

/** The same driver, telling a database that is away from a query that is wrong. */
function guarded(driver: Driver, isAway: (error: unknown) => boolean): Driver {
  const acquire = driver.acquireConnection.bind(driver)
  driver.acquireConnection = async (options) => {
    const connection = await translated(() => acquire(options), isAway)
    if (!guardedConnections.has(connection)) guardConnection(connection, isAway)
    return connection
  }
  return driver
}

function guardConnection(connection: DatabaseConnection, isAway: (error: unknown) => boolean): void {
  const execute = connection.executeQuery.bind(connection)
  connection.executeQuery = (query, options) => translated(() => execute(query, options), isAway)
  guardedConnections.add(connection)
}

async function translated<T>(work: () => Promise<T>, isAway: (error: unknown) => boolean): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw !(error instanceof DomainError) && isAway(error) ? unavailable('database', error) : error
  }
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

// Primary result codes: busy, locked, read-only, I/O error, full disk, cannot open.
const SQLITE_AWAY = new Set([5, 6, 8, 10, 13, 14])

function isSqliteAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return 'errcode' in error && typeof error.errcode === 'number' && SQLITE_AWAY.has(error.errcode & 0xff)
}

// SQLSTATE classes: connection, resources, operator intervention, system error; 25006: a read-only standby.
const PG_AWAY = /^(08|53|57|58)|^25006$/
const SOCKET_AWAY = /^E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)/
const PG_CLIENT_AWAY = /terminated|timeout|not queryable|closed|Cannot use a pool/i

function isPostgresAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPostgresAway)
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code !== '') return PG_AWAY.test(code) || SOCKET_AWAY.test(code) || code === 'ENOENT'
  return PG_CLIENT_AWAY.test(error.message)
}
