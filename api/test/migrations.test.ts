import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { administer, freshPostgres } from '../../plumbing/test/postgres.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { hashOf, MIGRATIONS, type Migration } from '../src/storage/base/migrations.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { databases, testSettings } from './api.ts'
import { load } from './kept-database.ts'

const NOW = '2026-01-01T00:00:00.000Z'

const UNBUILT = 'select 1 from pg_index where not indisvalid'

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

  test('a database of an earlier release runs the migrations that it lacks', async () => {
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
    ['its migration table has no hashes', 'alter table migrations drop column hash', 'the migration table'],
    ['its migration table has a column more', 'alter table migrations add id integer', 'the migration table'],
    [
      'its migration table is of another tool',
      'drop table migrations; create table migrations (id integer, run_on text)',
      'the migration table',
    ],
    [
      'its migration table is a view',
      'drop table migrations; create view migrations as select 1 as version',
      'the migration table',
    ],
    [
      'a hash differs',
      "update migrations set hash = '' where name like '0004%'",
      'migration 0004-recorded-once',
    ],
    ['a migration lacks', "delete from migrations where name like '0001%'", 'migration 0001-initial'],
    [
      'a branch had another migration',
      "update migrations set name = '0002-other' where name like '0002%'",
      'migration 0002-waiting-events',
    ],
    ['it has tables and no migrations', 'delete from migrations', 'the table users'],
    ['it has tables and no migration table', 'drop table migrations', 'the table users'],
  ])('a database is refused, and nothing changes, if %s', async (_case, change, of) => {
    const database = await emptyDatabase()
    await migrateDatabase(database, NOW)
    for (const statement of change.split('; ')) await sql.raw(statement).execute(database.query)
    const contents = async () => {
      const { rows } = await database.tableColumns.execute(database.query)
      const isTable = rows.some((row) => row['table'] === 'migrations' && row['column'] !== null)
      return [rows, isTable && (await sql`select * from migrations`.execute(database.query)).rows]
    }
    const before = await contents()
    await expect(migrateDatabase(database, NOW)).rejects.toThrow(
      `database was made with another edition of ${of}: start the version that made it, or use a new database`,
    )
    expect(await contents()).toEqual(before)
  })

  test('a database of another program is refused', async () => {
    const database = await emptyDatabase()
    await sql`create table keys (id integer)`.execute(database.query)
    await expect(migrateDatabase(database, NOW)).rejects.toThrow('another edition of the table keys:')
    await sql`drop table keys`.execute(database.query)
    await sql`create table other (id integer)`.execute(database.query)
    expect(await migrateDatabase(database, NOW)).toHaveLength(MIGRATIONS.length)
  })

  test('a migration whose statements are gone is known by its hash', async () => {
    const database = await emptyDatabase()
    const later = step('0002-later', 'select 1')
    await migrateDatabase(database, NOW, [...MIGRATIONS, later])
    const frozen = { ...step('0002-later'), hash: hashOf(later) }
    expect(await migrateDatabase(database, NOW, [...MIGRATIONS, frozen])).toEqual([])
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

  test('has no time limit', async () => {
    const limit =
      "insert into root_keys (id, proof, created_at) select current_setting('statement_timeout'), '', ''"
    await migrateDatabase(database, NOW, [...MIGRATIONS, step('0002-later', limit)])
    expect(await database.query.selectFrom('root_keys').select('id').execute()).toEqual([{ id: '0' }])
  })
})

describe.runIf(databases.includes('postgres'))('indexes of a PostgreSQL that is in use', () => {
  const LAST = MIGRATIONS.slice(4).map(({ name }) => name)
  let url: string
  let database: Database
  let other: Client
  beforeEach(async () => {
    url = await freshPostgres()
    await load(url, readFileSync(join(import.meta.dirname, 'fixtures/0004-postgres.sql'), 'utf8'))
    database = await openDatabase(url)
    other = new Client(url)
    await other.connect()
  })
  afterEach(async () => {
    await other.end()
    await database.close()
  })

  // The server waits for it, as for every transaction that writes.
  const change = "update keys set description = '' where false"
  const unbuilt = async () => (await database.query.executeQuery(CompiledQuery.raw(UNBUILT))).rows.length
  const migrated = () => migrateDatabase(database, NOW)
  const indexes = async () => {
    const { rows } = await other.query('select relname from pg_class join pg_index on oid = indexrelid')
    return rows.map(({ relname }) => relname)
  }

  async function expectBuilt(): Promise<void> {
    expect(await unbuilt()).toBe(0)
    const names = await indexes()
    expect(names).toEqual(expect.arrayContaining(['keys_changed', 'holdings_given', 'deliveries_holder']))
    expect(names).not.toContain('holdings_oldest')
    expect(names).not.toContain('deliveries_open')
    expect(await migrated()).toEqual([])
  }

  test('are built while others write, and old ones are dropped only when the new ones exist', async () => {
    await other.query(`begin; ${change}`)
    const names = migrated()
    await expect.poll(unbuilt).toBe(1)
    await administer(url, "update keys set description = 'written meanwhile'")
    expect(await indexes()).toContain('holdings_oldest')
    expect((await other.query(`select 1 from migrations where name = '${LAST[0]}'`)).rowCount).toBe(0)
    await other.query('commit')
    expect(await names).toEqual(LAST)
    await expectBuilt()
  })

  test('that a failed attempt left broken are made again', async () => {
    await administer(url, 'create table twice as select 1 as a union all select 1')
    const broken = administer(url, 'create unique index concurrently keys_changed on twice (a)')
    await expect(broken).rejects.toThrow('could not create unique index')
    expect(await unbuilt()).toBe(1)
    expect(await migrated()).toEqual(LAST)
    await expectBuilt()
  })

  test('that a killed process began are finished by the next one', async () => {
    await other.query(`begin; ${change}`)
    const script = `
      const { migrate } = await import(process.argv[1])
      await migrate(JSON.parse(process.argv[2]))`
    const settings = JSON.stringify(testSettings({ databaseUrl: url }))
    const main = join(import.meta.dirname, '../src/main.ts')
    const killed = spawn(process.execPath, ['--input-type=module', '--eval', script, main, settings])
    await expect.poll(unbuilt).toBe(1)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const names = migrated()
    await other.query('commit')
    expect(await names).toEqual(LAST)
    await expectBuilt()
  })

  test('are built once by nodes that start together', async () => {
    await other.query(`begin; ${change}`)
    const nodes = await Promise.all(Array.from({ length: 3 }, () => openDatabase(url)))
    const runs = Promise.all(nodes.map((node) => migrateDatabase(node, NOW)))
    await expect.poll(unbuilt).toBe(1)
    await other.query('commit')
    // The nodes share the migrations.
    expect((await runs).flat().toSorted()).toEqual(LAST)
    await Promise.all(nodes.map((node) => node.close()))
    await expectBuilt()
  })
})
