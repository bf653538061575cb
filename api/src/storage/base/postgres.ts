import { digestOf } from '@keyferry/crypto/digest'
import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Transaction,
} from 'kysely'
import { Pool, type PoolClient, type QueryResult, types } from 'pg'
import { guarded, translated } from './guarded-driver.ts'
import { insertionFailure, insertionOfAll, updateOfAll } from './many-rows.ts'
import { PipelinedDriver, send, sentFailure } from './pipeline.ts'
import { prepared } from './prepared.ts'
import type { Database } from './queries.ts'
import type { Tables } from './tables.ts'

const CONNECTIONS = 12
const CONNECT_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 15_000
const MIGRATION_LOCK = 5_393
const NAMED_TEXTS = 200
const NAMED_TEXT = 2_000
const NAME_DIGITS = 40

// A plan that was made while a table was almost empty may read all rows of a tenant, and PostgreSQL keeps it until it
// analyzes the table, minutes later. So each connection plans again after some statements.
const PLANS_AGAIN_AFTER: ReadonlySet<number> = new Set([100, 1_000, 10_000])

// A count is a 64-bit integer, which the client returns as text by default.
types.setTypeParser(types.builtins.INT8, Number)

/** Open the database of a `postgres://` URL; connections are made as they are needed. */
export function openPostgres(url: string): Database {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
  })
  // A connection that the server ends while no query is on it says so by an event, which unheard ends the process. The
  // pool hears its idle ones; those in use, between two statements of a transaction, are heard here.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  pool.on('connect', nameStatements)
  const query = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => guarded(new PipelinedDriver({ pool }), isPostgresAway),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const run = (text: string) => async (values: unknown[]) => (await pool.query(text, values)).rows
  return {
    query,
    prepare: (build) => {
      const read = prepared(build, run)
      return (values) => translated(() => read(values), isPostgresAway)
    },
    write: (change) => query.transaction().execute((transaction) => explained(change, transaction)),
    async insertAll(transaction, table, rows) {
      const failure = (error: unknown) => insertionFailure(table, error)
      if (rows.length > 0) await send(transaction, insertionOfAll(table, rows), failure)
    },
    async updateAll(transaction, table, changed) {
      if (changed.rows.length > 0) await send(transaction, updateOfAll(table, changed))
    },
    sealBatch: 500,
    holdShared: sql`for share`,
    hold: sql`for update`,
    columns: {
      text: 'text collate "C"',
      bytes: 'bytea',
      count: 'bigint',
      position: 'bigint generated always as identity primary key',
      tableEnd: '',
    },
    lockMigrations: async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
    },
    close: () => query.destroy(),
  }
}

function ignore(): void {}

async function explained<T>(
  change: (transaction: Transaction<Tables>) => Promise<T>,
  transaction: Transaction<Tables>,
): Promise<T> {
  try {
    return await change(transaction)
  } catch (error) {
    throw (await sentFailure(transaction)) ?? error
  }
}

// PostgreSQL parses and plans a statement with a name once for each connection. Texts that vary with the number of
// values are too many to name. A pooler may give each transaction another connection, so there no statement has a name.
function nameStatements(client: PoolClient): void {
  const query = client.query.bind(client)
  let statements = 0
  let isDirect = false
  const compare = ({ rows }: QueryResult): void => {
    isDirect = rows[0]?.pid === Reflect.get(client, 'processID')
  }
  // Sent before the first statement. The time limit is set here because a pooler refuses it as a start-up parameter.
  query(`select pg_backend_pid() as pid, set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', false)`)
    .then(compare)
    .catch(ignore)
  Object.assign(client, {
    query(...[text, values, ...rest]: unknown[]) {
      if (isDirect && PLANS_AGAIN_AFTER.has(++statements)) query('discard plans').catch(ignore)
      const isNamed = isDirect && typeof text === 'string' && Array.isArray(values) && values.length > 0
      const name = isNamed ? nameOf(text) : undefined
      const call = name === undefined ? [text, values] : [{ name, text, values }]
      return Reflect.apply(query, client, [...call, ...rest])
    },
  })
}

const names = new Map<string, string>()

// The name follows from the text: if two nodes share a connection after all, a name never means another statement.
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || text.length > NAMED_TEXT || names.size >= NAMED_TEXTS) return known
  const name = `keyferry_${digestOf(text).slice(0, NAME_DIGITS)}`
  names.set(text, name)
  return name
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
