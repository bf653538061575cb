import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { MIGRATIONS, type Migration } from '../src/storage/base/migrations.ts'
import { databases } from './api.ts'

const NOW = '2026-01-01T00:00:00.000Z'

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
    await expect(migrateDatabase(database, NOW)).rejects.toThrow('newer version (0002-later)')
  })
})
