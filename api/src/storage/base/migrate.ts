import { sql } from 'kysely'
import { type ColumnTypes, creationOf } from '../schema/column.ts'
import { hashOf, MIGRATIONS, type Migration } from './migrations.ts'
import type { Database, Query } from './queries.ts'
import { JOURNAL, TABLES } from './tables.ts'

type Applied = { name: string; hash: string }

/** Bring the tables up to date: all missing migrations or none, each once however many processes start at a time.
 * @returns the names of those that the database did not have
 * @throws Error with one line for the operator: a newer release migrated the database, or another edition of a
 *   migration did, or another transaction holds its tables */
export async function migrateDatabase(
  database: Database,
  now: string,
  migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const { columns } = database
  return database.migrate(async (transaction) => {
    const applied = await appliedTo(transaction, columns)
    refuseNewer(applied, migrations)
    refuseEdited(applied, migrations)
    const missing = migrations.filter(({ name }) => applied.every((known) => known.name !== name))
    const steps =
      applied.length === 0
        ? creationOf(TABLES, columns)
        : missing.flatMap(({ statements }) => statements(columns))
    for (const step of steps) await sql.raw(step).execute(transaction)
    const rows = missing.map((migration) => ({
      name: migration.name,
      hash: hashOf(migration),
      applied_at: now,
    }))
    if (rows.length > 0) await transaction.insertInto('migrations').values(rows).execute()
    return missing.map(({ name }) => name)
  })
}

async function appliedTo(transaction: Query, columns: ColumnTypes): Promise<readonly Applied[]> {
  const [journal = ''] = creationOf(JOURNAL, columns)
  await sql.raw(journal.replace('create table', 'create table if not exists')).execute(transaction)
  return await transaction.selectFrom('migrations').select(['name', 'hash']).execute()
}

function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const unknown = applied.filter(({ name }) => migrations.every((known) => known.name !== name))
  if (unknown.length === 0) return
  const names = unknown.map(({ name }) => name).join(', ')
  throw new Error(
    `database was migrated by a newer version (${names}): start that version, or restore a backup`,
  )
}

function refuseEdited(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]))
  const edited = migrations.find(
    (migration) => hashes.has(migration.name) && hashes.get(migration.name) !== hashOf(migration),
  )
  if (edited)
    throw new Error(
      `database was made with another edition of migration ${edited.name}: start the version that made it, or a new database`,
    )
}
