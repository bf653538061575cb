import { type RawBuilder, sql } from 'kysely'
import { send } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { coveredColumns, MAC_COLUMNS, MAC_TABLE_NAMES, type MacTable } from '../row-macs/mac-tables.ts'
import { type MacWrite, type RowMacs, type RowValues, writeOf } from '../row-macs/row-macs.ts'
import { missingRules } from '../rules/noted-rules.ts'

const ROWS_AT_ONCE = 1_000

/** A row that no server wrote or that another program changed, an old one that was put back, or one that is missing
 * although rules need it. `tenantId` null: its
 * table is of the whole server. */
export type ForeignRow = Omit<MacWrite, 'version'> & { problem: 'foreign' | 'old' | 'missing' }

/** The newest version of a row that the audit logs know, by its table and name. */
export type KnownVersions = ReadonlyMap<string, number>

type MacChecking = { rowMacs: RowMacs; known: KnownVersions }

/** Find each row of the tables that decide whose MAC is missing or does not fit, or whose version is an old one. */
export async function foreignRows(query: Query, checking: MacChecking): Promise<ForeignRow[]> {
  const found: ForeignRow[] = []
  for (const table of MAC_TABLE_NAMES) {
    const look = (rows: readonly RowValues[]) => {
      for (const row of rows) {
        const problem = problemOf(table, row, checking)
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
  table: MacTable,
  row: RowValues,
  { rowMacs, known }: MacChecking,
): ForeignRow['problem'] | null {
  if (!rowMacs.isWhole(table, row)) return 'foreign'
  const write = writeOf(table, row)
  return write.version < newestOf(known, write) ? 'old' : null
}

function newestOf(known: KnownVersions, { table, name }: MacWrite): number {
  return known.get(`${table} ${name}`) ?? 0
}

/** Give each of these rows a MAC as it is.
 * @param lock keeps others from changing a page while its rows get their MACs
 * @returns the rows, with their new versions */
export async function addMacs(
  transaction: Query,
  lock: RawBuilder<unknown>,
  checking: MacChecking,
): Promise<MacWrite[]> {
  const added: MacWrite[] = []
  for (const table of MAC_TABLE_NAMES)
    await eachPage(async (after) => {
      const rows = await page(transaction, { table, after, lock })
      for (const row of rows)
        if (problemOf(table, row, checking)) added.push(await addMac(transaction, { table, row }, checking))
      return rows
    })
  return added
}

async function addMac(
  transaction: Query,
  { table, row }: { table: MacTable; row: RowValues },
  { rowMacs, known }: MacChecking,
): Promise<MacWrite> {
  const write = writeOf(table, row)
  const macColumns = rowMacs.of(table, row, Math.max(write.version, newestOf(known, write)))
  const is = coveredColumns(table).key.map((column) => sql`${sql.ref(column)} = ${row[column]}`)
  const changes = sql`row_version = ${macColumns?.row_version}, mac = ${macColumns?.mac}`
  const update = sql`update ${sql.table(table)} set ${changes} where ${sql.join(is, sql` and `)}`
  await send(transaction, update.compile(transaction))
  return writeOf(table, { ...row, ...macColumns })
}

async function eachPage(read: (after: RowValues | undefined) => Promise<RowValues[]>): Promise<void> {
  let rows = await read(undefined)
  while (rows.length === ROWS_AT_ONCE) rows = await read(rows.at(-1))
}

type PageOfRows = { table: MacTable; after: RowValues | undefined; lock?: RawBuilder<unknown> }

async function page(query: Query, { table, after, lock = sql`` }: PageOfRows): Promise<RowValues[]> {
  const { key } = coveredColumns(table)
  const order = sql.join(key.map((column) => sql.ref(column)))
  const beyond = after ? sql`and (${order}) > (${sql.join(key.map((column) => after[column]))})` : sql``
  const { rows } = await sql<RowValues>`${reading(table)} where not (${isKeyless(table)}) ${beyond}
    order by ${order} limit ${sql.lit(ROWS_AT_ONCE)} ${lock}`.execute(query)
  return rows
}

/** Rows that have no key, because another program changed the table. They are found, and never get a MAC. */
async function keyless(query: Query, table: MacTable): Promise<RowValues[]> {
  const { rows } = await sql<RowValues>`${reading(table)} where ${isKeyless(table)}`.execute(query)
  return rows
}

function reading(table: MacTable): RawBuilder<unknown> {
  const read = [...coveredColumns(table).columns, ...MAC_COLUMNS].map((column) => sql.ref(column))
  return sql`select ${sql.join(read)} from ${sql.table(table)}`
}

function isKeyless(table: MacTable): RawBuilder<unknown> {
  const missing = coveredColumns(table).key.map((column) => sql`${sql.ref(column)} is null`)
  return sql.join(missing, sql` or `)
}
