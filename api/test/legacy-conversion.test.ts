import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('converting legacy items on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let params: { bundle_id: string }
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    params = { bundle_id: (await api.call('createBundle', { as: owner, body: { name: 'b' } })).json.id }
  })

  const upsert = (body: unknown) => api.call('upsertLegacyItem', { as: owner, params, body })
  const items = async () => (await api.call('getBundle', { as: owner, params })).json.items
  const attach = async (name: string, value: string, is_secret: boolean) => {
    const { json } = await api.call('createKey', { as: owner, body: { name, value, is_secret } })
    await api.call('attachKey', { as: owner, params: { ...params, key_id: json.id } })
  }

  test('an item converts into a library key of the same value and mark, at the end of the bundle', async () => {
    await upsert({ key: 'OPEN', value: 'shown', is_secret: false })
    await upsert({ key: 'SECRET', value: 'hidden' })
    await attach('FIRST', 'x', true)
    const convert = (key_name: string) =>
      api.call('convertLegacyItem', { as: owner, params: { ...params, key_name } })
    const { status, json } = await convert('SECRET')
    expect(status).toBe(201)
    expect(json).toMatchObject({
      name: 'SECRET',
      value: '*****',
      is_secret: true,
      used_in_bundles: 1,
      version: 1,
    })
    expect((await convert('OPEN')).json).toMatchObject({ name: 'OPEN', value: 'shown', is_secret: false })
    expect((await items()).map(({ name, order, required }) => [name, order, required])).toEqual([
      ['FIRST', 0, false],
      ['SECRET', 1, false],
      ['OPEN', 2, false],
    ])
    expectError(await convert('SECRET'), 404, 'Key not found')
    const nowhere = { as: owner, params: { bundle_id: randomUUID(), key_name: 'SECRET' } }
    expectError(await api.call('convertLegacyItem', nowhere), 404, 'bundle not found')
  })

  test('an item does not convert over a library key of its name', async () => {
    await upsert({ key: 'A', value: 'legacy' })
    await api.call('createKey', { as: owner, body: { name: 'A', value: 'library' } })
    const answer = await api.call('convertLegacyItem', { as: owner, params: { ...params, key_name: 'A' } })
    expectError(answer, 409, 'Key with this name already exists', 'conflict')
    expect((await items()).map(({ id }) => id)).toEqual([null])
  })
})
