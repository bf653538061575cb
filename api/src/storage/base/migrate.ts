import { sql } from 'kysely'
import { creationOf } from '../schema/column.ts'
import { appliedMigrations } from './migration-check.ts'
import { hashOf, MIGRATIONS, type Migration } from './migrations.ts'
import type { Database, Query } from './queries.ts'
import { JOURNAL, TABLES } from './tables.ts'

/** Bring the tables up to date in one transaction, each migration once however many processes start at a time.
 * @returns the names of those that this process applied
 * @throws Error with one line for the operator, and nothing changed: see `appliedMigrations`, or another transaction
 *   has locked its tables */
export async function migrateDatabase(
  database: Database,
  now: string,
  migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const { columns, tableColumns } = database
  return database.migrate(async (transaction) => {
    const found = await tableColumns.execute(transaction)
    const journal = () => transaction.selectFrom('migrations').select(['name', 'hash']).execute()
    const known = await appliedMigrations({ columns: found.rows, journal }, migrations)
    if (known === null) await run(transaction, creationOf(JOURNAL, columns))
    const isNew = known === null || known.size === 0
    const missing = isNew ? migrations : migrations.filter(({ name }) => !known.has(name))
    const changes = missing.flatMap(({ statements }) => statements(columns))
    await run(transaction, isNew ? creationOf(TABLES, columns) : changes)
    await record(transaction, missing, now)
    return missing.map(({ name }) => name)
  })
}

async function run(transaction: Query, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(transaction)
}

async function record(transaction: Query, applied: readonly Migration[], now: string): Promise<void> {
  const rows = applied.map((migration) => ({
    name: migration.name,
    hash: hashOf(migration),
    applied_at: now,
  }))
  if (rows.length > 0) await transaction.insertInto('migrations').values(rows).execute()
}
