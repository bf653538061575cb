import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'
import { ComposedLibrary, URL_TEMPLATE } from './composed-library.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient } from './returning-client.ts'

describe.each(oneDatabase)('what changed since a person approved a bundle, on %s', (kind) => {
  let api: TestApi
  let library: ComposedLibrary
  let owner: Identity
  let bundle_id: string
  let password: string
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    library = new ComposedLibrary(api, owner)
    bundle_id = await library.bundle('prod/app')
    await library.attach(bundle_id, await library.template('DATABASE_URL', URL_TEMPLATE))
    password = await library.has(bundle_id, 'DB_PASSWORD', 'p@ss')
    await library.has(bundle_id, 'DB_HOST', 'db.prod', { is_secret: false })
  })

  const offered = async (as = owner) => {
    const request_id = await new ApprovalClient(api).asked()
    const { json } = await api.call('getRequestBundle', { as, params: { request_id, bundle_id } })
    const changed = json.items.filter((item) => item.changed).map(({ key }) => key)
    return { requestId: request_id, last: json.last_approved_at, isProduction: json.is_production, changed }
  }
  const approve = async (include_keys = ['DATABASE_URL', 'DB_PASSWORD', 'DB_HOST']) => {
    const { requestId } = await offered()
    expect((await approveWith(api, owner, { requestId, bundle_id, include_keys })).status).toBe(200)
    return requestId
  }
  const change = (key_id: string, value: string) => library.update(key_id, { value })

  test('before the first approval nothing is said to have changed', async () => {
    await change(password, 'other')
    expect(await offered()).toMatchObject({ last: null, changed: [], isProduction: true })
  })

  test('a value that changed after it, and what is composed of it', async () => {
    await approve()
    expect(await offered()).toMatchObject({ last: expect.stringMatching(/Z$/), changed: [] })
    await change(password, 'other')
    expect((await offered()).changed).toEqual(['DATABASE_URL', 'DB_PASSWORD'])
    await approve()
    expect((await offered()).changed).toEqual([])
  })

  test('another key under an approved name, and a new key; not one that the approval left out', async () => {
    await approve(['DB_PASSWORD'])
    const params = { bundle_id, key_id: password }
    const other = await library.key('OTHER_PASSWORD', 'p@ss')
    await api.call('detachKey', { as: owner, params })
    await library.attach(bundle_id, other, 'DB_PASSWORD')
    await library.has(bundle_id, 'NEW', 'x')
    expect((await offered()).changed).toEqual(['DATABASE_URL', 'DB_PASSWORD', 'NEW'])
  })

  test('the approval of another person, and one that was withdrawn, do not count', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const client = new ReturningClient(api)
    const requestId = await client.request()
    await approveWith(api, owner, { requestId, bundle_id, include_keys: ['DB_HOST'] })
    expect((await offered()).last).not.toBeNull()
    expect((await offered(member)).last).toBeNull()
    const params = { request_id: requestId }
    expect((await api.call('withdrawRequest', { params, headers: client.proof() })).status).toBe(200)
    await expect.poll(async () => (await offered()).last).toBeNull()
  })
})
