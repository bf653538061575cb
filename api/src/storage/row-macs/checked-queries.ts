import {
  AggregateFunctionNode,
  AliasNode,
  ColumnNode,
  DeleteQueryNode,
  IdentifierNode,
  type OperationNode,
  RawNode,
  ReferenceNode,
  ReturningNode,
  type RootOperationNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'
import { coveredColumns, MAC_COLUMNS, type MacTable, macTable } from './mac-tables.ts'
import { endOf, type MacWrite, type Places, type RowMacs, type RowValues } from './row-macs.ts'

/*
 * A query that returns rows of a table that decides also reads the columns that the MACs of these rows cover. Queries
 * that count or group are left as they are: what they return gives no right.
 */

/** A table of a query. `places` has the name of each column of a MAC in the result. */
type Checked = { table: MacTable; places: Places }

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

type TableInQuery = { table: MacTable; alias: string | null }

/** A table that decides, as a query names it. */
export function placed(node: OperationNode): TableInQuery[] {
  if (AliasNode.is(node) && IdentifierNode.is(node.alias)) {
    const alias = node.alias.name
    return placed(node.node).map(({ table }) => ({ table, alias }))
  }
  const name = TableNode.is(node) ? node.table.identifier.name : ''
  const table = macTable(name)
  return table === null ? [] : [{ table, alias: name }]
}

function checksOf(tables: readonly TableInQuery[]): { checks: Checked[]; selections: SelectionNode[] } {
  const selections: SelectionNode[] = []
  const checks = tables.map(({ table, alias }) => {
    const places = [...coveredColumns(table).columns, ...MAC_COLUMNS].map((column) => {
      const place = `${PLACES}${selections.length}`
      const of = alias === null ? undefined : TableNode.create(alias)
      const read = ReferenceNode.create(ColumnNode.create(column), of)
      selections.push(SelectionNode.create(AliasNode.create(read, IdentifierNode.create(place))))
      return [column, place] as const
    })
    return { table, places }
  })
  return { checks, selections }
}

// No column of a query begins like this. What follows is short, because each answer of the database has it.
const PLACES = '~'

function isAggregate(selection: OperationNode): boolean {
  if (AliasNode.is(selection)) return isAggregate(selection.node)
  if (AggregateFunctionNode.is(selection)) return true
  return RawNode.is(selection) && /^(count|sum|min|max)\(/.test(selection.sqlFragments[0] ?? '')
}

/** The rows as the query asked for them, empty ones where it asked for none, and those that it deleted.
 * @throws DomainError internal: no server wrote one of them */
export function checkedRows(
  rows: readonly RowValues[],
  { checks, deletes }: CheckedQuery,
  rowMacs: RowMacs,
): { rows: RowValues[]; gone: MacWrite[] } {
  const gone: MacWrite[] = []
  for (const row of rows)
    for (const { table, places } of checks) {
      if (!deletes && rowMacs.isKnown(table, row, places)) continue
      const covered = picked(row, places)
      // A left join found no row. A row of which only the key is null was written past the server.
      if (Object.values(covered).every((value) => value === null)) continue
      if (deletes !== 'unasked') rowMacs.require(table, covered)
      if (deletes) gone.push(endOf(table, covered))
    }
  const asked = Object.keys(rows[0] ?? {}).filter((column) => !column.startsWith(PLACES))
  const own = asked.map((column) => [column, column] as const)
  return { rows: rows.map((row) => picked(row, own)), gone }
}

function picked(row: RowValues, places: Places): RowValues {
  const values: Record<string, unknown> = {}
  for (const [column, place] of places) values[column] = row[place]
  return values
}
