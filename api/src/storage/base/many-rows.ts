import { CompiledQuery, type Insertable, type Updateable } from 'kysely'
import { DomainError, unavailable } from '../../domain/base/errors.ts'
import type { Tables } from './tables.ts'

/*
 * Statements that write many rows. PostgreSQL gets one statement over arrays, whose text does not depend on the number
 * of rows, so that it is planned once; SQLite gets one that is prepared once and run for each row.
 */

/** Rows for one table, all with the same columns. */
export type Rows<Table extends keyof Tables> = readonly Insertable<Tables[Table]>[]

/** Changed rows of one table, all with the same columns. `by` names the columns that find a row. */
export type ChangedRows<Table extends keyof Tables> = {
  by: readonly (keyof Tables[Table] & string)[]
  rows: readonly Updateable<Tables[Table]>[]
}

/** A statement of SQLite, and its values for each row. */
export type EachRow = { text: string; values: readonly unknown[][] }

type ColumnValues = Readonly<Record<string, unknown>>

export function insertionOfAll<Table extends keyof Tables>(table: Table, rows: Rows<Table>): CompiledQuery {
  const columns = filledColumns(rows)
  const into = `insert into ${quoted(table)} (${columns.map(quoted).join(', ')})`
  const [only] = rows
  if (rows.length === 1 && only) {
    const places = columns.map((_, index) => `$${index + 1}`)
    return CompiledQuery.raw(`${into} values (${places.join(', ')})`, valuesOf(only, columns))
  }
  const { lists, arrays } = arraysOf(rows, columns)
  return CompiledQuery.raw(`${into} select * from unnest(${arrays})`, lists)
}

export function insertionOfEach<Table extends keyof Tables>(table: Table, rows: Rows<Table>): EachRow {
  const columns = filledColumns(rows)
  const places = columns.map(() => '?').join(', ')
  const text = `insert into ${quoted(table)} (${columns.map(quoted).join(', ')}) values (${places})`
  return { text, values: rows.map((row) => valuesOf(row, columns)) }
}

export function updateOfAll<Table extends keyof Tables>(
  table: Table,
  { by, rows }: ChangedRows<Table>,
): CompiledQuery {
  const filled = filledColumns(rows)
  const changes = changedColumns(rows, by).map(
    (column) => `${quoted(column)} = ${filled.includes(column) ? `changed.${quoted(column)}` : 'null'}`,
  )
  const { lists, arrays } = arraysOf(rows, filled)
  const found = by.map((column) => `${quoted(table)}.${quoted(column)} = changed.${quoted(column)}`)
  const from = `unnest(${arrays}) as changed (${filled.map(quoted).join(', ')})`
  return CompiledQuery.raw(
    `update ${quoted(table)} set ${changes.join(', ')} from ${from} where ${found.join(' and ')}`,
    lists,
  )
}

export function updateOfEach<Table extends keyof Tables>(
  table: Table,
  { by, rows }: ChangedRows<Table>,
): EachRow {
  const columns = changedColumns(rows, by)
  const is = (column: string) => `${quoted(column)} = ?`
  const text = `update ${quoted(table)} set ${columns.map(is).join(', ')} where ${by.map(is).join(' and ')}`
  return { text, values: rows.map((row) => valuesOf(row, [...columns, ...by])) }
}

// A column that no row has a value in is left out: PostgreSQL would not know the type of its array.
function filledColumns(rows: readonly ColumnValues[]): string[] {
  return Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => row[column] !== null))
}

function changedColumns(rows: readonly ColumnValues[], by: readonly string[]): string[] {
  return Object.keys(rows[0] ?? {}).filter((column) => !by.includes(column))
}

function arraysOf(rows: readonly ColumnValues[], columns: readonly string[]) {
  const lists = columns.map((column) => rows.map((row) => row[column] ?? null))
  return { lists, arrays: lists.map((list, index) => `$${index + 1}::${typeOf(list)}[]`).join(', ') }
}

function valuesOf(row: ColumnValues, columns: readonly string[]): unknown[] {
  return columns.map((column) => row[column])
}

function typeOf(list: readonly unknown[]): 'text' | 'bigint' | 'bytea' {
  const value = list.find((each) => each !== null)
  if (typeof value === 'string') return 'text'
  return typeof value === 'number' ? 'bigint' : 'bytea'
}

function quoted(name: string): string {
  return `"${name}"`
}

/** The error for an insertion that failed. Without its events a change must not happen; the caller may try again. */
export function insertionFailure(table: keyof Tables, error: unknown): unknown {
  return table === 'events' && !(error instanceof DomainError) ? unavailable('audit log', error) : error
}
