import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import { GroupCommit } from '@keyferry/plumbing/group-commit'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
} from 'kysely'
import { turn } from '../../domain/base/turns.ts'

/*
 * SQLite lets one connection write, and others read what is committed. So a select outside of a transaction has its own
 * connection and never waits, however long a transaction takes. All else waits for the connection that writes, where
 * the transactions of one turn of the event loop are committed together. Inside a transaction, only the transaction
 * reads: the other connection does not see the changes before it that are not committed yet.
 */

const CACHED_STATEMENTS = 500

/** The queries are put in order here, so the query layer need not keep one back. */
export class OrderedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export class SqliteTwoConnections implements Driver {
  readonly #places: SqliteRuns

  constructor(files: { writer: DatabaseSync; reader: DatabaseSync }, statement: (text: string) => Statement) {
    this.#places = {
      read: running(cachedStatements(files.reader)),
      write: running(statement),
      commits: new GroupCommit(files.writer),
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#places)
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await this.#places.commits.begin()
    connection.isChanging = true
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    const durable = this.#places.commits.keep()
    connection.isChanging = false
    await durable
  }

  // Called after a failed commit too: then the change is gone.
  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    if (connection.isChanging) this.#places.commits.undo()
    connection.isChanging = false
  }

  // A query that comes later would change what another transaction is changing.
  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.isOver = true
  }

  async destroy(): Promise<void> {
    this.#places.commits.close()
  }
}

type Run = <Row>(query: CompiledQuery) => QueryResult<Row>

type SqliteRuns = { read: Run; write: Run; commits: GroupCommit }

class SqliteConnection implements DatabaseConnection {
  readonly #places: SqliteRuns
  /** In a transaction everything runs on the connection that writes. */
  isChanging = false
  isOver = false

  constructor(places: SqliteRuns) {
    this.#places = places
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { read, write, commits } = this.#places
    if (this.isOver) throw new Error('a query after the end of its transaction')
    if (this.isChanging) return write(query)
    if (!SelectQueryNode.is(query.query)) return commits.alone(() => write<Row>(query))
    if (leftMs <= 0) await turn()
    const began = performance.now()
    const result = read<Row>(query)
    spend(performance.now() - began)
    if (result.rows.length >= LONG_READ) await turn()
    return result
  }

  streamQuery(): never {
    throw new Error('rows are read in pages')
  }
}

// SQLite reads without a pause. After a long read, other calls run before its rows are used: otherwise several such
// calls would block all others together.
const LONG_READ = 500

// For all reads in one turn of the event loop: calls that arrive together begin in the same turn.
const MOST_MS = 50
let leftMs = MOST_MS

function spend(ms: number): void {
  if (leftMs === MOST_MS) setImmediate(() => (leftMs = MOST_MS))
  leftMs -= ms
}

export type Statement = { hasRows: boolean; statement: StatementSync }

/** Prepares each text once. */
export function cachedStatements(file: DatabaseSync): (text: string) => Statement {
  const cache = new BoundedMap<string, Statement>(CACHED_STATEMENTS)
  return (text) => {
    const known = cache.get(text)
    if (known) return known
    const statement = file.prepare(text)
    const made = { hasRows: statement.columns().length > 0, statement }
    cache.set(text, made)
    return made
  }
}

function running(prepare: (text: string) => Statement): Run {
  return ({ sql, parameters }) => {
    const { hasRows, statement } = prepare(sql)
    // The query's own type says what its rows contain.
    if (hasRows) return { rows: statement.all(...inputs(parameters)) as never[] }
    const { changes, lastInsertRowid } = statement.run(...inputs(parameters))
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
  }
}

// The query layer types its parameters as unknown; the tables allow only what SQLite takes.
export const inputs = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
