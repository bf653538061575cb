import type { Kysely } from 'kysely'
import type { BuildChange, BuildRead, PreparedChange, PreparedRead } from './prepared.ts'
import type { CountedTable, Tables } from './tables.ts'

export type Query = Kysely<Tables>

/** How the two databases differ to those who make tables. */
export type ColumnTypes = {
  text: string
  bytes: string
  tableEnd: string
  /** What has a table's rows counted for each tenant. */
  counting: (table: CountedTable) => readonly string[]
}

/** What stores read and write with. */
export type Queries = {
  query: Query
  /** A read of one row at most. */
  prepare: <Name extends string, Row>(build: BuildRead<Name, Row>) => PreparedRead<Name, Row>
  /** A read of any number of rows, all of one tenant. */
  prepareList: <Name extends string, Row>(
    build: BuildRead<Name | 'tenantId', Row>,
  ) => PreparedRead<Name | 'tenantId', Row>
  prepareChange: <Values extends Readonly<Record<string, unknown>>>(
    build: BuildChange<Values>,
  ) => PreparedChange<Values>
}

export type Database = Queries & {
  columns: ColumnTypes
  /** Holds every other migrator back until the transaction ends. */
  lockMigrations(transaction: Query): Promise<void>
  close(): Promise<void>
}
