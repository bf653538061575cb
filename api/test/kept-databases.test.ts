import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyPairFromSecretKey } from '@keyferry/crypto/key-pair'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { type ApiSettings, migrate, verifyAudit, verifyValues } from '../src/main.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { MIGRATIONS } from '../src/storage/base/migrations.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { TABLES } from '../src/storage/base/tables.ts'
import { type DatabaseKind, databases, expectError, startTestApi, testSettings } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'
import { dumped, emptyTables, fillLibrary, fillRequests, type Kept, load } from './kept-database.ts'
import { fillOthers } from './kept-others.ts'
import { MailServer } from './mail-server.ts'

/*
 * Databases that releases made, each named by its newest migration. Every build carries them over: a kept file never
 * changes and never goes. Before you add the first migration after a release, `KEEP_DATABASES=1 npm test --
 * api/test/kept-databases -t 'can be kept'` keeps what this build makes, beside those that are there; then add its
 * number to `KEPT`, with the number of its encrypted values.
 */

const FOLDER = join(import.meta.dirname, 'fixtures')
const KEPT: Readonly<Record<string, number>> = { '0001': 13 }
// Their rows live for seconds, or until the next append.
const SHORT_LIVED = ['events']
const NEWEST = MIGRATIONS.at(-1)?.name.slice(0, 4) ?? ''
const SHARED = { trustProxy: ['127.0.0.1'], requestTtlSeconds: 3_600 }

const keptFile = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const placeOf = (settings: ApiSettings) => settings.databaseUrl ?? join(settings.dataDir, 'keyferry.db')

const ALL = Object.entries(KEPT).flatMap(([name, values]) =>
  databases.map((kind) => ({ kind, name, values })),
)
describe.each(ALL)('$name on $kind', ({ kind, name, values }) => {
  async function restored() {
    const { rootKey, madeAt, ...facts }: Kept = JSON.parse(keptFile(`${name}-${kind}.json`))
    const settings = testSettings({
      databaseUrl: kind === 'postgres' ? await freshPostgres() : null,
      rootKeys: [rootKey],
      devAllowPlaintext: true,
      ...SHARED,
    })
    const now = () => new Date(madeAt)
    await load(placeOf(settings), keptFile(`${name}-${kind}.sql`))
    return { settings, start: () => startTestApi(kind, { ...settings, now }), ...facts }
  }

  test('this build opens every value and the log', async () => {
    const { settings, start, owner, keyId } = await restored()
    const api = await start()
    const { json } = await api.call('getKey', {
      as: owner,
      params: { key_id: keyId },
      query: { reveal: '1' },
    })
    expect(json).toMatchObject({ name: 'SECRET', value: 'a second value' })
    const versions = await api.call('listKeyVersions', { as: owner, params: { key_id: keyId } })
    expect(versions.json.map(({ version }) => version)).toEqual([2, 1])
    const proposed = await api.call('listProposals', { as: owner })
    expect(proposed.json).toMatchObject([{ state: 'open' }])
    await api.close()
    expect(await verifyValues(settings)).toEqual({ checked: values, failures: [] })
    for (const { problem } of await verifyAudit(settings)) expect(problem).toBeNull()
  })

  test('what was open goes on', async () => {
    const { start, owner, bundleId, ...requests } = await restored()
    const api = await start()
    const client = new ApprovalClient(api, keyPairFromSecretKey(Buffer.from(requests.secretKey, 'base64')))
    const gone = await client.wait(requests.delivered)
    expectError(gone, 404, 'request not found or expired', 'not_found')
    expect(client.opened(await client.wait(requests.approved))).toEqual({ SECRET: 'a second value' })
    const approval = { requestId: requests.waiting, bundle_id: bundleId, include_keys: ['HOST'] }
    expect((await approveWith(api, owner, approval)).status).toBe(200)
    expect(client.opened(await client.wait(requests.waiting))).toEqual({ HOST: 'db.example.com' })
    await api.close()
  })

  test('its tables become those of a new database', async () => {
    const { settings } = await restored()
    expect(await migrate(settings)).toEqual(MIGRATIONS.slice(Number(name)).map((step) => step.name))
    const fresh = testSettings({ databaseUrl: kind === 'postgres' ? await freshPostgres() : null })
    await migrate(fresh)
    expect(await shape(kind, settings)).toEqual(await shape(kind, fresh))
  })

  if (name < NEWEST)
    test('the build that made it refuses it once this build has opened it', async () => {
      const { settings } = await restored()
      await migrate(settings)
      await using database = await opened(settings)
      const old = migrateDatabase(database, '', MIGRATIONS.slice(0, Number(name)))
      await expect(old).rejects.toThrow(
        /^database was migrated by a newer version \(\d{4}-.*\): start that version, or restore a backup$/,
      )
    })
})

test.each(databases)('what this build makes on %s can be kept', async (kind) => {
  const mails = new MailServer()
  await mails.start()
  const mail = { url: mails.url, from: 'keyferry@example.com', publicUrl: 'https://keyferry.example.com' }
  const api = await startTestApi(kind, { ...SHARED, mail, sweepSeconds: 0.2 })
  const library = await fillLibrary(api)
  await fillOthers(api, library)
  const kept = { ...library, ...(await fillRequests(api, library)) }
  await using database = await opened(api.settings)
  await expect.poll(() => emptyTables(database)).toEqual(SHORT_LIVED)
  await api.close()
  await mails.stop()
  const isKept = process.env['KEEP_DATABASES'] !== undefined
  const file = join(isKept ? FOLDER : mkdtempSync(join(tmpdir(), 'keyferry-kept-')), `${NEWEST}-${kind}`)
  writeFileSync(`${file}.sql`, await dumped(database))
  const facts = { rootKey: api.settings.rootKeys[0], madeAt: new Date(), ...kept }
  writeFileSync(`${file}.json`, `${JSON.stringify(facts, null, 2)}\n`)
})

async function opened(settings: ApiSettings): Promise<Database & AsyncDisposable> {
  const database = await openDatabase(placeOf(settings))
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}

/** Columns and indexes of each table. */
async function shape(kind: DatabaseKind, settings: ApiSettings): Promise<unknown> {
  await using database = await opened(settings)
  const columns = Object.keys(TABLES).map((table) =>
    kind === 'sqlite'
      ? sql`select ${table} as at, name, type, "notnull" from pragma_table_info(${table})`
      : sql`select table_name, column_name, data_type, is_nullable, collation_name from information_schema.columns
          where table_name = ${table} order by ordinal_position`,
  )
  const indexes =
    kind === 'sqlite'
      ? sql`select name, sql from sqlite_master where type = 'index' order by name`
      : sql`select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`
  const shown = [...columns, indexes].map(async (read) => (await read.execute(database.query)).rows)
  return await Promise.all(shown)
}
