import { sql } from 'kysely'
import { MIGRATIONS } from './migrations/migrations.ts'
import type { Database, Query } from './queries.ts'

/** Bring the tables up to date: all missing migrations or none, each once however many processes start at a time.
 * @returns the names of those that ran
 * @throws Error when the database was migrated by a newer version */
export async function migrateDatabase(database: Database, now: string): Promise<readonly string[]> {
  return database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    await makeJournal(database, transaction)
    const applied = new Set(
      (await transaction.selectFrom('migrations').select('name').execute()).map((row) => row.name),
    )
    refuseNewer(applied)
    const missing = MIGRATIONS.filter(({ name }) => !applied.has(name))
    for (const { name, statements } of missing) {
      for (const statement of statements(database.columns)) await sql.raw(statement).execute(transaction)
      await transaction.insertInto('migrations').values({ name, applied_at: now }).execute()
    }
    return missing.map(({ name }) => name)
  })
}

async function makeJournal({ columns }: Database, transaction: Query): Promise<void> {
  const { text, tableEnd } = columns
  const fields = `name ${text} primary key, applied_at ${text} not null`
  await sql.raw(`create table if not exists migrations (${fields}) ${tableEnd}`).execute(transaction)
}

function refuseNewer(applied: ReadonlySet<string>): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`database was migrated by a newer version (${unknown.join(', ')})`)
}
