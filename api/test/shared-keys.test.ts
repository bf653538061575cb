import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('keys that several bundles use, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
  })

  const newKey = async (name: string) =>
    (await api.call('createKey', { as: owner, body: { name, value: `value of ${name}` } })).json.id
  const newBundle = async (name: string) =>
    (await api.call('createBundle', { as: owner, body: { name } })).json.id
  const attach = (bundle_id: string, key_id: string, body?: object) =>
    api.call('attachKey', { as: owner, params: { bundle_id, key_id }, body })
  const change = (bundle_id: string, key_id: string, body: unknown) =>
    api.call('changeAttachment', { as: owner, params: { bundle_id, key_id }, body })
  const shared = (bundle_id: string) => api.call('listSharedKeys', { as: owner, params: { bundle_id } })
  const items = async (bundle_id: string) =>
    (await api.call('getBundle', { as: owner, params: { bundle_id } })).json.items

  test('a shared key names the first other bundle and counts them; an own key is not listed', async () => {
    const [own, both] = [await newKey('OWN'), await newKey('BOTH')]
    const [prod, qa, dev] = [
      await newBundle('prod/app'),
      await newBundle('qa/app'),
      await newBundle('dev/app'),
    ]
    await attach(prod, own)
    for (const id of [prod, qa, dev]) await attach(id, both, { as: 'URL' })
    expect((await shared(prod)).json).toEqual([
      { key_id: both, shared_with: 'dev/app', shared_total: 2, may_detach: true, crosses: true },
    ])
    expect((await shared(dev)).json).toEqual([
      { key_id: both, shared_with: 'prod/app', shared_total: 2, may_detach: true, crosses: true },
    ])
    expectError(await shared(randomUUID()), 404, 'bundle not found')
  })

  test('of more keys than one query takes, each is listed once', async () => {
    const entries = Array.from({ length: 201 }, (_, n) => ({ name: `K${n}`, value: `${n}` }))
    const imported = async (bundle: string) =>
      (await api.call('importVariables', { as: owner, body: { bundle, entries } })).json.bundle_id ?? ''
    await imported('dev/app')
    const { json } = await shared(await imported('qa/app'))
    expect(new Set(json.map(({ key_id }) => key_id)).size).toBe(201)
    expect(json.map(({ shared_total }) => shared_total)).toEqual(entries.map(() => 1))
  })

  test('another key takes the place, the name and the mark of an attached one', async () => {
    const [a, b, c] = [await newKey('A'), await newKey('B'), await newKey('C')]
    const bundle = await newBundle('prod/app')
    await attach(bundle, a, { as: 'URL', required: true })
    await attach(bundle, b)
    expect((await change(bundle, a, { key_id: c })).status).toBe(200)
    expect(await items(bundle)).toMatchObject([
      { id: c, name: 'URL', key_name: 'C', required: true, order: 0 },
      { id: b, name: 'B', order: 1 },
    ])
    expect((await change(bundle, c, { key_id: c })).status).toBe(200)
    expectError(await change(bundle, c, { key_id: b }), 409, 'Key already attached to bundle', 'conflict')
    expectError(await change(bundle, c, { key_id: randomUUID() }), 404, 'Key not found')
    expectError(await change(bundle, c, {}), 400, 'as, required or key_id must be given', 'invalid')
    expect(await items(bundle)).toMatchObject([{ id: c }, { id: b }])
  })

  test("another workspace's key does not take a place", async () => {
    const key = await newKey('A')
    const bundle = await newBundle('prod/app')
    await attach(bundle, key)
    const other = await api.newOwner()
    const foreign = (await api.call('createKey', { as: other, body: { name: 'A', value: 'x' } })).json.id
    expectError(await change(bundle, key, { key_id: foreign }), 404, 'Key not found')
  })
})
