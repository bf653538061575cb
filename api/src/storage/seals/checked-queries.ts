import {
  AggregateFunctionNode,
  AliasNode,
  ColumnNode,
  DeleteQueryNode,
  IdentifierNode,
  type OperationNode,
  type QueryResult,
  RawNode,
  ReferenceNode,
  ReturningNode,
  type RootOperationNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'
import { endOf, type RowSeals, type RowValues, type SealedWrite } from './row-seals.ts'
import { coveredColumns, SEAL, type SealedTable, sealedTable } from './sealed-tables.ts'

/*
 * A query that returns rows of a table that decides also reads the columns that the seals of these rows cover. Queries
 * that count or group are left as they are: what they return gives no right.
 */

/** A table of a query. `places` has the name of each column of a seal in the result. */
type Checked = { table: SealedTable; places: readonly (readonly [column: string, place: string])[] }

/** A query that reads what is needed to check its rows. `deletes`: it tells which rows are gone. */
export type CheckedQuery = {
  node: RootOperationNode
  checks: readonly Checked[]
  deletes?: 'as_asked' | 'unasked'
}

export function checkedQuery(node: RootOperationNode): CheckedQuery | null {
  if (SelectQueryNode.is(node)) return ofSelect(node)
  if (UpdateQueryNode.is(node)) return node.returning ? ofChanged(node, node.table) : null
  if (!DeleteQueryNode.is(node)) return null
  const checked = ofChanged(node, node.from.froms[0])
  return checked && { ...checked, deletes: node.returning ? 'as_asked' : 'unasked' }
}

function ofSelect(node: SelectQueryNode): CheckedQuery | null {
  if (node.groupBy || node.distinctOn || node.setOperations || node.selections === undefined) return null
  if (node.frontModifiers?.some(({ modifier }) => modifier === 'Distinct')) return null
  if (node.selections.some(({ selection }) => isAggregate(selection))) return null
  const tables = [...(node.from?.froms ?? []), ...(node.joins ?? []).map((join) => join.table)]
  const { checks, selections } = checksOf(tables.flatMap(placed))
  if (checks.length === 0) return null
  return { checks, node: { ...node, selections: [...node.selections, ...selections] } }
}

function ofChanged(
  node: DeleteQueryNode | UpdateQueryNode,
  changed: OperationNode | undefined,
): CheckedQuery | null {
  if (!changed) return null
  const { checks, selections } = checksOf(placed(changed).map(({ table }) => ({ table, alias: null })))
  if (checks.length === 0) return null
  const asked = node.returning?.selections ?? []
  return { checks, node: { ...node, returning: ReturningNode.create([...asked, ...selections]) } }
}

type TableInQuery = { table: SealedTable; alias: string | null }

/** A table that decides, as a query names it. */
export function placed(node: OperationNode): TableInQuery[] {
  if (AliasNode.is(node) && IdentifierNode.is(node.alias)) {
    const alias = node.alias.name
    return placed(node.node).map(({ table }) => ({ table, alias }))
  }
  const name = TableNode.is(node) ? node.table.identifier.name : ''
  const table = sealedTable(name)
  return table === null ? [] : [{ table, alias: name }]
}

function checksOf(tables: readonly TableInQuery[]): { checks: Checked[]; selections: SelectionNode[] } {
  const selections: SelectionNode[] = []
  const checks = tables.map(({ table, alias }, index) => {
    const places = [...coveredColumns(table).columns, ...SEAL].map((column) => {
      const place = `${PLACES}${index}.${column}`
      const of = alias === null ? undefined : TableNode.create(alias)
      const read = ReferenceNode.create(ColumnNode.create(column), of)
      selections.push(SelectionNode.create(AliasNode.create(read, IdentifierNode.create(place))))
      return [column, place] as const
    })
    return { table, places }
  })
  return { checks, selections }
}

// No column of a query begins like this.
const PLACES = '~'

function isAggregate(selection: OperationNode): boolean {
  if (AliasNode.is(selection)) return isAggregate(selection.node)
  if (AggregateFunctionNode.is(selection)) return true
  return RawNode.is(selection) && /^(count|sum|min|max)\(/.test(selection.sqlFragments[0] ?? '')
}

/** The rows as the query asked for them, and those that it deleted.
 * @throws DomainError internal: no server wrote one of them */
export function checkedResult<Row>(
  result: QueryResult<Row>,
  { checks, deletes }: CheckedQuery,
  seals: RowSeals,
): { result: QueryResult<Row>; gone: SealedWrite[] } {
  const { rows } = result
  const sealed = rows.flatMap((row) =>
    checks.map((check) => ({ table: check.table, row: rowAt(check, row) })),
  )
  if (deletes !== 'unasked') for (const { table, row } of sealed) if (row !== null) seals.require(table, row)
  const gone = deletes ? sealed.flatMap(({ table, row }) => (row ? [endOf(table, row)] : [])) : []
  if (deletes === 'unasked')
    return { gone, result: { ...result, rows: [], numAffectedRows: BigInt(rows.length) } }
  const asked = Object.keys(rows[0] ?? {}).filter((column) => !column.startsWith(PLACES))
  const own = rows.map((row) => Object.fromEntries(asked.map((column) => [column, valueAt(row, column)])))
  // The query's own type says what its rows hold.
  return { gone, result: { ...result, rows: own as never[] } }
}

// Null: a left join found no row. A row of which only the key is null was written past the server.
function rowAt({ places }: Checked, row: unknown): RowValues | null {
  const values: Record<string, unknown> = {}
  for (const [column, place] of places) values[column] = valueAt(row, place)
  return Object.values(values).every((value) => value === null) ? null : values
}

function valueAt(row: unknown, column: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, column) : undefined
}
