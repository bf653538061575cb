import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { until } from '../../plumbing/test/until.ts'
import {
  type ApiSettings,
  backupDatabase,
  migrate,
  restoreDatabase,
  rotateRootKey,
  startApi,
  verifyValues,
} from '../src/main.ts'
import { MIGRATIONS } from '../src/storage/base/migrations.ts'
import {
  type Identity,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
  testSettings,
} from './api.ts'
import { load } from './kept-database.ts'

const ALL = MIGRATIONS.map(({ name }) => name)
const newRootKey = () => formatRootKey(generateRootKey())
const place = ({ key_id }: { key_id: string }) => ({ key_id })
const newFile = (name: string) => join(mkdtempSync(join(tmpdir(), 'keyferry-backup-')), name)
const silent = { logTo: { write: () => {} } }

async function withKey(api: TestApi, value: string): Promise<{ as: Identity; key_id: string }> {
  const as = await api.newOwner()
  const { json } = await api.call('createKey', { as, body: { name: 'KEY', value, is_secret: false } })
  return { as, key_id: json.id }
}

// A server that appends in this process would keep a restore from copying.
async function whenAppended(api: TestApi, as: Identity): Promise<void> {
  const log = async () => (await api.call('listAudit', { as })).json
  await until('the last entry', async () => (await log()).every(({ sealed }) => sealed))
}

async function storedValue(
  settings: ApiSettings,
  kind: 'sqlite' | 'postgres',
  { as, key_id }: { as: Identity; key_id: string },
) {
  const api = await startTestApi(kind, settings)
  const { json } = await api.call('getKey', { as, params: { key_id } })
  await api.close()
  return json.value
}

// Two connections of one process that wait for each other's lock would wait for ever: SQLite waits synchronously.
async function inProcess(name: 'migrate' | 'rotateRootKey', settings: ApiSettings): Promise<string> {
  const script = `
    const api = await import(process.argv[1])
    console.log(JSON.stringify(await api.${name}(JSON.parse(process.argv[2]))))`
  const main = join(import.meta.dirname, '../src/main.ts')
  const args = ['--input-type=module', '--eval', script, main, JSON.stringify(settings)]
  // Several processes start here; the first compiles for all.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'compiled-api') }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  return stdout.trim()
}

describe.each(oneDatabase)('maintenance of a database on %s', (kind) => {
  const databaseOf = async () => ({ databaseUrl: kind === 'postgres' ? await freshPostgres() : null })

  test('of three processes that start together one migrates', async () => {
    const settings = testSettings(await databaseOf())
    const runs = await Promise.all(Array.from({ length: 3 }, () => inProcess('migrate', settings)))
    expect(runs.filter((names) => names !== '[]')).toEqual([JSON.stringify(ALL)])
  })

  test('the migrate command reports which migrations ran', async () => {
    const settings = testSettings(await databaseOf())
    expect(await migrate(settings)).toEqual(ALL)
    expect(await migrate(settings)).toEqual([])
  })

  test('another root key stops the start and changes nothing', async () => {
    const api = await startTestApi(kind)
    const key = await withKey(api, 'value')
    await api.close()
    const wrong = { ...api.settings, rootKeys: [newRootKey()] as const }
    await expect(startApi(wrong, silent)).rejects.toThrow('ROOT_KEY does not open this database')
    expect(await storedValue(api.settings, kind, key)).toBe('value')
  })

  test('after a rotation the new root key opens everything and the old one nothing', async () => {
    const api = await startTestApi(kind)
    const key = await withKey(api, 'value')
    await api.close()
    const [old] = api.settings.rootKeys
    const next = newRootKey()
    const both = { ...api.settings, rootKeys: [next, old] as const }
    expect(await rotateRootKey(both)).toMatchObject({ rewrapped: 1, forgotten: [expect.any(String)] })
    expect(await rotateRootKey(both)).toEqual({ rewrapped: 0, forgotten: [] })
    expect(await storedValue({ ...both, rootKeys: [next] }, kind, key)).toBe('value')
    await expect(startApi({ ...both, rootKeys: [old] }, silent)).rejects.toThrow('ROOT_KEY does not open')
  })

  test('during a rotation, servers with both keys serve and create tenants', async () => {
    const api = await startTestApi(kind)
    const old = api.settings.rootKeys[0]
    const key = await withKey(api, 'value')
    const next = newRootKey()
    const later = await startTestApi(kind, { ...api.settings, rootKeys: [old, next] })
    const rotated = inProcess('rotateRootKey', { ...api.settings, rootKeys: [next, old] })
    const made = await withKey(later, 'made during the rotation')
    await rotated
    expect((await later.call('getKey', { as: key.as, params: place(key) })).json.value).toBe('value')
    expect((await later.call('getKey', { as: made.as, params: place(made) })).json.value).toBe(
      'made during the rotation',
    )
    await later.close()
    await api.close()
    await rotateRootKey({ ...api.settings, rootKeys: [next, old] })
    expect(await storedValue({ ...api.settings, rootKeys: [next] }, kind, made)).toBe(
      'made during the rotation',
    )
  })

  test.runIf(kind === 'sqlite').each(['tenants', 'audit_keys', 'receipt_keys', 'deposit_keys'])(
    'a rotation forgets no root key that a new row of %s uses',
    async (table) => {
      const api = await startTestApi(kind)
      await withKey(api, 'value')
      await api.close()
      const late = `update ${table} set root_key_id = old.root_key_id`
      await load(
        join(api.settings.dataDir, 'keyferry.db'),
        `create trigger late after update on deposit_keys begin ${late}; end`,
      )
      const both = { ...api.settings, rootKeys: [newRootKey(), api.settings.rootKeys[0]] as const }
      expect(await rotateRootKey(both)).toEqual({ rewrapped: 1, forgotten: [] })
    },
  )

  test('verify counts what opens and names what does not', async () => {
    const api = await startTestApi(kind)
    const { key_id } = await withKey(api, 'value')
    const broken = await withKey(api, 'value')
    expect(await verifyValues(api.settings)).toEqual({ checked: 2, failures: [] })
    const database = await openDatabaseOf(api)
    await database.query
      .updateTable('keys')
      .set({ value: new Uint8Array(60) })
      .where('id', '=', broken.key_id)
      .execute()
    await database.close()
    const { checked, failures } = await verifyValues(api.settings)
    expect(checked).toBe(2)
    expect(failures).toMatchObject([{ table: 'keys', id: broken.key_id, tenantId: broken.as.tenantId }])
    expect(JSON.stringify(failures)).not.toContain(key_id)
    await api.close()
  })

  test('verify opens the secrets of webhooks, the old ones too', async () => {
    const api = await startTestApi(kind)
    const as = await api.newOwner()
    const made = await api.call('createWebhook', { as, body: { url: 'https://192.0.2.1/' } })
    const params = { webhook_id: made.json.id }
    await api.call('rotateWebhookSecret', { as, params })
    expect(await verifyValues(api.settings)).toEqual({ checked: 2, failures: [] })
    const database = await openDatabaseOf(api)
    await database.query
      .updateTable('webhooks')
      .set({ old_secret: new Uint8Array(60) })
      .execute()
    await database.close()
    const { failures } = await verifyValues(api.settings)
    expect(failures).toMatchObject([{ table: 'webhooks', id: params.webhook_id, version: 1 }])
    await api.close()
  })
})

describe('backup and restore of the embedded database', () => {
  test('a backup made while values change opens elsewhere with the root key', async () => {
    const api = await startTestApi('sqlite')
    const key = await withKey(api, 'before')
    const file = newFile('backup.db')
    const writes = Array.from({ length: 50 }, (_, index) =>
      api.call('updateKey', { as: key.as, params: place(key), body: { value: `after ${index}` } }),
    )
    await Promise.all([backupDatabase(api.settings, file), ...writes])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const elsewhere = testSettings({ rootKeys: api.settings.rootKeys })
    expect(await restoreDatabase(elsewhere, file)).toBeNull()
    expect(await storedValue(elsewhere, 'sqlite', key)).toMatch(/^(before|after \d+)$/)
    // How many replaced values the backup contains depends on its moment.
    expect(await verifyValues(elsewhere)).toMatchObject({ failures: [] })
    await api.close()
  })

  test('a restore takes the place of what is there, while a server runs, and keeps it', async () => {
    const api = await startTestApi('sqlite')
    const key = await withKey(api, 'first')
    const file = newFile('backup.db')
    await backupDatabase(api.settings, file)
    await api.call('updateKey', { as: key.as, params: place(key), body: { value: 'second' } })
    await whenAppended(api, key.as)
    const kept = await restoreDatabase(api.settings, file)
    expect((await api.call('getKey', { as: key.as, params: place(key) })).json.value).toBe('first')
    expect(existsSync(kept ?? '')).toBe(true)
    await restoreDatabase(api.settings, kept ?? '')
    expect((await api.call('getKey', { as: key.as, params: place(key) })).json.value).toBe('second')
    await api.close()
  })

  test('a damaged database is not taken for a backup', async () => {
    const api = await startTestApi('sqlite')
    await withKey(api, 'value'.repeat(10_000))
    await api.close()
    const database = join(api.settings.dataDir, 'keyferry.db')
    const pages = readFileSync(database)
    pages.fill(0xff, Math.floor(pages.length / 2), Math.floor(pages.length / 2) + 16_384)
    writeFileSync(database, pages)
    const file = newFile('backup.db')
    await expect(backupDatabase(api.settings, file)).rejects.toThrow('is not a backup of this service')
    expect(existsSync(file)).toBe(false)
  })

  test('what is no backup, or needs another root key, changes nothing', async () => {
    const api = await startTestApi('sqlite')
    const key = await withKey(api, 'value')
    await api.close()
    const file = newFile('backup.db')
    await backupDatabase(api.settings, file)
    await expect(backupDatabase(api.settings, file)).rejects.toThrow('exists already: name a new file')
    const other = testSettings()
    await expect(restoreDatabase(other, file)).rejects.toThrow('ROOT_KEY does not open')
    expect(existsSync(join(other.dataDir, 'keyferry.db'))).toBe(false)
    const noBackup = newFile('notes.txt')
    writeFileSync(noBackup, 'not a database, but long enough to be read as one'.repeat(100))
    await expect(restoreDatabase(api.settings, noBackup)).rejects.toThrow('is not a backup of this service')
    await expect(restoreDatabase(api.settings, newFile('absent'))).rejects.toThrow('there is no file')
    await load(file, 'alter table migrations drop column hash')
    await expect(restoreDatabase(api.settings, file)).rejects.toThrow(
      'database was made by a build before 0.1.0',
    )
    expect(readdirSync(api.settings.dataDir).filter((name) => name.includes('restore'))).toEqual([])
    expect(await storedValue(api.settings, 'sqlite', key)).toBe('value')
  })

  test('a database that is not the embedded one is left to its own tools', async () => {
    const settings = testSettings({ databaseUrl: 'postgres://127.0.0.1:1/none' })
    await expect(backupDatabase(settings, newFile('backup.db'))).rejects.toThrow('back it up with pg_dump')
    await expect(restoreDatabase(settings, newFile('backup.db'))).rejects.toThrow(
      'restore it with pg_restore, then run audit-restored',
    )
  })
})
