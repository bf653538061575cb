import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

const MARKED = 'marked-value-7f3a9c'

describe.each(oneDatabase)('values at rest on %s', (kind) => {
  let api: TestApi
  let database: Database
  let owner: Identity
  beforeEach(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
    database = await openDatabaseOf(api)
    owner = await api.newOwner()
  })
  afterEach(async () => {
    await database.close()
    await api.close()
  })

  const create = async (name: string, as = owner) =>
    (await api.call('createKey', { as, body: { name, value: MARKED } })).json.id
  const reveal = (key_id: string, as = owner) =>
    api.call('getKey', { as, params: { key_id }, query: { reveal: '1' } })
  const stored = (id: string) =>
    database.query
      .selectFrom('keys')
      .select(['value', 'value_version'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const store = (
    id: string,
    row: {
      value?: Uint8Array
      value_version?: number
      name?: string
      is_secret?: 0 | 1
      template_parts?: string | null
    },
  ) => database.query.updateTable('keys').set(row).where('id', '=', id).execute()

  test('any flipped byte gives an error, never a value', async () => {
    const id = await create('KEY')
    const { value } = await stored(id)
    for (let at = 0; at < value.length; at += 1) {
      const flipped = Uint8Array.from(value)
      flipped[at] = (flipped[at] ?? 0) ^ 0x01
      await store(id, { value: flipped })
      const answer = await reveal(id)
      expect(answer.status).toBe(500)
      expect(answer.text).toBe('{"error":"internal error","code":"internal"}')
    }
  })

  test('a shortened, emptied or older value gives an error', async () => {
    const id = await create('KEY')
    const first = await stored(id)
    await api.call('updateKey', { as: owner, params: { key_id: id }, body: { value: 'second' } })
    const { value } = await stored(id)
    for (const row of [
      { value: value.subarray(0, -1) },
      { value: new Uint8Array() },
      { value: first.value },
    ]) {
      await store(id, row)
      expect((await reveal(id)).status).toBe(500)
    }
    await store(id, { value, value_version: 1 })
    expect((await reveal(id)).status).toBe(500)
  })

  test('swapped values give errors, within a tenant and across', async () => {
    const stranger = await api.newOwner()
    const [one, two, foreign] = [await create('ONE'), await create('TWO'), await create('KEY', stranger)]
    const [first, second, third] = [await stored(one), await stored(two), await stored(foreign)]
    await store(one, { value: second.value })
    await store(two, { value: third.value })
    await store(foreign, { value: first.value })
    expect((await reveal(one)).status).toBe(500)
    expect((await reveal(two)).status).toBe(500)
    expect((await reveal(foreign, stranger)).status).toBe(500)
  })

  test('a key that was renamed in the database gives an error until it has its name back', async () => {
    const id = await create('STAGING_URL')
    await store(id, { name: 'PRODUCTION_URL' })
    expect((await reveal(id)).status).toBe(500)
    await store(id, { name: 'STAGING_URL' })
    expect((await reveal(id)).json).toMatchObject({ value: MARKED })
  })

  test('a secret that was marked as not secret in the database gives an error, and its value stays hidden', async () => {
    const id = await create('KEY')
    const bundle = (await api.call('createBundle', { as: owner, body: { name: 'b' } })).json
    const params = { bundle_id: bundle.id }
    await api.call('attachKey', { as: owner, params: { ...params, key_id: id }, body: {} })
    await store(id, { is_secret: 0 })
    const answers = [
      await reveal(id),
      await api.call('getKey', { as: owner, params: { key_id: id } }),
      await api.call('getBundle', { as: owner, params }),
      await api.call('exportBundle', { as: owner, params }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500])
    expect(answers.map(({ text }) => text).join()).not.toContain(MARKED)
  })

  test('a value that was made a template in the database, or named other parts, gives an error', async () => {
    const id = await create('KEY')
    await store(id, { template_parts: '' })
    expect((await reveal(id)).status).toBe(500)
    const body = { name: 'URL', value: '${KEY}', is_template: true }
    const template = (await api.call('createKey', { as: owner, body })).json.id
    for (const template_parts of [null, '', 'OTHER', 'KEY OTHER']) {
      await store(template, { template_parts })
      expect((await reveal(template)).status).toBe(500)
    }
    await store(template, { template_parts: 'KEY' })
    expect((await reveal(template)).json).toMatchObject({ value: '${KEY}' })
  })

  test('a legacy item that was renamed or marked otherwise in the database gives an error', async () => {
    const bundle = (await api.call('createBundle', { as: owner, body: { name: 'b' } })).json
    const params = { bundle_id: bundle.id }
    await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'OLD', value: MARKED } })
    const exported = () => api.call('exportBundle', { as: owner, params, query: { reveal: '1' } })
    expect((await exported()).text).toContain(MARKED)
    for (const edit of [{ name: 'OTHER' }, { is_secret: 0 as const, name: 'OLD' }]) {
      await database.query.updateTable('legacy_items').set(edit).where('bundle_id', '=', bundle.id).execute()
      expect((await exported()).status).toBe(500)
    }
  })

  test('a mark that an owner changes keeps the value, and its version', async () => {
    const id = await create('KEY')
    for (const is_secret of [false, true]) {
      await api.call('updateKey', { as: owner, params: { key_id: id }, body: { is_secret } })
      expect((await reveal(id)).json).toMatchObject({ value: MARKED, is_secret })
    }
    expect((await stored(id)).value_version).toBe(1)
  })

  test('values and marks that are changed at the same time leave a row that opens', async () => {
    const id = await create('KEY')
    const changes = Array.from({ length: 24 }, (_, at) =>
      at % 2 === 0 ? { value: `value ${at}` } : { is_secret: at % 4 === 1 },
    )
    const update = (body: object) => api.call('updateKey', { as: owner, params: { key_id: id }, body })
    const answers = await Promise.all(changes.map(update))
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect((await reveal(id)).json).toMatchObject({ value: expect.stringMatching(/^value \d+$/) })
    expect((await stored(id)).value_version).toBe(13)
  })

  test('a corrupt secret does not break the list', async () => {
    const id = await create('KEY')
    await store(id, { value: new Uint8Array(64) })
    expect((await api.call('listKeys', { as: owner })).json).toMatchObject([{ value: '*****' }])
  })

  test('a marked value appears in no file, no log and no error', async () => {
    const id = await create('KEY')
    const bundle = (await api.call('createBundle', { as: owner, body: { name: 'b' } })).json
    const body = { format: 'env', payload: `LEGACY=${MARKED}\nexport X=${MARKED}` }
    const refused = await api.call('importItems', { as: owner, params: { bundle_id: bundle.id }, body })
    expect(refused.status).toBe(400)
    expect(refused.text).not.toContain(MARKED)
    body.payload = `LEGACY=${MARKED}`
    await api.call('importItems', { as: owner, params: { bundle_id: bundle.id }, body })
    await api.call('updateKey', { as: owner, params: { key_id: id }, body: { value: `${MARKED}-2` } })
    await api.call('updateKey', { as: owner, params: { key_id: id }, body: { value: `${MARKED}\0` } })
    await store(id, { value: new Uint8Array(64) })
    await reveal(id)
    expect(api.log()).toContain('failure')
    expect(api.log()).not.toContain(MARKED)
    expect(await everyStoredByte()).not.toContain(MARKED)
  })

  async function everyStoredByte(): Promise<string> {
    const { dataDir } = api.settings
    const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'))
    if (kind === 'sqlite') expect(readdirSync(dataDir)).toContain('keyferry.db-wal')
    const tables = ['keys', 'legacy_items', 'tenants', 'users', 'bundles'] as const
    const rows = await Promise.all(
      tables.map((table) => database.query.selectFrom(table).selectAll().execute()),
    )
    const bytes = rows.flat().flatMap((row) => Object.values<unknown>(row))
    const texts = bytes.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
    )
    return [...files, ...texts].join('\n')
  }
})
