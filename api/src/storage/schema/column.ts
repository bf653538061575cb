import type { Generated } from 'kysely'

/** 0 or 1: the form of a boolean that both databases store in the same way. */
export type Flag = 0 | 1

/** How the two databases differ in a `create table`. */
export type ColumnTypes = {
  text: string
  bytes: string
  count: string
  position: string
  tableEnd: string
  /** What begins and ends the creation of a table that may lose its rows when the database server crashes. */
  shortLived: { create: string; end: string }
}

type Storage = Exclude<keyof ColumnTypes, 'tableEnd' | 'shortLived'> | 'integer'

/** A column and the type of its values; `value` exists only for the compiler. */
export type Column<Value> = {
  storage: Storage
  isNullable: boolean
  allowed: readonly string[]
  readonly value?: Value
}

/** `rules` are constraints in SQL. An index is called `<table>_<name>`; its text is what follows the table's name. */
type TableDefinition = {
  columns: Record<string, Column<unknown>>
  rules: readonly string[]
  indexes?: Record<string, string>
  uniqueIndexes?: Record<string, string>
  /** Its rows are minutes old: a crash of the database server may lose them, and no standby or archive has them. */
  isShortLived?: true
}

export type Schema = Record<string, TableDefinition>

export type RowsOf<Definition extends Schema> = {
  [Name in keyof Definition]: {
    [Field in keyof Definition[Name]['columns']]: Definition[Name]['columns'][Field] extends Column<
      infer Value
    >
      ? Value
      : never
  }
}

const stored = (storage: Storage) => ({ storage, isNullable: false, allowed: [] })

export const text: Column<string> = stored('text')
export const bytes: Column<Uint8Array> = stored('bytes')
export const whole: Column<number> = stored('integer')
/** A whole number up to 2^53. */
export const count: Column<number> = stored('count')
export const zeroOrOne: Column<Flag> = stored('integer')
/** The primary key of its table, given by the database, in the order of insertion. */
export const position: Column<Generated<number>> = stored('position')

/** The MAC of a row that decides; null: it has none. */
export const rowMac = { row_version: orNull(count), mac: orNull(bytes) }

export function textOf<Value extends string>(): Column<Value> {
  return stored('text')
}

export function wholeOf<Value extends number>(): Column<Value> {
  return stored('integer')
}

/** A text that the database restricts to `allowed`. */
export function oneOf<const Value extends string>(...allowed: Value[]): Column<Value> {
  return { ...stored('text'), allowed }
}

export function orNull<Value>(column: Column<Value>): Column<Value | null> {
  return { ...column, isNullable: true }
}

/** The row is deleted with the row of `table` that its columns name: by the id, or by the tenant and the id. */
export function deletedWith(table: string, columns: string): string {
  const target = columns.includes(',') ? 'tenant_id, id' : 'id'
  return `foreign key (${columns}) references ${table} (${target}) on delete cascade`
}

/** The statements that make the tables, in their order, and their indexes. */
export function creationOf(schema: Schema, types: ColumnTypes): readonly string[] {
  return Object.entries(schema).flatMap(([table, { columns, rules, ...more }]) => {
    const { indexes = {}, uniqueIndexes = {}, isShortLived = false } = more
    const { create, end } = isShortLived ? types.shortLived : { create: 'create table', end: types.tableEnd }
    const fields = Object.entries(columns).map(([name, column]) => fieldOf(name, column, types))
    return [
      `${create} ${table} (${[...fields, ...rules].join(', ')}) ${end}`,
      ...Object.entries(indexes).map(([name, rows]) => `create index ${table}_${name} on ${table} ${rows}`),
      ...Object.entries(uniqueIndexes).map(
        ([name, rows]) => `create unique index ${table}_${name} on ${table} ${rows}`,
      ),
    ]
  })
}

function fieldOf(name: string, { storage, isNullable, allowed }: Column<unknown>, types: ColumnTypes) {
  const type = storage === 'integer' ? storage : types[storage]
  const values = allowed.map((value) => `'${value}'`).join(', ')
  const check = values === '' ? '' : ` check (${name} in (${values}))`
  return `${name} ${type}${isNullable ? '' : ' not null'}${check}`
}

/** Names a program in tables of the core. Stored columns keep their names. */
export const PROGRAM = 'machine_id'
