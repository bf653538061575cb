import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('a duplicate with its own values, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle_id: string
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    const entries = ['A', 'B', 'C'].map((name) => ({ name, value: `dev ${name}` }))
    const { json } = await api.call('importVariables', { as: owner, body: { bundle: 'dev/app', entries } })
    bundle_id = json.bundle_id ?? ''
  })

  const duplicate = (body: object) =>
    api.call('duplicateBundle', { as: owner, params: { bundle_id }, body: { name: 'qa/app', ...body } })
  const delivered = async (id: string): Promise<unknown> => {
    const query = { format: 'json', reveal: '1' }
    return (await api.call('exportBundle', { as: owner, params: { bundle_id: id }, query })).json
  }

  test('a copy gets the given value; the others are copied or shared, and the original stays', async () => {
    const before = await delivered(bundle_id)
    const { json } = await duplicate({ own: ['B'], values: { A: 'qa A' } })
    expect(await delivered(json.id)).toEqual({ A: 'qa A', B: 'dev B', C: 'dev C' })
    const { json: items } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: json.id } })
    expect(items.map(({ key_name }) => key_name)).toEqual(['QA_APP_A', 'QA_APP_B', 'C'])
    expect(await delivered(bundle_id)).toEqual(before)
  })

  test('two copies that could have one library name get two', async () => {
    const more = { bundle: 'dev/app', entries: [{ name: 'A_2', value: 'dev A_2' }] }
    await api.call('importVariables', { as: owner, body: more })
    await api.call('createKey', { as: owner, body: { name: 'QA_APP_A', value: 'taken' } })
    const { json } = await duplicate({ own: ['A', 'A_2'] })
    const { json: items } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: json.id } })
    const names = Object.fromEntries(items.map(({ name, key_name }) => [name, key_name]))
    expect(names).toEqual({ A: 'QA_APP_A_3', B: 'B', C: 'C', A_2: 'QA_APP_A_2' })
  })

  test.each<[object, string]>([
    [{ values: { A: '*****' } }, 'a masked value cannot replace a secret: A'],
    [{ values: { D: 'x' } }, 'own names keys that the bundle does not deliver: D'],
    [{ values: { A: 5 } }, 'values must be an object of texts'],
    [{ values: [] }, 'values must be an object of texts'],
  ])('%j is 400, and nothing is created', async (body, message) => {
    expectError(await duplicate(body), 400, message, 'invalid')
    expect((await api.call('listBundles', { as: owner })).json).toHaveLength(1)
  })
})
