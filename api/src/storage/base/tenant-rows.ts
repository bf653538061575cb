import {
  type DeleteQueryBuilder,
  type DeleteResult,
  type SelectQueryBuilder,
  type SelectType,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely'
import type { Slice, WholePage } from '../../domain/base/listing.ts'
import type { Query } from './queries.ts'
import type { Tables } from './tables.ts'

/*
 * Queries of the rows of one tenant. A query of a table with a `tenant_id` begins here, so it cannot lack the tenant;
 * those that read across tenants (sweeps, maintenance, a token's owner) begin with the query layer itself.
 */

export type TenantTable = {
  [Table in keyof Tables]: 'tenant_id' extends keyof Tables[Table] ? Table : never
}[keyof Tables]

type Nothing = object

/** A tenant: all its rows. With columns: its rows that have these values. */
type Whose<Table extends TenantTable> = string | ({ tenantId: string } & Partial<ValuesOf<Tables[Table]>>)

type ValuesOf<Row> = { [Column in keyof Row]: NonNullable<SelectType<Row[Column]>> }

type AnyRows = string | { tenantId: string; [column: string]: unknown }

function belongs(table: TenantTable, whose: AnyRows) {
  const { tenantId, ...columns } = typeof whose === 'string' ? { tenantId: whose } : whose
  const wanted = Object.entries({ tenant_id: tenantId, ...columns })
  const conditions = wanted.map(([column, value]) => sql`${sql.ref(`${table}.${column}`)} = ${value}`)
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

export function selectOf<Table extends TenantTable>(
  query: Query,
  table: Table,
  whose: Whose<Table>,
): SelectQueryBuilder<Tables, Table, Nothing>
export function selectOf(query: Query, table: TenantTable, whose: AnyRows) {
  return query.selectFrom(table).where(belongs(table, whose))
}

export function updateOf<Table extends TenantTable>(
  query: Query,
  table: Table,
  whose: Whose<Table>,
): UpdateQueryBuilder<Tables, Table, Table, UpdateResult>
export function updateOf(query: Query, table: TenantTable, whose: AnyRows) {
  return query.updateTable(table).where(belongs(table, whose))
}

export function deleteOf<Table extends TenantTable>(
  query: Query,
  table: Table,
  whose: Whose<Table>,
): DeleteQueryBuilder<Tables, Table, DeleteResult>
export function deleteOf(query: Query, table: TenantTable, whose: AnyRows) {
  return query.deleteFrom(table).where(belongs(table, whose))
}

/** The attachments of a tenant, each with its key. */
export function keysAttached(query: Query, tenantId: string) {
  return selectOf(query, 'attachments', tenantId).innerJoin('keys', (join) =>
    join.onRef('keys.tenant_id', '=', 'attachments.tenant_id').onRef('keys.id', '=', 'attachments.key_id'),
  )
}

/** The ids of the bundles in a folder. */
export function bundlesIn(query: Query, tenantId: string, folder: string) {
  return selectOf(query, 'bundles', tenantId)
    .select('bundles.id')
    .where(sql<boolean>`lower(substr(bundles.name, 1, ${sql.lit(folder.length)})) = ${folder.toLowerCase()}`)
}

/** The names of one slice of a list. The list reads its other columns for these names only, because a database reads
 * everything that a select has for the rows before an offset too. */
export function namesIn<Schema, Table extends keyof Schema>(
  names: SelectQueryBuilder<Schema, Table, { name: string }>,
  { limit, offset, after }: Slice,
) {
  return names
    .$if(after !== null, (select) => select.where(sql`name`, '>', after))
    .orderBy(sql`name`)
    .limit(limit)
    .offset(offset)
}

/** How many rows a query finds. */
export async function countOf<Schema, Table extends keyof Schema>(
  rows: SelectQueryBuilder<Schema, Table, Nothing>,
): Promise<number> {
  const counted = rows.select(sql<number>`count(*)`.as('total')).$castTo<{ total: number }>()
  return (await counted.executeTakeFirstOrThrow()).total
}

/** Whether a query finds a row. */
export async function isFound<Schema, Table extends keyof Schema>(
  rows: SelectQueryBuilder<Schema, Table, Nothing>,
): Promise<boolean> {
  const [row] = await rows.select(sql`1`.as('found')).limit(1).execute()
  return row !== undefined
}

/** One page of a list, and how many entries the whole list has. */
export async function pageOf<Schema, Table extends keyof Schema, Row, Total>(
  ordered: SelectQueryBuilder<Schema, Table, Row>,
  { limit, offset }: WholePage,
  counted: Promise<Total>,
) {
  const [rows, total] = await Promise.all([ordered.limit(limit).offset(offset).execute(), counted])
  return { rows, total }
}
