import {
  BinaryOperationNode,
  ColumnNode,
  ColumnUpdateNode,
  DefaultInsertValueNode,
  FromNode,
  type InsertQueryNode,
  type OnConflictNode,
  type OperationNode,
  OperatorNode,
  ParensNode,
  PrimitiveValueListNode,
  ReferenceNode,
  SelectionNode,
  SelectModifierNode,
  SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
  WhereNode,
} from 'kysely'
import { placed } from './checked-queries.ts'
import { coveredColumns, MAC_COLUMNS, type MacTable } from './mac-tables.ts'
import { endOf, type MacWrite, type RowMacs, type RowValues, writeOf } from './row-macs.ts'

/*
 * Statements that write rows of a table that decides, with their MACs. A MAC is of what this process wants to store,
 * never of what the database says it stored: so each value has to be in the statement.
 */

/** An insertion whose rows have their MACs, and these rows. */
export type MacInsertion = { node: InsertQueryNode; writes: readonly MacWrite[] }

export function macInsertion(node: InsertQueryNode, table: MacTable, rowMacs: RowMacs): MacInsertion {
  const { columns = [], values, onConflict } = node
  if (!values || !ValuesNode.is(values)) throw new Error(`rows of ${table} are inserted by their values`)
  const names = columns.map(({ column }) => column.name)
  const rows = values.values.map((item) => rowIn(names, item))
  const withMacs = rows.map((row) => macOf(table, row, rowMacs))
  const items = values.values.map((item, at) => withMac(item, Object.values(withMacs[at] ?? {})))
  const conflict = onConflict?.updates && macConflict(onConflict, table, rows)
  const changed = {
    ...node,
    columns: [...columns, ...MAC_COLUMNS.map((column) => ColumnNode.create(column))],
    values: ValuesNode.create(items),
    ...(conflict && { onConflict: conflict }),
  }
  return { node: changed, writes: rows.map((row, at) => writeOf(table, { ...row, ...withMacs[at] })) }
}

function macOf(table: MacTable, row: RowValues | undefined, rowMacs: RowMacs, above?: number): RowValues {
  const { row_version, mac } = rowMacs.of(table, row ?? {}, above) ?? {}
  return { row_version, mac }
}

type InsertedItem = ValuesNode['values'][number]

function rowIn(names: readonly string[], item: InsertedItem): RowValues {
  const values = PrimitiveValueListNode.is(item) ? item.values : item.values.map(literal)
  return Object.fromEntries(names.map((name, at) => [name, values[at]]))
}

function withMac(item: InsertedItem, macColumns: readonly unknown[]): InsertedItem {
  return PrimitiveValueListNode.is(item)
    ? PrimitiveValueListNode.create([...item.values, ...macColumns])
    : ValueListNode.create([...item.values, ...macColumns.map((value) => ValueNode.create(value))])
}

function literal(node: OperationNode): unknown {
  if (ValueNode.is(node)) return node.value
  if (DefaultInsertValueNode.is(node)) return null
  throw new Error('a column that decides is set to an expression')
}

/** What a change sets a column to, in a row that it changes. */
function valueIn(row: RowValues, node: OperationNode): unknown {
  return ReferenceNode.is(node) && nameIn(node) in row ? row[nameIn(node)] : literal(node)
}

// What the row that is there keeps is not known here, so it becomes the inserted one, with its MAC.
function macConflict(conflict: OnConflictNode, table: MacTable, rows: readonly RowValues[]): OnConflictNode {
  const { updates = [], columns = [] } = conflict
  const covered = coveredColumns(table).columns
  const decisive = updates.filter(({ column }) => covered.includes(nameIn(column)))
  const set = new Map(decisive.map(({ column, value }) => [nameIn(column), literal(value)]))
  const given = new Set(columns.map(({ column }) => column.name))
  const isInserted = (column: string) =>
    set.has(column) && rows.every((row) => (row[column] ?? null) === set.get(column))
  const kept = covered.filter((column) => !given.has(column) && !isInserted(column))
  if (kept.length > 0) throw new Error(`a conflict in ${table} keeps ${kept.join(', ')}`)
  const macColumns = MAC_COLUMNS.map((column) =>
    ColumnUpdateNode.create(ColumnNode.create(column), referenceTo('excluded', column)),
  )
  return { ...conflict, updates: [...updates, ...macColumns] }
}

function nameIn(node: OperationNode): string {
  if (ColumnNode.is(node)) return node.column.name
  if (ReferenceNode.is(node) && ColumnNode.is(node.column)) return node.column.column.name
  throw new Error('a change names no column')
}

function setters(values: RowValues): ColumnUpdateNode[] {
  return Object.entries(values).map(([name, value]) =>
    ColumnUpdateNode.create(ColumnNode.create(name), ValueNode.create(value)),
  )
}

/** A change of what rows decide by. */
export type MacChange = { table: MacTable; node: UpdateQueryNode; set: readonly ColumnUpdateNode[] }

/** @returns null: it changes nothing that decides */
export function changeIn(node: UpdateQueryNode): MacChange | null {
  const { table } = (node.table && placed(node.table)[0]) ?? {}
  if (table === undefined) return null
  const covered = new Set(coveredColumns(table).columns)
  const changed = (node.updates ?? []).filter(({ column }) => covered.has(nameIn(column)))
  if (changed.length === 0) return null
  if (node.from || node.joins) throw new Error(`a change of ${table} joins other tables`)
  return { table, node, set: changed }
}

/** Reads the rows that a change changes, and locks them where the database can. */
export function readingOf({ table, node }: MacChange, locks: boolean): SelectQueryNode {
  const columns = [...coveredColumns(table).columns, ...MAC_COLUMNS]
  return {
    ...SelectQueryNode.createFrom(FromNode.create([TableNode.create(table)]).froms),
    selections: columns.map((column) => SelectionNode.create(referenceTo(table, column))),
    ...(node.where && { where: node.where }),
    ...(locks && { endModifiers: [SelectModifierNode.create('ForNoKeyUpdate')] }),
  }
}

/** The change of one of these rows, with its new MAC. Under another key, the row that had the former one has ended. */
export function changeOf(
  { table, node, set }: MacChange,
  row: RowValues,
  rowMacs: RowMacs,
): { node: UpdateQueryNode; writes: readonly MacWrite[] } {
  const above = Number(row['row_version'])
  const conditions = coveredColumns(table).key.map((column) => {
    const wanted = ValueNode.create(row[column])
    return BinaryOperationNode.create(referenceTo(table, column), OperatorNode.create('='), wanted)
  })
  const first = node.where && WhereNode.create(ParensNode.create(node.where.where))
  const where = conditions.reduce<WhereNode | undefined>(
    (all, each) => (all ? WhereNode.cloneWithOperation(all, 'And', each) : WhereNode.create(each)),
    first,
  )
  const values = Object.fromEntries(set.map(({ column, value }) => [nameIn(column), valueIn(row, value)]))
  const macColumns = macOf(table, { ...row, ...values }, rowMacs, above)
  const changed = {
    ...node,
    ...(where && { where }),
    updates: [...(node.updates ?? []), ...setters(macColumns)],
  }
  const [write, end] = [writeOf(table, { ...row, ...values, ...macColumns }), endOf(table, row)]
  return { node: changed, writes: write.name === end.name ? [write] : [write, end] }
}

function referenceTo(table: string, column: string): ReferenceNode {
  return ReferenceNode.create(ColumnNode.create(column), TableNode.create(table))
}
