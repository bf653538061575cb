import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../plumbing/test/until.ts'
import { type Identity, startTestApi, type TestApi } from './api.ts'

let api: TestApi
let owner: Identity
let database: DatabaseSync
beforeAll(async () => {
  api = await startTestApi('sqlite')
  owner = await api.newOwner()
  database = new DatabaseSync(join(api.settings.dataDir, 'keyferry.db'), { timeout: 0 })
})
afterAll(async () => {
  database.close()
  await api.close()
})

/** A write that fails as a full disk fails, in the middle of what a call does. */
async function failing(write: string): Promise<() => Promise<void>> {
  const repair = () => executed('drop trigger if exists breaks')
  onTestFinished(repair)
  await executed(`create trigger breaks before ${write} begin select raise(abort, 'no'); end`)
  return repair
}

// The server's own transaction ends only while this process is free, so a wait inside SQLite would end nothing.
async function executed(statement: string): Promise<void> {
  await eventually(() => database.exec(statement))
}

async function newBundle(name: string) {
  const params = { bundle_id: (await api.call('createBundle', { as: owner, body: { name } })).json.id }
  const items = async () => (await api.call('getBundle', { as: owner, params })).json.items
  return { params, items }
}

test.each([
  ['a new item', "insert on legacy_items when new.name = 'K499'"],
  ['a known item', "update on legacy_items when new.name = 'KNOWN'"],
])('an import that fails at %s leaves everything as it was', async (_, write) => {
  const { params, items } = await newBundle(`import-${write.length}`)
  const known = { key: 'KNOWN', value: 'before', is_secret: false }
  await api.call('upsertLegacyItem', { as: owner, params, body: known })
  const before = await items()
  const fresh = Array.from({ length: 500 }, (__, index) => [`K${index}`, 'x'])
  const body = { format: 'json', data: { ...Object.fromEntries(fresh), KNOWN: 'after' } }
  const repair = await failing(write)
  expect((await api.call('importItems', { as: owner, params, body })).status).toBe(500)
  expect(await items()).toEqual(before)
  await repair()
  const { json } = await api.call('importItems', { as: owner, params, body })
  expect(json).toEqual({ ok: true, imported: 500, created: 500, updated: 1 })
})

test.each([
  ['the key', 'insert on keys'],
  ['the attachment', 'insert on attachments'],
  ['the removal', 'delete on legacy_items'],
])('a conversion that fails at %s leaves everything as it was, and can be tried again', async (_, write) => {
  const { params, items } = await newBundle(`convert-${write.length}`)
  const name = `OLD_${write.length}`
  await api.call('upsertLegacyItem', { as: owner, params, body: { key: name, value: 'v', is_secret: false } })
  const before = await items()
  const convert = () => api.call('convertLegacyItem', { as: owner, params: { ...params, key_name: name } })
  const repair = await failing(write)
  expect((await convert()).status).toBe(500)
  expect(await items()).toEqual(before)
  const { json: keys } = await api.call('listKeys', { as: owner, query: { query: name } })
  expect(keys).toEqual([])
  await repair()
  expect((await convert()).status).toBe(201)
  expect(await items()).toMatchObject([{ name, value: 'v', order: 0 }])
})
