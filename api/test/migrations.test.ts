import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { MIGRATIONS, type Migration } from '../src/storage/base/migrations.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { databases } from './api.ts'

const NOW = '2026-01-01T00:00:00.000Z'

const MADE_BEFORE =
  'database was made by a build before 0.1.0 or by another program: set a new DATA_DIR or DATABASE_URL; to keep a ' +
  'library, export it with the build that made it (keyferry-server export-library) and move the file on the page ' +
  '/bundles/move'

const step = (name: string, ...statements: string[]): Migration => ({ name, statements: () => statements })

describe.each(databases)('migrations on %s', (kind) => {
  async function emptyDatabase() {
    const file = join(mkdtempSync(join(tmpdir(), 'keyferry-migrations-')), 'keyferry.db')
    const database = await openDatabase(kind === 'postgres' ? await freshPostgres() : file)
    onTestFinished(() => database.close())
    return database
  }

  test('a new database is made from the tables, and no migration runs on it', async () => {
    const database = await emptyDatabase()
    const later = step('0002-later', 'this is no SQL')
    const names = await migrateDatabase(database, NOW, [...MIGRATIONS, later])
    expect(names).toEqual([...MIGRATIONS.map(({ name }) => name), '0002-later'])
    expect(await database.query.selectFrom('webhook_messages').selectAll().execute()).toEqual([])
  })

  test('a database of an older release runs the migrations that it lacks', async () => {
    const database = await emptyDatabase()
    await migrateDatabase(database, NOW)
    const later = step(
      '0002-later',
      `insert into root_keys (id, proof, created_at) select 'made', cast('x' as ${database.columns.bytes}), ''`,
    )
    expect(await migrateDatabase(database, NOW, [...MIGRATIONS, later])).toEqual(['0002-later'])
    expect(await migrateDatabase(database, NOW, [...MIGRATIONS, later])).toEqual([])
    expect(await database.query.selectFrom('root_keys').select('id').execute()).toEqual([{ id: 'made' }])
  })

  test('if one migration fails, none is applied', async () => {
    const database = await emptyDatabase()
    await migrateDatabase(database, NOW)
    const insertion = "insert into account_setup (slot, user_id) values (1, 'somebody')"
    const steps = [...MIGRATIONS, step('0002-good', insertion), step('0003-bad', 'this is no SQL')]
    await expect(migrateDatabase(database, NOW, steps)).rejects.toThrow()
    expect(await database.query.selectFrom('account_setup').selectAll().execute()).toEqual([])
    expect(await migrateDatabase(database, NOW)).toEqual([])
  })

  test('a database of a newer release is refused', async () => {
    const database = await emptyDatabase()
    await migrateDatabase(database, NOW, [...MIGRATIONS, step('0002-later')])
    await expect(migrateDatabase(database, NOW)).rejects.toThrow(
      'database was migrated by a newer version (0002-later): start that version, or restore a backup',
    )
  })

  test('a database whose migration was another one of the same name is refused', async () => {
    const database = await emptyDatabase()
    await migrateDatabase(database, NOW, [...MIGRATIONS, step('0002-later', 'this is no SQL')])
    const edited = [...MIGRATIONS, step('0002-later', 'this is other SQL')]
    await expect(migrateDatabase(database, NOW, edited)).rejects.toThrow(
      'database was made with another edition of migration 0002-later: start the version that made it, or use a new database',
    )
  })

  test.each([
    ['its migration table has no hashes', 'alter table migrations drop column hash'],
    ['its migration table has a column more', 'alter table migrations add id integer'],
    [
      'its migration table is of another tool',
      'drop table migrations; create table migrations (id integer, run_on text)',
    ],
    ['its migration table is a view', 'drop table migrations; create view migrations as select 1 as version'],
    ['the hash of its first migration differs', "update migrations set hash = ''"],
    ['it began with another migration', "update migrations set name = '0001-initial'"],
    ['it has tables and no migrations', 'delete from migrations'],
    ['it has tables and no migration table', 'drop table migrations'],
  ])('a database is refused, and nothing changes, if %s', async (_case, change) => {
    const database = await emptyDatabase()
    await migrateDatabase(database, NOW)
    for (const statement of change.split('; ')) await sql.raw(statement).execute(database.query)
    const contents = async () => {
      const { rows } = await database.tableColumns.execute(database.query)
      const isTable = rows.some((row) => row['table'] === 'migrations' && row['column'] !== null)
      return [rows, isTable && (await sql`select * from migrations`.execute(database.query)).rows]
    }
    const before = await contents()
    await expect(migrateDatabase(database, NOW)).rejects.toThrow(MADE_BEFORE)
    expect(await contents()).toEqual(before)
  })

  test('a database of another program is refused', async () => {
    const database = await emptyDatabase()
    await sql`create table keys (id integer)`.execute(database.query)
    await expect(migrateDatabase(database, NOW)).rejects.toThrow(MADE_BEFORE)
    await sql`drop table keys`.execute(database.query)
    await sql`create table other (id integer)`.execute(database.query)
    expect(await migrateDatabase(database, NOW)).toHaveLength(MIGRATIONS.length)
  })
})

describe.runIf(databases.includes('postgres'))('a migration of a PostgreSQL that is in use', () => {
  let url: string
  let database: Database
  let reader: Client
  beforeEach(async () => {
    url = await freshPostgres()
    database = await openDatabase(url)
    await migrateDatabase(database, NOW)
    reader = new Client(url)
    await reader.connect()
  })
  afterEach(async () => {
    await reader.end()
    await database.close()
  })

  const waitsForTable = async () => {
    const waiting = "select 1 from pg_locks where mode = 'AccessExclusiveLock' and not granted"
    return (await reader.query(waiting)).rowCount
  }

  test('gives way to writers while a transaction locks its table, and runs when that has ended', async () => {
    await reader.query('begin; select * from account_setup')
    const change = step('0002-later', 'alter table account_setup add column later text')
    const migrated = migrateDatabase(database, NOW, [...MIGRATIONS, change])
    await expect.poll(waitsForTable).toBe(1)
    // It would wait behind the migration, which waits for the reader.
    await database.query.insertInto('account_setup').values({ slot: 1, user_id: 'somebody' }).execute()
    await reader.query('commit')
    expect(await migrated).toEqual(['0002-later'])
    expect((await reader.query('select later from account_setup')).rows).toEqual([{ later: null }])
  })

  test('is run once by nodes that start together', async () => {
    const steps = [...MIGRATIONS, step('0002-later', 'alter table account_setup add column later text')]
    const nodes = await Promise.all(Array.from({ length: 3 }, () => openDatabase(url)))
    const runs = await Promise.all(nodes.map((node) => migrateDatabase(node, NOW, steps)))
    expect(runs.flat()).toEqual(['0002-later'])
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('has no time limit', async () => {
    const limit =
      "insert into root_keys (id, proof, created_at) select current_setting('statement_timeout'), '', ''"
    await migrateDatabase(database, NOW, [...MIGRATIONS, step('0002-later', limit)])
    expect(await database.query.selectFrom('root_keys').select('id').execute()).toEqual([{ id: '0' }])
  })
})
