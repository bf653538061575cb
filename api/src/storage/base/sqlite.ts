import { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from '@keyferry/plumbing/private-files'
import { timeLimit } from '@keyferry/plumbing/time-limits'
import { Kysely, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { MacLayer } from '../row-macs/mac-layer.ts'
import { guarded, translated } from './guarded-driver.ts'
import { type EachRow, insertionFailure, insertionOfEach, updateOfEach } from './many-rows.ts'
import type { Database } from './queries.ts'
import { cachedStatements, inputs, OrderedAdapter, SqliteTwoConnections } from './sqlite-driver.ts'
import type { Tables } from './tables.ts'

const BUSY_TIMEOUT_MS = 2_000

// Negative: SQLite then counts in KiB. With its default of 2 MiB, a read takes twice as long in a library of a million
// keys as in one of a thousand.
const CACHE_KIB = -32 * 1_024

export const SQLITE_TABLE_COLUMNS = `select stored.name as "table", field.name as "column"
  from sqlite_master as stored left join pragma_table_xinfo(stored.name) as field`

/** Open the SQLite file at a path, made when absent, mode 0600. */
export function openSqlite(path: string): Database {
  makePrivateFile(path)
  const file = new DatabaseSync(path, { timeout: timeLimit(BUSY_TIMEOUT_MS) })
  file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  // What is deleted or replaced is overwritten in the file.
  file.exec(`pragma secure_delete = on; pragma cache_size = ${CACHE_KIB}; pragma busy_timeout = 0`)
  const reader = new DatabaseSync(path, { readOnly: true, timeout: timeLimit(BUSY_TIMEOUT_MS) })
  reader.exec(`pragma cache_size = ${CACHE_KIB}`)
  const statement = cachedStatements(file)
  const driver = new SqliteTwoConnections({ writer: file, reader }, statement)
  const macLayer = new MacLayer(new SqliteQueryCompiler(), false)
  const query = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new OrderedAdapter(),
      createDriver: () => guarded(driver, { isUnavailable: isSqliteUnavailable, macLayer }),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => macLayer,
    },
  })
  // A transaction has the only connection that writes, so this runs in it.
  const runEach = ({ text, values }: EachRow) =>
    translated(async () => {
      for (const row of values) statement(text).statement.run(...inputs(row))
    }, isSqliteUnavailable)
  return {
    query,
    rowMacs: macLayer.rowMacs,
    written: (transaction) => macLayer.written(transaction),
    write: (change) => query.transaction().execute(change),
    // Outside of a transaction it would end the group that this turn's transactions are committed in.
    single: (work) => query.transaction().execute(work),
    async insertAll(transaction, table, rows) {
      if (rows.length === 0) return
      const withMacs = await macLayer.rowsFor(transaction, table, rows)
      await runEach(insertionOfEach(table, withMacs)).catch((error: unknown) => {
        throw insertionFailure(table, error)
      })
    },
    async updateAll(transaction, table, changed) {
      const rows = await macLayer.rowsFor(transaction, table, changed.rows)
      if (rows.length > 0) await runEach(updateOfEach(table, { ...changed, rows }))
    },
    limitLocks: async () => {},
    stored: (table) => sql`main.${sql.ref(table)}`,
    quotedAfter: (mark) => {
      const rest = sql`substr(body, instr(body, ${sql.lit(mark)}) + ${sql.lit(mark.length)})`
      return sql`substr(${rest}, 1, instr(${rest}, '"') - 1)`
    },
    appendBatch: 200,
    lockShared: sql``,
    lockKeyShare: sql``,
    lock: sql``,
    lockToChange: sql``,
    skipLocked: sql``,
    columns: {
      text: 'text',
      bytes: 'blob',
      count: 'integer',
      position: 'integer primary key',
      tableEnd: 'strict',
      shortLived: { create: 'create table', end: 'strict' },
    },
    tableColumns: sql.raw(SQLITE_TABLE_COLUMNS),
    // A transaction that begins immediate is alone in writing already.
    lockMigrations: async () => {},
    migrate: (work) => query.transaction().execute(work),
    scarceConnections: async () => null,
    readTime: null,
    usage: null,
    close: async () => {
      await query.destroy()
      reader.close()
      file.close()
    },
  }
}

// Primary result codes: busy, locked, read-only, I/O error, full disk, cannot open.
const SQLITE_AWAY = new Set([5, 6, 8, 10, 13, 14])

function isSqliteUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return 'errcode' in error && typeof error.errcode === 'number' && SQLITE_AWAY.has(error.errcode & 0xff)
}
