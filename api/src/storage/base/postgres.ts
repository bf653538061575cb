import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Transaction,
} from 'kysely'
import { type Pool, types } from 'pg'
import { guarded, translated } from './guarded-driver.ts'
import { insertionFailure, insertionOfAll, updateOfAll } from './many-rows.ts'
import { PipelinedDriver, send, sentFailure } from './pipeline.ts'
import { migrateAlone } from './postgres-migration.ts'
import { openPool } from './postgres-pool.ts'
import { prepared } from './prepared.ts'
import type { Database, Query } from './queries.ts'
import type { Tables } from './tables.ts'

const CONNECTIONS = 12
const MIGRATION_LOCK = 5_393

// A count is a 64-bit integer, which the client returns as text by default.
types.setTypeParser(types.builtins.INT8, Number)

/** Open the database of a `postgres://` URL; connections are made as they are needed. */
export function openPostgres(url: string): Database {
  const pool = openPool({ url, connections: CONNECTIONS, isTimed: true })
  const query = queryOn(pool)
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
    lockMigrations,
    migrate: async (work) => {
      const alone = queryOn(openPool({ url, connections: 1, isTimed: false }))
      return await migrateAlone(alone, lockMigrations, work).finally(() => alone.destroy())
    },
    close: () => query.destroy(),
  }
}

function queryOn(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => guarded(new PipelinedDriver({ pool }), isPostgresAway),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

async function lockMigrations(transaction: Query): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
}

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
