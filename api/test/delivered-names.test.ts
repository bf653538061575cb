import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'

const TAKEN_AS_A =
  'the bundle already delivers a key as A: choose another name with "as", or detach that key first'

describe.each(oneDatabase)('keys that a bundle delivers under another name, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle_id: string
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    bundle_id = (await api.call('createBundle', { as: owner, body: { name: 'prod/app' } })).json.id
  })

  const newKey = async (name: string, body: object = {}) =>
    (await api.call('createKey', { as: owner, body: { name, value: `value of ${name}`, ...body } })).json.id
  const attach = (key_id: string, body?: object) =>
    api.call('attachKey', { as: owner, params: { bundle_id, key_id }, body })
  const change = (key_id: string, body: unknown) =>
    api.call('changeAttachment', { as: owner, params: { bundle_id, key_id }, body })
  const items = async () => (await api.call('getBundle', { as: owner, params: { bundle_id } })).json.items
  const names = async () => (await items()).map(({ name, key_name }) => [name, key_name])
  const exported = (query: Record<string, string>) =>
    api.call('exportBundle', { as: owner, params: { bundle_id }, query })
  const upsertItem = (key: string, value: string) =>
    api.call('upsertLegacyItem', { as: owner, params: { bundle_id }, body: { key, value } })

  test('every answer about the bundle has the delivered name, and the library name beside it', async () => {
    const id = await newKey('PROD_URL')
    expect((await attach(id, { as: 'URL' })).status).toBe(201)
    expect(await items()).toMatchObject([{ id, name: 'URL', key: 'URL', key_name: 'PROD_URL' }])
    const listed = await api.call('listBundleKeys', { as: owner, params: { bundle_id } })
    expect(listed.json).toMatchObject([{ id, name: 'URL', key_name: 'PROD_URL' }])
    const key = await api.call('getKey', { as: owner, params: { key_id: id } })
    expect(key.json.name).toBe('PROD_URL')
    expect(key.json.bundles).toEqual([{ id: bundle_id, name: 'prod/app', as: 'URL' }])
    await attach(await newKey('PORT'))
    const events = (await api.call('listAudit', { as: owner })).json
    const attached = events.filter(({ action }) => action === 'bundle.attached')
    expect(attached.map(({ data }) => data['as'])).toEqual([undefined, 'URL'])
  })

  test('exports contain the delivered name', async () => {
    await attach(await newKey('PROD_PORT', { value: '80', is_secret: false }), { as: 'PORT' })
    expect((await exported({ format: 'json' })).json).toEqual({ PORT: '80' })
    expect((await exported({ format: 'env' })).text).toBe('PORT=80\n')
  })

  test('an approval names and delivers the delivered name, and only that', async () => {
    await attach(await newKey('PROD_URL'), { as: 'URL' })
    await attach(await newKey('URL'), { as: 'OTHER', required: true })
    const client = new ApprovalClient(api)
    const requestId = await client.asked()
    const params = { request_id: requestId, bundle_id }
    const offered = await api.call('getRequestBundle', { as: owner, params })
    expect(offered.json.items).toMatchObject([
      { key: 'URL', key_name: 'PROD_URL', value: '*****' },
      { key: 'OTHER', key_name: 'URL', value: '*****' },
    ])
    const approval = { requestId, bundle_id }
    const refused = await approveWith(api, owner, { ...approval, include_keys: ['PROD_URL'] })
    expectError(refused, 400, 'include_keys names keys that are not in the bundle')
    expect((await approveWith(api, owner, { ...approval, include_keys: ['URL'] })).status).toBe(200)
    const answer = await client.wait(requestId)
    expect(client.opened(answer)).toEqual({ URL: 'value of PROD_URL' })
    expect(answer.json).toMatchObject({ missing_required: ['OTHER'] })
  })

  test('the delivered name hides a legacy item of that name, and guards against its mask', async () => {
    await upsertItem('URL', 'old')
    await upsertItem('PROD_URL', 'kept')
    await attach(await newKey('PROD_URL'), { as: 'URL' })
    expect(await names()).toEqual([
      ['URL', 'PROD_URL'],
      ['PROD_URL', null],
    ])
    expectError(await upsertItem('URL', '*****'), 400, 'a masked value cannot replace a secret: URL')
  })

  test('a hidden item does not convert into a key that could not be delivered', async () => {
    await upsertItem('URL', 'old')
    await attach(await newKey('PROD_URL'), { as: 'URL' })
    const params = { bundle_id, key_name: 'URL' }
    const refused = await api.call('convertLegacyItem', { as: owner, params })
    const message =
      'the bundle delivers a library key as URL: delete this item, or detach that key before you convert it'
    expectError(refused, 409, message, 'name_taken')
    expect((await api.call('listKeys', { as: owner })).json).toHaveLength(1)
  })

  test('a taken delivered name is 409 and changes nothing, for a key of that name too', async () => {
    const [a, b, c] = [await newKey('A'), await newKey('B'), await newKey('C')]
    await attach(b, { as: 'A' })
    const taken = await attach(a)
    expectError(taken, 409, TAKEN_AS_A.replace('as A', "under this key's name"), 'name_taken')
    expectError(await attach(a, { as: 'A' }), 409, TAKEN_AS_A, 'name_taken')
    await attach(c)
    const renamed = await change(c, { as: 'A', required: true })
    expectError(renamed, 409, TAKEN_AS_A, 'name_taken')
    expect(renamed.failure?.details).toEqual({ names: ['A'] })
    expect(await items()).toMatchObject([
      { name: 'A', key_name: 'B' },
      { name: 'C', required: false },
    ])
  })

  test('a key is attached once, under any delivered name', async () => {
    const a = await newKey('A')
    await attach(a)
    expectError(await attach(a, { as: 'B' }), 409, 'Key already attached to bundle', 'conflict')
  })

  test('renaming keeps place and mark; the same name again is no conflict', async () => {
    const [a, b] = [await newKey('A'), await newKey('B')]
    await attach(a, { required: true })
    await attach(b)
    for (const as of ['X', 'X']) {
      const answer = await change(a, { as })
      expect([answer.status, answer.json]).toEqual([200, { ok: true, stricter: [] }])
    }
    expect(await items()).toMatchObject([
      { name: 'X', key_name: 'A', required: true, order: 0 },
      { name: 'B', key_name: 'B', order: 1 },
    ])
    await change(b, { as: 'A' })
    await change(b, { required: true })
    expect((await items())[1]).toMatchObject({ name: 'A', key_name: 'B', required: true })
  })

  test('of several keys that take one name at once, one gets it', async () => {
    const ids = await Promise.all(['A', 'B', 'C', 'D'].map((name) => newKey(name)))
    const answers = await Promise.all(ids.map((id) => attach(id, { as: 'X' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  test.each([
    ['', 'as must be a key name'],
    ['A B', 'as may hold only letters, digits and _'],
    ['A'.repeat(256), 'as must be at most 255 characters'],
    [5, 'as must be a key name'],
  ])('the delivered name %j is 400', async (as, message) => {
    const key = await newKey('A')
    expectError(await attach(key, { as }), 400, message, 'invalid')
    await attach(key)
    expectError(await change(key, { as }), 400, message, 'invalid')
  })

  test('renaming what is not attached is 404', async () => {
    const key = await newKey('A')
    expectError(await change(key, { as: 'B' }), 404, 'Key not found')
    bundle_id = randomUUID()
    expectError(await change(key, { as: 'B' }), 404, 'bundle not found')
  })

  test('a duplicate delivers the same keys under the same names', async () => {
    await attach(await newKey('PROD_URL'), { as: 'URL' })
    const params = { bundle_id }
    const copy = await api.call('duplicateBundle', { as: owner, params, body: { name: 'staging/app' } })
    const before = await items()
    bundle_id = copy.json.id
    expect(await items()).toEqual(before)
  })
})
