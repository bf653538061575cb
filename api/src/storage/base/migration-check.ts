import { hashOf, MIGRATIONS, type Migration } from './migrations.ts'
import { JOURNAL, TABLES } from './tables.ts'

type CatalogRow = Readonly<Record<string, unknown>>

/** `columns` has the `table` and the name of each `column`. `journal` reads `name` and `hash` of the migration
 * table. */
type FoundSchema = { columns: readonly CatalogRow[]; journal: () => Promise<readonly CatalogRow[]> }

const JOURNAL_COLUMNS = Object.keys(JOURNAL.migrations.columns).toSorted()

/** The names of the migrations that a database has, or null if it is new. Read nothing else of it before this.
 * @throws Error with one line for the operator: a newer version migrated the database, or it comes from a build whose
 *   data no later build carries over, or from another program */
export async function appliedMigrations(
  { columns, journal }: FoundSchema,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<ReadonlySet<unknown> | null> {
  const found = Map.groupBy(columns, (row) => row['table'])
  const shape = found.get('migrations')?.map((row) => String(row['column']))
  if (shape && shape.toSorted().join() !== JOURNAL_COLUMNS.join()) throw anotherEdition('the migration table')
  const applied = shape ? await journal() : []
  const table = Object.keys(TABLES).find((name) => found.has(name))
  if (applied.length === 0 && table !== undefined) throw anotherEdition(`the table ${table}`)
  refuseEdited(applied, migrations)
  refuseNewer(applied, migrations)
  return shape ? new Set(applied.map((row) => row['name'])) : null
}

/** Each build appends migrations, so what a database has is the beginning of the list, or the list with more. */
function refuseEdited(applied: readonly CatalogRow[], migrations: readonly Migration[]): void {
  const hashes = new Map(applied.map((row) => [row['name'], row['hash']]))
  const edited = migrations
    .slice(0, applied.length)
    .find((migration) => hashes.get(migration.name) !== hashOf(migration))
  if (edited) throw anotherEdition(`migration ${edited.name}`)
}

function refuseNewer(applied: readonly CatalogRow[], migrations: readonly Migration[]): void {
  const known = new Set<unknown>(migrations.map(({ name }) => name))
  const unknown = applied.map((row) => row['name']).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const names = unknown.join(', ')
  throw new Error(
    `database was migrated by a newer version (${names}): start that version, or restore a backup`,
  )
}

function anotherEdition(of: string): Error {
  return new Error(
    `database was made with another edition of ${of}: start the version that made it, or use a new database`,
  )
}
