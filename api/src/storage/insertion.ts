import { CompiledQuery, type Insertable } from 'kysely'
import type { Tables } from './tables.ts'

/** Rows for one table, all with the same columns. */
export type Rows<Table extends keyof Tables> = readonly Insertable<Tables[Table]>[]

type Row = Readonly<Record<string, unknown>>

/** Insert rows with one statement of PostgreSQL. Beyond one row, its text does not depend on their number, so that it is
 * planned once. */
export function insertionOfAll<Table extends keyof Tables>(table: Table, rows: Rows<Table>): CompiledQuery {
  const { into, columns } = target(table, rows)
  const [only] = rows
  if (rows.length === 1 && only) {
    const places = columns.map((_, index) => `$${index + 1}`)
    return CompiledQuery.raw(`${into} values (${places.join(', ')})`, valuesOf(only, columns))
  }
  const lists = columns.map((column) => rows.map((row: Row) => row[column] ?? null))
  const arrays = lists.map((list, index) => `$${index + 1}::${typeOf(list)}[]`)
  return CompiledQuery.raw(`${into} select * from unnest(${arrays.join(', ')})`, lists)
}

/** Insert one row with SQLite. `text` serves all rows; `values` are those of each. */
export function insertionOfEach<Table extends keyof Tables>(table: Table, rows: Rows<Table>) {
  const { into, columns } = target(table, rows)
  const text = `${into} values (${columns.map(() => '?').join(', ')})`
  return { text, values: rows.map((row) => valuesOf(row, columns)) }
}

// A column that no row has a value in stays null; PostgreSQL would not know its type.
function target(table: string, rows: readonly Row[]): { into: string; columns: readonly string[] } {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => row[column] !== null))
  return { into: `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')})`, columns }
}

function valuesOf(row: Row, columns: readonly string[]): unknown[] {
  return columns.map((column) => row[column])
}

function typeOf(list: readonly unknown[]): 'text' | 'integer' | 'bytea' {
  const value = list.find((each) => each !== null)
  if (typeof value === 'string') return 'text'
  return typeof value === 'number' ? 'integer' : 'bytea'
}
