import { hashOf, MIGRATIONS, type Migration } from './migrations.ts'
import { JOURNAL, TABLES } from './tables.ts'

type CatalogRow = Readonly<Record<string, unknown>>

/** `columns` has the `table` and the name of each `column`. `journal` reads `name` and `hash` of the migration
 * table. */
type FoundSchema = { columns: readonly CatalogRow[]; journal: () => Promise<readonly CatalogRow[]> }

const JOURNAL_COLUMNS = Object.keys(JOURNAL.migrations.columns).toSorted()

/** The names of the migrations that a database has, or null if it is new. Read nothing else of it before this.
 * @throws Error with one line for the operator: a newer version migrated the database, or it comes from a build before
 *   0.1.0, from a changed build or from another program */
export async function appliedMigrations(
  { columns, journal }: FoundSchema,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<ReadonlySet<unknown> | null> {
  const found = Map.groupBy(columns, (row) => row['table'])
  const shape = found.get('migrations')?.map((row) => String(row['column']))
  if (shape && shape.toSorted().join() !== JOURNAL_COLUMNS.join()) throw madeBefore()
  const applied = shape ? await journal() : []
  if (applied.length === 0 && Object.keys(TABLES).some((name) => found.has(name))) throw madeBefore()
  refuseEdited(applied, migrations)
  refuseNewer(applied, migrations)
  return shape ? new Set(applied.map((row) => row['name'])) : null
}

/** Each build appends migrations, so what a database has is the beginning of the list, or the list with more. */
function refuseEdited(applied: readonly CatalogRow[], migrations: readonly Migration[]): void {
  const hashes = new Map(applied.map((row) => [row['name'], row['hash']]))
  const edited = migrations
    .slice(0, applied.length)
    .findIndex((migration) => hashes.get(migration.name) !== hashOf(migration))
  if (edited === 0) throw madeBefore()
  if (edited > 0)
    throw new Error(
      `database was made with another edition of migration ${migrations[edited]?.name}: start the version that made it, or use a new database`,
    )
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

function madeBefore(): Error {
  return new Error(
    'database was made by a build before 0.1.0 or by another program: set a new DATA_DIR or DATABASE_URL; to keep ' +
      'a library, export it with the build that made it (keyferry-server export-library) and move the file on the ' +
      'page /bundles/move',
  )
}
