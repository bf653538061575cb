import {
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import { Pool, types } from 'pg'
import { batchedList, batchedRead } from './batched-read.ts'
import { guarded, translated } from './guarded-driver.ts'
import { compiledChange, compiledRead, parametersOf, rowsOf } from './prepared.ts'
import type { Database } from './queries.ts'
import type { Tables } from './tables.ts'
import { countingOnPostgres } from './tenant-counts.ts'

const CONNECTIONS = 12
const CONNECT_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 15_000
const INT8: number = types.builtins.INT8
const MIGRATION_LOCK = 5_393

/** Open the database of a `postgres://` URL; connections are made as they are needed. */
export function openPostgres(url: string): Database {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
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
  let names = 0
  const nextName = () => {
    names += 1
    return `keyferry_${names}`
  }
  const run = async (name: string, text: string, values: unknown[]) =>
    (await pool.query({ name, text, values })).rows
  return {
    query,
    prepare: (build) => {
      const name = nextName()
      const read = batchedRead(compiledRead(build), (text, values) => run(name, text, values))
      return (values) => translated(async () => rowsOf(await read(values)), isPostgresAway)
    },
    prepareList: (build) => {
      const name = nextName()
      const read = batchedList(compiledRead(build), (text, values) => run(name, text, values))
      return (values) => translated(async () => rowsOf(await read(values)), isPostgresAway)
    },
    prepareChange: (build) => {
      const change = compiledChange(build)
      const named = { name: nextName(), text: change.sql }
      return (values) =>
        translated(async () => {
          const { rowCount } = await pool.query({ ...named, values: parametersOf(change, values) })
          return rowCount ?? 0
        }, isPostgresAway)
    },
    columns: { text: 'text collate "C"', bytes: 'bytea', tableEnd: '', counting: countingOnPostgres },
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

// SQLSTATE classes: connection, lost race with another transaction (a deadlock is one), resources, operator
// intervention, system error; 25006: a read-only standby.
const AWAY = /^(08|40|53|57|58)|^25006$/
const SOCKET_AWAY = /^E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)/
const CLIENT_AWAY = /terminated|timeout|not queryable|closed|Cannot use a pool/i

function isPostgresAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPostgresAway)
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code !== '') return AWAY.test(code) || SOCKET_AWAY.test(code) || code === 'ENOENT'
  return CLIENT_AWAY.test(error.message)
}
