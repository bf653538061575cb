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
import { endOf, type RowSeals, type RowValues, type SealedWrite, writeOf } from './row-seals.ts'
import { coveredColumns, SEAL, type SealedTable } from './sealed-tables.ts'

/*
 * Statements that write rows of a table that decides, with their seals. A seal is of what this process wants to store,
 * never of what the database says it stored: so each value has to be in the statement.
 */

/** An insertion whose rows have their seals, and these rows. */
export type SealedInsertion = { node: InsertQueryNode; writes: readonly SealedWrite[] }

export function sealedInsertion(node: InsertQueryNode, table: SealedTable, seals: RowSeals): SealedInsertion {
  const { columns = [], values, onConflict } = node
  if (!values || !ValuesNode.is(values)) throw new Error(`rows of ${table} are inserted by their values`)
  const names = columns.map(({ column }) => column.name)
  const rows = values.values.map((item) => rowIn(names, item))
  const sealed = rows.map((row) => sealOf(table, row, seals))
  const items = values.values.map((item, at) => withSeal(item, Object.values(sealed[at] ?? {})))
  const conflict = onConflict?.updates && sealedConflict(onConflict, table, rows)
  const changed = {
    ...node,
    columns: [...columns, ...SEAL.map((column) => ColumnNode.create(column))],
    values: ValuesNode.create(items),
    ...(conflict && { onConflict: conflict }),
  }
  return { node: changed, writes: rows.map((row, at) => writeOf(table, { ...row, ...sealed[at] })) }
}

function sealOf(table: SealedTable, row: RowValues | undefined, seals: RowSeals, above?: number): RowValues {
  const { row_version, mac } = seals.of(table, row ?? {}, above) ?? {}
  return { row_version, mac }
}

type InsertedItem = ValuesNode['values'][number]

function rowIn(names: readonly string[], item: InsertedItem): RowValues {
  const values = PrimitiveValueListNode.is(item) ? item.values : item.values.map(literal)
  return Object.fromEntries(names.map((name, at) => [name, values[at]]))
}

function withSeal(item: InsertedItem, seal: readonly unknown[]): InsertedItem {
  return PrimitiveValueListNode.is(item)
    ? PrimitiveValueListNode.create([...item.values, ...seal])
    : ValueListNode.create([...item.values, ...seal.map((value) => ValueNode.create(value))])
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

// What the row that is there keeps is not known here, so it becomes the inserted one, with its seal.
function sealedConflict(
  conflict: OnConflictNode,
  table: SealedTable,
  rows: readonly RowValues[],
): OnConflictNode {
  const { updates = [], columns = [] } = conflict
  const covered = coveredColumns(table).columns
  const decisive = updates.filter(({ column }) => covered.includes(nameIn(column)))
  const set = new Map(decisive.map(({ column, value }) => [nameIn(column), literal(value)]))
  const given = new Set(columns.map(({ column }) => column.name))
  const isInserted = (column: string) =>
    set.has(column) && rows.every((row) => (row[column] ?? null) === set.get(column))
  const kept = covered.filter((column) => !given.has(column) && !isInserted(column))
  if (kept.length > 0) throw new Error(`a conflict in ${table} keeps ${kept.join(', ')}`)
  const seal = SEAL.map((column) =>
    ColumnUpdateNode.create(ColumnNode.create(column), referenceTo('excluded', column)),
  )
  return { ...conflict, updates: [...updates, ...seal] }
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
export type SealedChange = { table: SealedTable; node: UpdateQueryNode; set: readonly ColumnUpdateNode[] }

/** @returns null: it changes nothing that decides */
export function changeIn(node: UpdateQueryNode): SealedChange | null {
  const { table } = (node.table && placed(node.table)[0]) ?? {}
  if (table === undefined) return null
  const covered = new Set(coveredColumns(table).columns)
  const changed = (node.updates ?? []).filter(({ column }) => covered.has(nameIn(column)))
  if (changed.length === 0) return null
  if (node.from || node.joins) throw new Error(`a change of ${table} joins other tables`)
  return { table, node, set: changed }
}

/** Reads the rows that a change changes, and holds them where the database can. */
export function readingOf({ table, node }: SealedChange, holds: boolean): SelectQueryNode {
  const columns = [...coveredColumns(table).columns, ...SEAL]
  return {
    ...SelectQueryNode.createFrom(FromNode.create([TableNode.create(table)]).froms),
    selections: columns.map((column) => SelectionNode.create(referenceTo(table, column))),
    ...(node.where && { where: node.where }),
    ...(holds && { endModifiers: [SelectModifierNode.create('ForNoKeyUpdate')] }),
  }
}

/** The change of one of these rows, with its new seal. Under another key, the row that had the former one has ended. */
export function changeOf(
  { table, node, set }: SealedChange,
  row: RowValues,
  seals: RowSeals,
): { node: UpdateQueryNode; writes: readonly SealedWrite[] } {
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
  const seal = sealOf(table, { ...row, ...values }, seals, above)
  const changed = { ...node, ...(where && { where }), updates: [...(node.updates ?? []), ...setters(seal)] }
  const [write, end] = [writeOf(table, { ...row, ...values, ...seal }), endOf(table, row)]
  return { node: changed, writes: write.name === end.name ? [write] : [write, end] }
}

function referenceTo(table: string, column: string): ReferenceNode {
  return ReferenceNode.create(ColumnNode.create(column), TableNode.create(table))
}
