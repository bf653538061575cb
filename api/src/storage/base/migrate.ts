import { sql } from 'kysely'
import { type ColumnTypes, creationOf } from '../schema/column.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import type { Database, Query } from './queries.ts'
import { JOURNAL, TABLES } from './tables.ts'

/** Bring the tables up to date: all missing migrations or none, each once however many processes start at a time.
 * @returns the names of those that the database did not have
 * @throws Error when the database was migrated by a newer version */
export async function migrateDatabase(
  database: Database,
  now: string,
  migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const { columns } = database
  return database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const applied = await appliedTo(transaction, columns)
    refuseNewer(applied, migrations)
    const missing = migrations.filter(({ name }) => !applied.includes(name))
    const steps =
      applied.length === 0
        ? creationOf(TABLES, columns)
        : missing.flatMap(({ statements }) => statements(columns))
    for (const step of steps) await sql.raw(step).execute(transaction)
    const rows = missing.map(({ name }) => ({ name, applied_at: now }))
    if (rows.length > 0) await transaction.insertInto('migrations').values(rows).execute()
    return missing.map(({ name }) => name)
  })
}

async function appliedTo(transaction: Query, columns: ColumnTypes): Promise<readonly string[]> {
  const [journal = ''] = creationOf(JOURNAL, columns)
  await sql.raw(journal.replace('create table', 'create table if not exists')).execute(transaction)
  return (await transaction.selectFrom('migrations').select('name').execute()).map(({ name }) => name)
}

function refuseNewer(applied: readonly string[], migrations: readonly Migration[]): void {
  const unknown = applied.filter((name) => migrations.every((known) => known.name !== name))
  if (unknown.length > 0) throw new Error(`database was migrated by a newer version (${unknown.join(', ')})`)
}
