import {
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  type DialectAdapter,
  InsertQueryNode,
  type Kysely,
  type QueryCompiler,
  type QueryId,
  type QueryResult,
  type RootOperationNode,
  UpdateQueryNode,
} from 'kysely'
import { type CheckedQuery, checkedQuery, checkedRows } from './checked-queries.ts'
import { RowSeals, type RowValues, type SealedWrite, writeOf } from './row-seals.ts'
import { sealedTable } from './sealed-tables.ts'
import {
  changeIn,
  changeOf,
  readingOf,
  type SealedChange,
  type SealedInsertion,
  sealedInsertion,
} from './sealed-writes.ts'

/** A query's result, and the versions of rows that it wrote. */
type Ran<Row> = { result: QueryResult<Row>; writes: readonly SealedWrite[] }

type Execute = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>

/** Stands between the stores and the database: rows of the tables that decide get a seal when a store writes them, and
 * are checked in each query that returns them. */
export class Sealing implements QueryCompiler {
  readonly seals = new RowSeals()
  readonly #compiler: QueryCompiler
  readonly #holds: boolean
  // By the node that is compiled, so that prepared statements have them too.
  readonly #checked = new WeakMap<RootOperationNode, CheckedQuery>()
  readonly #changes = new WeakMap<RootOperationNode, SealedChange>()
  readonly #insertions = new WeakMap<RootOperationNode, SealedInsertion>()
  readonly #written = new WeakMap<DatabaseConnection, SealedWrite[]>()

  /** @param holds whether rows can be held by a select */
  constructor(compiler: QueryCompiler, holds: boolean) {
    this.#compiler = compiler
    this.#holds = holds
  }

  /** The query keeps its own node, by which the query layer tells what it returns. */
  compileQuery<Row>(query: RootOperationNode, id: QueryId): CompiledQuery<Row> {
    const compiled = this.#compiler.compileQuery(this.#sealed(query), id)
    return { ...compiled, query }
  }

  #sealed(node: RootOperationNode): RootOperationNode {
    if (InsertQueryNode.is(node)) {
      const table = sealedTable(node.into?.table.identifier.name ?? '')
      return table === null || this.seals.key === null
        ? node
        : kept(this.#insertions, node, sealedInsertion(node, table, this.seals))
    }
    const change = UpdateQueryNode.is(node) ? changeIn(node) : null
    if (change) return kept(this.#changes, node, change)
    const checked = checkedQuery(node)
    return checked ? kept(this.#checked, node, checked) : node
  }

  /** Let `areSealsRequired` find the seals. */
  known<Adapter extends DialectAdapter>(adapter: Adapter): Adapter {
    sealsBy.set(adapter, this.seals)
    return adapter
  }

  /** Check what a connection returns, and note what it writes. */
  guard(connection: DatabaseConnection): void {
    const execute: Execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <Row>(query: CompiledQuery) => {
      const { result, writes } = await this.#run<Row>(execute, query)
      if (writes.length > 0) this.#note(connection, writes)
      return result
    }
  }

  /** Rows of any table, with seals where they decide, for statements that are not built by the query layer. */
  async rowsFor<Row extends object>(transaction: Transaction, table: string, rows: readonly Row[]) {
    const name = sealedTable(table)
    if (name === null || this.seals.key === null) return rows
    const sealed = this.seals.sealed(name, rows)
    const writes = sealed.map((row) => writeOf(name, Object.fromEntries(Object.entries(row))))
    await onConnection(transaction, (connection) => this.#note(connection, writes))
    return sealed
  }

  /** What a transaction wrote since the last call. */
  written(transaction: Transaction): Promise<SealedWrite[]> {
    return onConnection(transaction, (connection) => {
      const writes = this.#written.get(connection) ?? []
      this.#written.delete(connection)
      return writes
    })
  }

  #note(connection: DatabaseConnection, writes: readonly SealedWrite[]): void {
    const all = this.#written.get(connection) ?? []
    for (const write of writes) all.push(write)
    this.#written.set(connection, all)
  }

  async #run<Row>(execute: Execute, query: CompiledQuery): Promise<Ran<Row>> {
    const change = this.#changes.get(query.query)
    if (change && this.seals.key !== null) return this.#change<Row>(execute, change)
    const checked = this.#checked.get(query.query)
    if (checked) return this.#check<Row>(execute, query, checked)
    const result = await execute<Row>(query)
    const insertion = this.#insertions.get(query.query)
    return { result, writes: insertion && affected(result) > 0 ? insertion.writes : [] }
  }

  async #check<Row>(execute: Execute, query: CompiledQuery, checked: CheckedQuery): Promise<Ran<Row>> {
    const result = await execute<RowValues>(query)
    const { rows, gone } = checkedRows(result.rows, checked, this.seals)
    const deleted = checked.deletes === 'unasked' ? { numAffectedRows: BigInt(result.rows.length) } : {}
    // The query's own type says what its rows hold.
    const own = { ...result, ...deleted, rows: rows as never[] }
    return { result: own, writes: this.seals.key === null ? [] : gone }
  }

  // One statement for each row, because each has a seal of its own.
  async #change<Row>(execute: Execute, change: SealedChange): Promise<Ran<Row>> {
    const { rows } = await execute<RowValues>(this.#compiled(readingOf(change, this.#holds)))
    const made: QueryResult<Row>[] = []
    const writes: SealedWrite[] = []
    for (const row of rows) {
      this.seals.require(change.table, row)
      const { node, writes: own } = changeOf(change, row, this.seals)
      const result = await execute<Row>(this.#compiled(node))
      made.push(result)
      if (affected(result) > 0) writes.push(...own)
    }
    const numAffectedRows = made.reduce((sum, { numAffectedRows: some = 0n }) => sum + some, 0n)
    return { writes, result: { numAffectedRows, rows: made.flatMap((each) => each.rows) } }
  }

  #compiled(node: RootOperationNode): CompiledQuery {
    return this.#compiler.compileQuery(node, createQueryId())
  }
}

// All query layers of a database have its adapter, transactions too.
const sealsBy = new WeakMap<DialectAdapter, RowSeals>()

/** Whether a row without its seal is refused. */
export function areSealsRequired(query: Transaction): boolean {
  return sealsBy.get(query.getExecutor().adapter)?.areRequired === true
}

function kept<Sealed extends { node: RootOperationNode }>(
  all: WeakMap<RootOperationNode, Sealed>,
  node: RootOperationNode,
  sealed: Sealed,
): RootOperationNode {
  all.set(node, sealed)
  return sealed.node
}

function affected({ numAffectedRows, rows }: QueryResult<unknown>): number {
  return Math.max(Number(numAffectedRows ?? 0n), rows.length)
}

type Transaction = Pick<Kysely<unknown>, 'getExecutor'>

function onConnection<T>(query: Transaction, work: (connection: DatabaseConnection) => T): Promise<T> {
  return query.getExecutor().provideConnection(async (connection) => work(connection))
}
