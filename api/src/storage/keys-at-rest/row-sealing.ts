import { type RawBuilder, sql } from 'kysely'
import { send } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { missingRules } from '../rules/noted-rules.ts'
import { type RowSeals, type RowValues, type SealedWrite, writeOf } from '../seals/row-seals.ts'
import { coveredColumns, SEAL, SEALED_NAMES, type SealedTable } from '../seals/sealed-tables.ts'

const ROWS_AT_ONCE = 1_000

/** A row that no server wrote or that another program changed, an old one that was put back, or one that is missing
 * although rules need it. `tenantId` null: its
 * table is of the whole server. */
export type ForeignRow = Omit<SealedWrite, 'version'> & { problem: 'foreign' | 'old' | 'missing' }

/** The newest version of a row that the audit logs know, by its table and name. */
export type KnownVersions = ReadonlyMap<string, number>

type RowSealing = { seals: RowSeals; known: KnownVersions }

/** Find each row of the tables that decide whose seal is missing or does not fit, or whose version is an old one. */
export async function foreignRows(query: Query, sealing: RowSealing): Promise<ForeignRow[]> {
  const found: ForeignRow[] = []
  for (const table of SEALED_NAMES) {
    const look = (rows: readonly RowValues[]) => {
      for (const row of rows) {
        const problem = problemOf(table, row, sealing)
        const { version: _, ...named } = writeOf(table, row)
        if (problem) found.push({ ...named, problem })
      }
    }
    await eachPage(async (after) => {
      const rows = await page(query, { table, after })
      look(rows)
      return rows
    })
    look(await keyless(query, table))
  }
  for (const row of await missingRules(query)) found.push({ ...row, problem: 'missing' })
  return found
}

function problemOf(
  table: SealedTable,
  row: RowValues,
  { seals, known }: RowSealing,
): ForeignRow['problem'] | null {
  if (!seals.isWhole(table, row)) return 'foreign'
  const write = writeOf(table, row)
  return write.version < newestOf(known, write) ? 'old' : null
}

function newestOf(known: KnownVersions, { table, name }: SealedWrite): number {
  return known.get(`${table} ${name}`) ?? 0
}

/** Seal each of these rows as it is.
 * @param apart runs the work for one page: in a transaction of its own, or in one for all
 * @param hold keeps others from changing a page while its rows are sealed
 * @returns the rows, with their new versions */
export async function sealRows(
  apart: <T>(work: (transaction: Query) => Promise<T>) => Promise<T>,
  hold: RawBuilder<unknown>,
  sealing: RowSealing,
): Promise<SealedWrite[]> {
  const sealed: SealedWrite[] = []
  for (const table of SEALED_NAMES)
    await eachPage((after) =>
      apart(async (transaction) => {
        const rows = await page(transaction, { table, after, hold })
        for (const row of rows)
          if (problemOf(table, row, sealing)) sealed.push(await sealRow(transaction, { table, row }, sealing))
        return rows
      }),
    )
  return sealed
}

async function sealRow(
  transaction: Query,
  { table, row }: { table: SealedTable; row: RowValues },
  { seals, known }: RowSealing,
): Promise<SealedWrite> {
  const write = writeOf(table, row)
  const seal = seals.of(table, row, Math.max(write.version, newestOf(known, write)))
  const is = coveredColumns(table).key.map((column) => sql`${sql.ref(column)} = ${row[column]}`)
  const changes = sql`row_version = ${seal?.row_version}, mac = ${seal?.mac}`
  const update = sql`update ${sql.table(table)} set ${changes} where ${sql.join(is, sql` and `)}`
  await send(transaction, update.compile(transaction))
  return writeOf(table, { ...row, ...seal })
}

async function eachPage(read: (after: RowValues | undefined) => Promise<RowValues[]>): Promise<void> {
  let rows = await read(undefined)
  while (rows.length === ROWS_AT_ONCE) rows = await read(rows.at(-1))
}

type PageOfRows = { table: SealedTable; after: RowValues | undefined; hold?: RawBuilder<unknown> }

async function page(query: Query, { table, after, hold = sql`` }: PageOfRows): Promise<RowValues[]> {
  const { key } = coveredColumns(table)
  const order = sql.join(key.map((column) => sql.ref(column)))
  const beyond = after ? sql`and (${order}) > (${sql.join(key.map((column) => after[column]))})` : sql``
  const { rows } = await sql<RowValues>`${reading(table)} where not (${isKeyless(table)}) ${beyond}
    order by ${order} limit ${sql.lit(ROWS_AT_ONCE)} ${hold}`.execute(query)
  return rows
}

/** Rows that have no key, because another program changed the table. They are found, and never sealed. */
async function keyless(query: Query, table: SealedTable): Promise<RowValues[]> {
  const { rows } = await sql<RowValues>`${reading(table)} where ${isKeyless(table)}`.execute(query)
  return rows
}

function reading(table: SealedTable): RawBuilder<unknown> {
  const read = [...coveredColumns(table).columns, ...SEAL].map((column) => sql.ref(column))
  return sql`select ${sql.join(read)} from ${sql.table(table)}`
}

function isKeyless(table: SealedTable): RawBuilder<unknown> {
  const missing = coveredColumns(table).key.map((column) => sql`${sql.ref(column)} is null`)
  return sql.join(missing, sql` or `)
}
