import { sql } from 'kysely'
import { type ColumnTypes, creationOf } from '../schema/column.ts'
import { hashOf, type Indexes, MIGRATIONS, type Migration, statementsOf } from './migrations.ts'
import type { Database, Query } from './queries.ts'
import { JOURNAL, TABLES } from './tables.ts'

type Applied = { name: string; hash: string }

/** What one transaction applied, and the indexes that the next migration waits for. */
type Step = { applied: readonly Migration[]; awaited: Indexes | null }

/** Bring the tables up to date, each migration once however many processes start at a time. One transaction applies all
 * or none; only where PostgreSQL has to make indexes first, another transaction follows. A migration of indexes counts
 * as applied when they are whole, so one that was killed goes on at the next start.
 * @returns the names of those that this process applied
 * @throws Error with one line for the operator: a newer release migrated the database, or another edition of a
 *   migration did, or another transaction holds its tables */
export async function migrateDatabase(
  database: Database,
  now: string,
  migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const names: string[] = []
  for (;;) {
    const { applied, awaited } = await database.migrate(async (transaction) => {
      const step = await applyMissing(database, transaction, migrations)
      await record(transaction, step.applied, now)
      return step
    })
    names.push(...applied.map(({ name }) => name))
    if (!awaited) return names
    await database.online?.build(awaited)
  }
}

async function applyMissing(
  { columns, online }: Database,
  transaction: Query,
  migrations: readonly Migration[],
): Promise<Step> {
  const known = await appliedTo(transaction, columns)
  refuseNewer(known, migrations)
  refuseEdited(known, migrations)
  if (known.length === 0) {
    await run(transaction, creationOf(TABLES, columns))
    return { applied: migrations, awaited: null }
  }
  const applied: Migration[] = []
  for (const migration of migrations) {
    if (known.some(({ name }) => name === migration.name)) continue
    if (!online || !('indexes' in migration)) await run(transaction, statementsOf(migration, columns))
    else if (!(await online.isBuilt(transaction, migration.indexes)))
      return { applied, awaited: migration.indexes }
    applied.push(migration)
  }
  return { applied, awaited: null }
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
