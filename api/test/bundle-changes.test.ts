import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

const CREATED_AT = '2026-01-31T12:00:00.000Z'
const CHANGED_AT = '2026-02-01T12:00:00.000Z'

const unique = () => randomUUID().replaceAll('-', '')

describe.each(oneDatabase)('changed bundles on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let now = CREATED_AT
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => new Date(now) })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const newBundle = async (draft: object = {}, as = owner) =>
    (await api.call('createBundle', { as, body: { name: unique(), ...draft } })).json
  const newKey = async (as = owner) =>
    (await api.call('createKey', { as, body: { name: `K${unique()}`, value: 'v' } })).json
  const update = (bundle_id: string, body: unknown, as = owner) =>
    api.call('updateBundle', { as, params: { bundle_id }, body })
  const duplicate = (bundle_id: string, name: string, as = owner) =>
    api.call('duplicateBundle', { as, params: { bundle_id }, body: { name } })
  const itemsOf = async (bundle_id: string) =>
    (await api.call('getBundle', { as: owner, params: { bundle_id } })).json.items

  test('what is given changes, what is absent stays', async () => {
    const bundle = await newBundle({ description: 'first', tags: 'a' })
    const renamed = await update(bundle.id, { name: `new/${bundle.name}` })
    expect([renamed.status, renamed.json]).toEqual([200, { ...bundle, name: `new/${bundle.name}` }])
    const { json } = await update(bundle.id, { description: '', tags: ' b, b ,c ' })
    expect(json).toMatchObject({ name: `new/${bundle.name}`, description: '', tags: 'b,c' })
  })

  test('a taken name is a conflict and changes nothing', async () => {
    const [bundle, other] = [await newBundle(), await newBundle()]
    const taken = await update(bundle.id, { name: other.name, tags: 'a' })
    expectError(taken, 409, 'bundle with this name already exists', 'conflict')
    const { json } = await api.call('getBundle', { as: owner, params: { bundle_id: bundle.id } })
    expect(json).toEqual({ ...bundle, items: [] })
    expect((await update(bundle.id, { name: bundle.name })).status).toBe(200)
  })

  test.each([
    [{ name: '' }, 'name required'],
    [{ name: 'a b' }, 'name may hold only letters, digits, /, - and _'],
    [{ tags: 5 }, 'tags must be a string'],
  ])('changing to %j answers 400 %s', async (body, message) => {
    expectError(await update((await newBundle()).id, body), 400, message, 'invalid')
  })

  test('an unknown bundle is neither changed nor duplicated', async () => {
    expectError(await update(randomUUID(), { tags: 'a' }), 404, 'bundle not found', 'not_found')
    expectError(await duplicate(randomUUID(), unique()), 404, 'bundle not found', 'not_found')
  })

  test('a duplicate has the same keys in the same order, and its own description and tags', async () => {
    const bundle = await newBundle({ description: 'text', tags: 'a' })
    const [first, second] = [await newKey(), await newKey()]
    const place = { bundle_id: bundle.id }
    await api.call('attachKey', { as: owner, params: { ...place, key_id: first.id } })
    const body = { order: 0, required: true }
    await api.call('attachKey', { as: owner, params: { ...place, key_id: second.id }, body })
    const name = unique()
    const copy = await duplicate(bundle.id, name)
    expect(copy.status).toBe(201)
    expect(copy.json).toMatchObject({ name, description: 'text', tags: 'a', key_count: 2 })
    expect(await itemsOf(copy.json.id)).toEqual(await itemsOf(bundle.id))
    await api.call('detachKey', { as: owner, params: { bundle_id: copy.json.id, key_id: first.id } })
    expect(await itemsOf(bundle.id)).toHaveLength(2)
  })

  test('a duplicate with a taken name is a conflict', async () => {
    const bundle = await newBundle()
    expectError(await duplicate(bundle.id, bundle.name), 409, 'bundle with this name already exists')
  })

  test('a bundle with inline items is not duplicated without them', async () => {
    const params = { bundle_id: (await newBundle()).id }
    await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'A', value: '1' } })
    const refused = await duplicate(params.bundle_id, unique())
    expectError(refused, 409, 'this bundle has inline items: convert them into keys first', 'conflict')
  })

  test('a bundle says how many keys it has, and who changed it last', async () => {
    const { username } = (await api.call('getMe', { as: owner })).json
    const bundle = await newBundle()
    expect(bundle).toMatchObject({ key_count: 0, updated_by: owner.userId, updated_by_name: username })
    const key = await newKey()
    const params = { bundle_id: bundle.id, key_id: key.id }
    const listed = async () =>
      (await api.call('listBundles', { as: owner, query: { query: bundle.name } })).json[0]
    now = CHANGED_AT
    const changes = [
      () => api.call('attachKey', { as: owner, params }),
      () => api.call('changeAttachment', { as: owner, params, body: { required: true } }),
      () => api.call('reorderKey', { as: owner, params, body: { order: 0 } }),
      () => api.call('detachKey', { as: owner, params }),
      () => api.call('upsertLegacyItem', { as: owner, params, body: { key: 'A', value: '1' } }),
      () => api.call('deleteLegacyItem', { as: owner, params: { ...params, key_name: 'A' } }),
    ]
    for (const [index, change] of changes.entries()) {
      now = new Date(Date.parse(CHANGED_AT) + index).toISOString()
      expect((await change()).status).toBeLessThan(300)
      expect(await listed()).toMatchObject({ key_count: index < 3 ? 1 : 0, updated_at: now })
    }
    await api.call('attachKey', { as: owner, params })
    now = new Date(Date.parse(CHANGED_AT) + 100).toISOString()
    await api.call('deleteKey', { as: owner, params })
    expect(await listed()).toMatchObject({ key_count: 0, updated_at: now })
    now = CREATED_AT
  })
})
