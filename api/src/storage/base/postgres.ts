import { timeLimit } from '@keyferry/plumbing/time-limits'
import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Transaction,
} from 'kysely'
import { types } from 'pg'
import { MacLayer } from '../row-macs/mac-layer.ts'
import { guarded } from './guarded-driver.ts'
import { insertionFailure, insertionOfAll, updateOfAll } from './many-rows.ts'
import { endTransaction, PipelinedDriver, send, sentFailure } from './pipeline.ts'
import { migrateAlone } from './postgres-migration.ts'
import { Connections } from './postgres-pool.ts'
import type { Database, Query, ScarceConnections } from './queries.ts'
import type { Tables } from './tables.ts'

const MIGRATION_LOCK = 5_393

const LOCK_TIMEOUT_MS = 2_000

// A count is a 64-bit integer, which the client returns as text by default.
types.setTypeParser(types.builtins.INT8, Number)

/** Open the database of a `postgres://` URL.
 * @param most how many connections at a time */
export function openPostgres(url: () => string, most: number): Database {
  const connections = new Connections({ url, connections: most, isTimed: true })
  const macLayer = new MacLayer(new PostgresQueryCompiler(), true)
  const query = queryOn(connections, macLayer)
  return {
    query,
    rowMacs: macLayer.rowMacs,
    written: (transaction) => macLayer.written(transaction),
    write: (change) => query.transaction().execute((transaction) => explained(change, transaction)),
    single: (statement) => statement(query),
    async insertAll(transaction, table, rows) {
      const failure = (error: unknown) => insertionFailure(table, error)
      const withMacs = await macLayer.rowsFor(transaction, table, rows)
      if (rows.length > 0) await send(transaction, insertionOfAll(table, withMacs), failure)
    },
    async updateAll(transaction, table, changed) {
      const rows = await macLayer.rowsFor(transaction, table, changed.rows)
      if (rows.length > 0) await send(transaction, updateOfAll(table, { ...changed, rows }))
    },
    limitLocks: (transaction) =>
      send(transaction, CompiledQuery.raw(`set local lock_timeout = ${timeLimit(LOCK_TIMEOUT_MS)}`)),
    appendBatch: 500,
    lockShared: sql`for share`,
    lockKeyShare: sql`for key share`,
    lock: sql`for update`,
    lockToChange: sql`for no key update`,
    skipLocked: sql`for update skip locked`,
    stored: (table) => sql.ref(table),
    quotedAfter: (mark) => sql`split_part(split_part(body, ${sql.lit(mark)}, 2), '"', 1)`,
    columns: {
      text: 'text collate "C"',
      bytes: 'bytea',
      count: 'bigint',
      position: 'bigint generated always as identity primary key',
      tableEnd: '',
      shortLived: {
        create: 'create unlogged table',
        end: 'with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)',
      },
    },
    tableColumns: sql`select relname as table, attname as column
      from pg_class left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
    lockMigrations,
    async migrate(work) {
      const untimed = queryOn(new Connections({ url, connections: 1, isTimed: false }), macLayer)
      try {
        await requireUtf8(untimed)
        return await migrateAlone(untimed, lockMigrations, work)
      } finally {
        await untimed.destroy()
      }
    },
    scarceConnections: () => scarceConnections(query, most),
    readTime: () => readTime(query),
    usage: () => connections.usage(),
    close: () => query.destroy(),
  }
}

function queryOn(pool: Connections, macLayer: MacLayer): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        guarded(new PipelinedDriver({ pool }), { isUnavailable: isPostgresUnavailable, macLayer }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => macLayer,
    },
  })
}

async function lockMigrations(transaction: Query): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
}

// In another encoding, PostgreSQL refuses or changes names and descriptions that people type.
async function requireUtf8(query: Query): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`
    select current_setting('server_encoding') as encoding`.execute(query)
  const encoding = rows[0]?.encoding
  if (encoding !== 'UTF8')
    throw new Error(
      `DATABASE_URL: the database has the encoding ${encoding}: create one with ENCODING 'UTF8' TEMPLATE template0`,
    )
}

// Behind a pooler this counts its connections too, so a warning there says that others use them.
async function scarceConnections(query: Query, wanted: number): Promise<ScarceConnections | null> {
  const { rows } = await sql<{ most: number; others: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
      (select count(*) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()) as others
  `.execute(query)
  const { most = wanted, others = 0 } = rows[0] ?? {}
  return most - others < wanted ? { wanted, most, others } : null
}

async function readTime(query: Query): Promise<number> {
  const read = sql<{ ms: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  const { rows } = await read.execute(query)
  return rows[0]?.ms ?? Number.NaN
}

async function explained<T>(
  change: (transaction: Transaction<Tables>) => Promise<T>,
  transaction: Transaction<Tables>,
): Promise<T> {
  try {
    return await change(transaction)
  } catch (error) {
    throw (await sentFailure(transaction)) ?? error
  } finally {
    endTransaction(transaction)
  }
}

// SQLSTATE classes: connection, lost race with another transaction (a deadlock is one), resources, operator
// intervention, system error; 25006: a read-only standby.
const AWAY = /^(08|40|53|57|58)|^25006$/
const SOCKET_AWAY = /^E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)/
const CLIENT_AWAY = /terminated|timeout|not queryable|closed|Cannot use a pool/i

function isPostgresUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPostgresUnavailable)
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code !== '') return AWAY.test(code) || SOCKET_AWAY.test(code) || code === 'ENOENT'
  return CLIENT_AWAY.test(error.message)
}
