import { randomUUID } from 'node:crypto'
import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acceptForeignRows } from '../src/audit-maintenance.ts'
import { StoredBytes } from '../src/storage/base/stored-bytes.ts'
import { expectError, type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

const ENTRIES = 3
const BYTES = 20_000
const BUNDLE_FULL = `a bundle can hold ${ENTRIES} entries: remove some, or use another bundle`
const WORKSPACE_FULL = `the values of a workspace can take ${BYTES} bytes: delete keys that are not used, or ask the operator to raise MAX_TENANT_BYTES`
const WORKSPACES = 4
const TOO_MANY_WORKSPACES = `one person can create ${WORKSPACES} workspaces: use one that you have, or ask the operator to raise MAX_WORKSPACES_PER_PERSON`
const LARGE = 'v'.repeat(6_000)

describe.each(oneDatabase)('what a bundle and a workspace can have, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundleId: string
  let made = 0
  beforeAll(async () => {
    const bounds = { maxBundleEntries: ENTRIES, maxTenantBytes: BYTES, maxWorkspacesPerPerson: WORKSPACES }
    api = await startTestApi(kind, bounds)
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

  test('a bundle refuses one key more than it can have', async () => {
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

  test('a server that starts counts former values too', async () => {
    const params = { key_id: (await createKey(LARGE)).json.id }
    for (const value of [LARGE.toUpperCase(), LARGE])
      expect((await api.call('updateKey', { as: owner, params, body: { value } })).status).toBe(200)
    const database = await openDatabaseOf(api)
    const bounds = { assurance: 'compat', bundleEntries: 1, versionsKept: 1, workspacesPerPerson: 1 } as const
    const started = new StoredBytes(database, { ...bounds, tenantBytes: BYTES })
    await started.prepare(owner.tenantId)
    await database.close()
    expect(() => started.add(owner.tenantId, LARGE.length)).toThrow(WORKSPACE_FULL)
  })

  const importVariables = (data: Record<string, string>) => {
    const variables = Object.entries(data).map(([name, value]) => ({ name, value }))
    return api.call('importVariables', { as: owner, body: { bundle: 'app', entries: variables } })
  }
  const library = async () => (await api.call('listKeys', { as: owner })).json.length

  test('an import into the library beyond what a bundle can have writes nothing', async () => {
    await attach()
    expectError(await importVariables({ A: '1', B: '2', C: '3' }), 409, BUNDLE_FULL, 'bundle_full')
    expect([await entries(), await library()]).toEqual([1, 1])
    expect((await importVariables({ A: '1', B: '2' })).status).toBe(200)
    expect((await importVariables({ A: 'other' })).status).toBe(200)
    expectError(await importVariables({ A: 'other', D: '4' }), 409, BUNDLE_FULL, 'bundle_full')
  })

  test('an import into the library beyond the bytes of the workspace writes nothing', async () => {
    const data = { A: LARGE, B: `${LARGE}b`, C: `${LARGE}c`, D: `${LARGE}d` }
    expectError(await importVariables(data), 409, WORKSPACE_FULL, 'workspace_full')
    expect([await entries(), await library()]).toEqual([0, 0])
    await expect.poll(async () => (await importVariables({ A: LARGE })).status).toBe(200)
  })

  test('a bundle’s own copy counts: split and duplicate beyond the bytes write nothing', async () => {
    const params = { bundle_id: bundleId, key_id: (await createKey(LARGE)).json.id }
    await api.call('attachKey', { as: owner, params })
    for (let index = 0; index < 2; index += 1) await createKey(LARGE)
    const split = await api.call('splitKey', { as: owner, params })
    expectError(split, 409, WORKSPACE_FULL, 'workspace_full')
    const name = (await api.call('getKey', { as: owner, params })).json.name
    const body = { name: 'copy', own: [name] }
    const duplicate = await api.call('duplicateBundle', { as: owner, params, body })
    expectError(duplicate, 409, WORKSPACE_FULL, 'workspace_full')
    expect(await library()).toBe(3)
    expect((await api.call('listBundles', { as: owner })).json).toHaveLength(1)
    const shared = await api.call('duplicateBundle', { as: owner, params, body: { name: 'shared' } })
    expect(shared.status).toBe(201)
  })

  test('a person creates as many workspaces as the setting says, also with calls at once', async () => {
    const create = () => api.call('createTenant', { as: owner, body: { name: 'another' } })
    const answers = await Promise.all(Array.from({ length: WORKSPACES + 2 }, create))
    // The first one came with the person.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(WORKSPACES - 1)
    expectError(await create(), 409, TOO_MANY_WORKSPACES, 'too_many_workspaces')
    expect((await api.call('listTenants', { as: owner })).json).toHaveLength(WORKSPACES)
  })

  test('values without a byte are bounded too', async () => {
    const statuses = new Set<number>()
    for (let index = 0; index * LIMITS.storedRowBytes < BYTES; index += 1)
      statuses.add((await createKey('')).status)
    expect(statuses).toEqual(new Set([201, 409]))
  })

  test('a workspace lists the rules of all bundles, and refuses one bundle more than it can have', async () => {
    const database = await openDatabaseOf(api)
    const first = database.query.selectFrom('bundles').selectAll().where('id', '=', bundleId)
    const known = await first.executeTakeFirstOrThrow()
    const more = Array.from({ length: LIMITS.bundles - 2 }, (_, index) => ({
      ...known,
      id: randomUUID(),
      name: `b${index}`,
    }))
    await database.write((transaction) => database.insertAll(transaction, 'bundles', more))
    await database.close()
    await acceptForeignRows(api.settings)
    const create = (name: string) => api.call('createBundle', { as: owner, body: { name } })
    const last = await create('last')
    expect(last.status).toBe(201)
    for (const bundle_id of [last.json.id, bundleId])
      await api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body: { approvers: 'owner' } })
    const { json } = await api.call('getTenantPolicy', { as: owner, query: { places: '1' } })
    expect(json.places?.map(({ bundle }) => bundle?.name)).toEqual([undefined, 'app', 'last'])
    const full = `a workspace can hold ${LIMITS.bundles} bundles: delete some, or use another workspace`
    expectError(await create('beyond'), 409, full, 'workspace_full')
    const duplicate = { as: owner, params: { bundle_id: bundleId }, body: { name: 'beyond' } }
    expectError(await api.call('duplicateBundle', duplicate), 409, full, 'workspace_full')
    const body = { bundle: 'beyond', entries: [{ name: 'A', value: '1' }] }
    expectError(await api.call('importVariables', { as: owner, body }), 409, full, 'workspace_full')
    expect(await library()).toBe(0)
  })

  test('another workspace is not affected', async () => {
    for (let index = 0; index < 4; index += 1) await createKey(LARGE)
    owner = await api.newOwner()
    expect((await createKey(LARGE)).status).toBe(201)
  })
})
