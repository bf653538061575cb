import {
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  InsertQueryNode,
  type Kysely,
  type QueryCompiler,
  type QueryId,
  type QueryResult,
  type RootOperationNode,
  UpdateQueryNode,
} from 'kysely'
import { type CheckedQuery, checkedQuery, checkedRows } from './checked-queries.ts'
import { macTable } from './mac-tables.ts'
import {
  changeIn,
  changeOf,
  type MacChange,
  type MacInsertion,
  macInsertion,
  readingOf,
} from './mac-writes.ts'
import { type MacWrite, RowMacs, type RowValues, writeOf } from './row-macs.ts'

/** A query's result, and the versions of rows that it wrote. */
type Ran<Row> = { result: QueryResult<Row>; writes: readonly MacWrite[] }

type Execute = <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>

/** Stands between the stores and the database: rows of the tables that decide get a MAC when a store writes them, and
 * are checked in each query that returns them. */
export class MacLayer implements QueryCompiler {
  readonly rowMacs = new RowMacs()
  readonly #compiler: QueryCompiler
  readonly #locks: boolean
  // By the node that is compiled, so that prepared statements have them too.
  readonly #checked = new WeakMap<RootOperationNode, CheckedQuery>()
  readonly #changes = new WeakMap<RootOperationNode, MacChange>()
  readonly #insertions = new WeakMap<RootOperationNode, MacInsertion>()
  readonly #written = new WeakMap<DatabaseConnection, MacWrite[]>()

  /** @param locks whether rows can be locked by a select */
  constructor(compiler: QueryCompiler, locks: boolean) {
    this.#compiler = compiler
    this.#locks = locks
  }

  /** The query keeps its own node, by which the query layer tells what it returns. */
  compileQuery<Row>(query: RootOperationNode, id: QueryId): CompiledQuery<Row> {
    const compiled = this.#compiler.compileQuery(this.#prepared(query), id)
    return { ...compiled, query }
  }

  #prepared(node: RootOperationNode): RootOperationNode {
    if (InsertQueryNode.is(node)) {
      const table = macTable(node.into?.table.identifier.name ?? '')
      return table === null || this.rowMacs.key === null
        ? node
        : kept(this.#insertions, node, macInsertion(node, table, this.rowMacs))
    }
    const change = UpdateQueryNode.is(node) ? changeIn(node) : null
    if (change) return kept(this.#changes, node, change)
    const checked = checkedQuery(node)
    return checked ? kept(this.#checked, node, checked) : node
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

  /** Rows of any table, with MACs where they decide, for statements that are not built by the query layer. */
  async rowsFor<Row extends object>(transaction: Transaction, table: string, rows: readonly Row[]) {
    const name = macTable(table)
    if (name === null || this.rowMacs.key === null) return rows
    const withMacs = this.rowMacs.withMacs(name, rows)
    const writes = withMacs.map((row) => writeOf(name, Object.fromEntries(Object.entries(row))))
    await onConnection(transaction, (connection) => this.#note(connection, writes))
    return withMacs
  }

  /** What a transaction wrote since the last call. */
  written(transaction: Transaction): Promise<MacWrite[]> {
    return onConnection(transaction, (connection) => {
      const writes = this.#written.get(connection) ?? []
      this.#written.delete(connection)
      return writes
    })
  }

  #note(connection: DatabaseConnection, writes: readonly MacWrite[]): void {
    const all = this.#written.get(connection) ?? []
    for (const write of writes) all.push(write)
    this.#written.set(connection, all)
  }

  async #run<Row>(execute: Execute, query: CompiledQuery): Promise<Ran<Row>> {
    const change = this.#changes.get(query.query)
    if (change && this.rowMacs.key !== null) return this.#change<Row>(execute, change)
    const checked = this.#checked.get(query.query)
    if (checked) return this.#check<Row>(execute, query, checked)
    const result = await execute<Row>(query)
    const insertion = this.#insertions.get(query.query)
    return { result, writes: insertion && affected(result) > 0 ? insertion.writes : [] }
  }

  async #check<Row>(execute: Execute, query: CompiledQuery, checked: CheckedQuery): Promise<Ran<Row>> {
    const result = await execute<RowValues>(query)
    const { rows, gone } = checkedRows(result.rows, checked, this.rowMacs)
    const deleted = checked.deletes === 'unasked' ? { numAffectedRows: BigInt(result.rows.length) } : {}
    // The query's own type says what its rows contain.
    const own = { ...result, ...deleted, rows: rows as never[] }
    return { result: own, writes: this.rowMacs.key === null ? [] : gone }
  }

  // One statement for each row, because each has a MAC of its own.
  async #change<Row>(execute: Execute, change: MacChange): Promise<Ran<Row>> {
    const { rows } = await execute<RowValues>(this.#compiled(readingOf(change, this.#locks)))
    const made: QueryResult<Row>[] = []
    const writes: MacWrite[] = []
    for (const row of rows) {
      this.rowMacs.require(change.table, row)
      const { node, writes: own } = changeOf(change, row, this.rowMacs)
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

function kept<Prepared extends { node: RootOperationNode }>(
  all: WeakMap<RootOperationNode, Prepared>,
  node: RootOperationNode,
  prepared: Prepared,
): RootOperationNode {
  all.set(node, prepared)
  return prepared.node
}

function affected({ numAffectedRows, rows }: QueryResult<unknown>): number {
  return Math.max(Number(numAffectedRows ?? 0n), rows.length)
}

type Transaction = Pick<Kysely<unknown>, 'getExecutor'>

function onConnection<T>(query: Transaction, work: (connection: DatabaseConnection) => T): Promise<T> {
  return query.getExecutor().provideConnection(async (connection) => work(connection))
}
