import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
} from 'kysely'
import { BoundedMap } from './bounded-map.ts'

/*
 * SQLite lets one connection write, and others read what is committed. So a select outside of a transaction has its own
 * connection and never waits, however long a transaction takes. All else waits for the connection that writes.
 */

const CACHED_STATEMENTS = 500

/** The queries are put in order here, so the query layer need not hold one back. */
export class OrderedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export class SqliteTwoConnections implements Driver {
  readonly #writer: DatabaseSync
  readonly #write: Run
  readonly #read: Run
  readonly #turns = new Turns()

  constructor(files: { writer: DatabaseSync; reader: DatabaseSync }, statement: (text: string) => Statement) {
    this.#writer = files.writer
    this.#write = running(statement)
    this.#read = running(cachedStatements(files.reader))
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection({ read: this.#read, write: this.#write, turns: this.#turns })
  }

  // Begun immediate, a transaction waits for the lock of the file at its start; begun deferred, it fails when a read
  // turns into a write.
  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.keepTurn()
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  // A full or failing disk has SQLite roll back by itself; a second rollback would fail and hide the first failure.
  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    if (this.#writer.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.endTurn()
  }

  async destroy(): Promise<void> {}
}

type Run = <Row>(query: CompiledQuery) => QueryResult<Row>

type Places = { read: Run; write: Run; turns: Turns }

class SqliteConnection implements DatabaseConnection {
  readonly #places: Places
  #endTurn: (() => void) | null = null

  constructor(places: Places) {
    this.#places = places
  }

  /** From now on, everything runs on the connection that writes, until `endTurn`. */
  async keepTurn(): Promise<void> {
    this.#endTurn = await this.#places.turns.take()
  }

  endTurn(): void {
    this.#endTurn?.()
    this.#endTurn = null
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { read, write, turns } = this.#places
    if (this.#endTurn !== null) return write(query)
    if (SelectQueryNode.is(query.query)) return read(query)
    const end = await turns.take()
    try {
      return write(query)
    } finally {
      end()
    }
  }

  streamQuery(): never {
    throw new Error('rows are read in pages')
  }
}

/** One at a time, in the order of the calls. */
class Turns {
  #last: Promise<void> = Promise.resolve()

  /** @returns ends the turn */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
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
    // The query's own type says what its rows hold.
    if (hasRows) return { rows: statement.all(...inputs(parameters)) as never[] }
    const { changes, lastInsertRowid } = statement.run(...inputs(parameters))
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
  }
}

// The query layer types its parameters as unknown; the tables allow only what SQLite takes.
export const inputs = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
