import { sql } from 'kysely'
import { creationOf } from '../schema/column.ts'
import { appliedMigrations } from './migration-check.ts'
import { hashOf, type Indexes, MIGRATIONS, type Migration, statementsOf } from './migrations.ts'
import type { Database, Query } from './queries.ts'
import { JOURNAL, TABLES } from './tables.ts'

/** What one transaction applied, and the indexes that the next migration waits for. */
type MigrationStep = { applied: readonly Migration[]; awaited: Indexes | null }

/** Bring the tables up to date, each migration once however many processes start at a time. One transaction applies all
 * or none; only where PostgreSQL has to make indexes first, another transaction follows. A migration of indexes counts
 * as applied when they are whole, so one that was killed goes on at the next start.
 * @returns the names of those that this process applied
 * @throws Error with one line for the operator, and nothing changed: see `appliedMigrations`, or another transaction
 *   has locked its tables */
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
  { columns, tableColumns, online }: Database,
  transaction: Query,
  migrations: readonly Migration[],
): Promise<MigrationStep> {
  const found = await tableColumns.execute(transaction)
  const journal = () => transaction.selectFrom('migrations').select(['name', 'hash']).execute()
  const known = await appliedMigrations({ columns: found.rows, journal }, migrations)
  if (known === null) await run(transaction, creationOf(JOURNAL, columns))
  if (known === null || known.size === 0) {
    await run(transaction, creationOf(TABLES, columns))
    return { applied: migrations, awaited: null }
  }
  const applied: Migration[] = []
  for (const migration of migrations) {
    if (known.has(migration.name)) continue
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
