import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, startTestApi, type TestApi } from './api.ts'

const ENTRIES = 3
const BYTES = 20_000
const BUNDLE_FULL = `a bundle can hold ${ENTRIES} entries: remove some, or use another bundle`
const WORKSPACE_FULL = `the values of a workspace can take ${BYTES} bytes: delete keys that are not used, or ask the operator to raise MAX_TENANT_BYTES`
const LARGE = 'v'.repeat(6_000)

describe.each(databases)('what a bundle and a workspace can hold, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundleId: string
  let made = 0
  beforeAll(async () => {
    api = await startTestApi(kind, { maxBundleEntries: ENTRIES, maxTenantBytes: BYTES })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    bundleId = (await api.call('createBundle', { as: owner, body: { name: 'app' } })).json.id
  })

  const createKey = (value = 'x') => api.call('createKey', { as: owner, body: { name: `K${made++}`, value } })
  const attach = async () => {
    const params = { bundle_id: bundleId, key_id: (await createKey()).json.id }
    return api.call('attachKey', { as: owner, params })
  }
  const importItems = (data: Record<string, string>) =>
    api.call('importItems', { as: owner, params: { bundle_id: bundleId }, body: { format: 'json', data } })
  const entries = async () =>
    (await api.call('getBundle', { as: owner, params: { bundle_id: bundleId } })).json.items.length

  test('a bundle refuses one key more than it can hold', async () => {
    for (let index = 0; index < ENTRIES; index += 1) expect((await attach()).status).toBe(201)
    expectError(await attach(), 409, BUNDLE_FULL, 'bundle_full')
    expect(await entries()).toBe(ENTRIES)
  })

  test('an import beyond the bound writes nothing; known names are still updated in a full bundle', async () => {
    await attach()
    expectError(await importItems({ A: '1', B: '2', C: '3' }), 409, BUNDLE_FULL, 'bundle_full')
    expect(await entries()).toBe(1)
    expect((await importItems({ A: '1', B: '2' })).status).toBe(200)
    expect((await importItems({ A: 'other' })).status).toBe(200)
    const params = { bundle_id: bundleId, key_name: 'A' }
    expect((await api.call('convertLegacyItem', { as: owner, params })).status).toBe(201)
    expect(await entries()).toBe(ENTRIES)
  })

  test('a workspace refuses values beyond its bytes, and takes them again after a delete', async () => {
    const keys = [await createKey(LARGE), await createKey(LARGE), await createKey(LARGE)]
    const [first] = keys.map(({ json }) => json.id)
    expectError(await createKey(LARGE), 409, WORKSPACE_FULL, 'workspace_full')
    expectError(await importItems({ A: LARGE }), 409, WORKSPACE_FULL, 'workspace_full')
    const params = { key_id: first ?? '' }
    const update = { as: owner, params, body: { value: LARGE.toUpperCase() } }
    expectError(await api.call('updateKey', update), 409, WORKSPACE_FULL, 'workspace_full')
    expect((await api.call('deleteKey', { as: owner, params })).status).toBe(200)
    await expect.poll(async () => (await createKey(LARGE)).status).toBe(201)
  })

  test('another workspace is not affected', async () => {
    for (let index = 0; index < 4; index += 1) await createKey(LARGE)
    owner = await api.newOwner()
    expect((await createKey(LARGE)).status).toBe(201)
  })
})
