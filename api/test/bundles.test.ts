import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, startTestApi, type TestApi } from './api.ts'

describe.each(databases)('bundles on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let stranger: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
    stranger = await api.newOwner()
  })
  afterAll(() => api.close())

  const create = (body: unknown, as = owner) => api.call('createBundle', { as, body })
  const list = async (query: Record<string, string>, as = owner) =>
    (await api.call('listBundles', { as, query })).json.map(({ name }) => name)

  test('a created bundle names its creator and tenant', async () => {
    const { status, json } = await create({ name: 'dev/app', description: 'laptop', tags: ' a, b ,,a' })
    expect(status).toBe(201)
    expect(json).toMatchObject({ name: 'dev/app', description: 'laptop', tags: 'a,b' })
    expect(json).toMatchObject({ created_by: owner.userId, tenant_id: owner.tenantId })
  })

  test('a second bundle of one name is a conflict, in another tenant it is not', async () => {
    await create({ name: 'twice' })
    expectError(await create({ name: 'twice' }), 409, 'bundle with this name already exists', 'conflict')
    expect((await create({ name: 'twice' }, stranger)).status).toBe(201)
  })

  test('of twenty concurrent creations of one name one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'race' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  test.each([
    [{}, 'name required'],
    [{ name: '' }, 'name required'],
    [{ name: 'a b' }, 'name may hold only letters, digits, /, - and _'],
    [{ name: '/a' }, 'name may not begin or end with / or hold //'],
    [{ name: 'a//b' }, 'name may not begin or end with / or hold //'],
    [{ name: 'a'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: 'a', description: 'x'.repeat(2001) }, 'description must be at most 2000 characters'],
    [{ name: 'a', description: 'a\0b' }, 'description must not contain NUL'],
    [{ name: 'a', tags: 5 }, 'tags must be a string'],
  ])('creating %j answers 400 %s', async (body, message) => {
    expectError(await create(body), 400, message, 'invalid')
  })

  test('a name search is part of the name in any case, its wildcards literal', async () => {
    const as = await api.newOwner()
    for (const name of ['Prod/api', 'prod_web', 'staging']) await create({ name }, as)
    expect(await list({ query: 'PROD' }, as)).toEqual(['Prod/api', 'prod_web'])
    expect(await list({ query: '_' }, as)).toEqual(['prod_web'])
    expect(await list({ query: '%' }, as)).toEqual([])
    expect(await list({}, as)).toEqual(['Prod/api', 'prod_web', 'staging'])
  })

  test('a tag filter matches whole tags', async () => {
    const as = await api.newOwner()
    await create({ name: 'one', tags: 'ab,c' }, as)
    await create({ name: 'two', tags: 'a, c' }, as)
    expect(await list({ tag: 'a' }, as)).toEqual(['two'])
    expect(await list({ tag: 'c' }, as)).toEqual(['one', 'two'])
    expect(await list({ tag: 'C' }, as)).toEqual([])
  })

  test('limit and offset select a page of the list, and a header has the total', async () => {
    const as = await api.newOwner()
    for (const name of ['a', 'b', 'c', 'd']) await create({ name }, as)
    const page = await api.call('listBundles', { as, query: { limit: '2', offset: '1' } })
    expect(page.json.map(({ name }) => name)).toEqual(['b', 'c'])
    expect(page.headers.get('x-total-count')).toBe('4')
    expect(await list({ offset: '3' }, as)).toEqual(['d'])
    expectError(await api.call('listBundles', { as, query: { limit: '0' } }), 400, 'limit must be at least 1')
  })

  test('a bundle without keys has no items', async () => {
    const { json } = await create({ name: 'empty' })
    const got = await api.call('getBundle', { as: owner, params: { bundle_id: json.id } })
    expect(got.json).toEqual({ ...json, items: [] })
  })

  test("another tenant's bundle answers byte for byte as an unknown one", async () => {
    const { json } = await create({ name: 'mine' })
    const foreign = await api.call('getBundle', { as: stranger, params: { bundle_id: json.id } })
    const unknown = await api.call('getBundle', { as: stranger, params: { bundle_id: randomUUID() } })
    expectError(foreign, 404, 'bundle not found', 'not_found')
    expect(foreign.text).toBe(unknown.text)
  })

  test('a deleted bundle is gone, its keys stay', async () => {
    const bundle = (await create({ name: 'brief' })).json
    const key = (await api.call('createKey', { as: owner, body: { name: 'STAYS', value: 'v' } })).json
    const params = { bundle_id: bundle.id, key_id: key.id }
    await api.call('attachKey', { as: owner, params })
    const deleted = await api.call('deleteBundle', { as: owner, params })
    expect(deleted.json).toEqual({ ok: true, message: 'bundle deleted' })
    expectError(await api.call('deleteBundle', { as: owner, params }), 404, 'bundle not found')
    expect((await api.call('getKey', { as: owner, params })).json).toMatchObject({
      used_in_bundles: 0,
      bundles: [],
    })
  })
})
