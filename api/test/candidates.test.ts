import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

describe.each(oneDatabase)('workspaces of a request on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let team: { id: string; name: string }
  let own: { id: string; name: string }
  let shared: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    const { json } = await api.call('createTenant', { as: owner, body: { name: `Team ${randomUUID()}` } })
    team = json
    own = await newBundle(api, owner, { URL: 'own', PORT: '1' })
    shared = (await api.call('createBundle', { as: inTeam(), body: { name: own.name } })).json
  })
  afterAll(() => api.close())

  const inTeam = (): Identity => ({ userId: owner.userId, tenantId: team.id })
  const client = () => new ApprovalClient(api)
  const context = async (id: string) =>
    (await api.call('getRequestContext', { params: { request_id: id } })).json.workspace
  const candidates = async (asked: Record<string, unknown>, as: Identity = owner) => {
    const params = { request_id: await client().asked(asked) }
    return api.call('listCandidates', { as, params })
  }
  const bundlesOf = async (asked: Record<string, unknown>, as?: Identity) =>
    new Map((await candidates(asked, as)).json.map(({ bundle, workspace }) => [workspace.id, bundle.id]))
  const both = () =>
    new Map([
      [owner.tenantId, own.id],
      [team.id, shared.id],
    ])

  test('a bundle name is looked for in all workspaces of the caller, whichever the call is for', async () => {
    expect(await bundlesOf({ bundle_id: own.name })).toEqual(both())
    expect(await bundlesOf({ bundle_id: own.name }, inTeam())).toEqual(both())
  })

  test('a bundle id finds that bundle', async () => {
    expect(await bundlesOf({ bundle_id: shared.id })).toEqual(new Map([[team.id, shared.id]]))
  })

  test.each(['id', 'name'] as const)('a workspace %s narrows it', async (field) => {
    expect(await bundlesOf({ bundle_id: own.name, workspace: team[field] })).toEqual(
      new Map([[team.id, shared.id]]),
    )
  })

  test('each candidate says the names of bundle and workspace', async () => {
    const { json } = await candidates({ bundle_id: shared.id })
    expect(json).toEqual([
      { bundle: { id: shared.id, name: own.name }, workspace: { id: team.id, name: team.name } },
    ])
  })

  test('no bundle named, an unknown one, and an unknown workspace find nothing', async () => {
    expect(await bundlesOf({})).toEqual(new Map())
    expect(await bundlesOf({ bundle_id: 'no/such' })).toEqual(new Map())
    expect(await bundlesOf({ bundle_id: own.name, workspace: 'elsewhere' })).toEqual(new Map())
  })

  test('workspaces that the caller does not belong to are never searched', async () => {
    expect(await bundlesOf({ bundle_id: own.name }, await api.newOwner())).toEqual(new Map())
    expect(await bundlesOf({ bundle_id: own.id }, await api.newOwner())).toEqual(new Map())
  })

  test('an unknown request is 404, and a call without a signature 401', async () => {
    const params = { request_id: 'f'.repeat(32) }
    expectError(
      await api.call('listCandidates', { as: owner, params }),
      404,
      'request not found or expired',
      'not_found',
    )
    expectError(await api.call('listCandidates', { params }), 401, 'Unauthorized')
  })

  test('the context shows the workspace that the client named', async () => {
    expect(await context(await client().asked({ workspace: 'Team' }))).toBe('Team')
    expect(await context(await client().asked())).toBeNull()
  })

  test.each([
    ['empty', '', 'workspace must be a workspace id or name'],
    ['not a text', 1, 'workspace must be a workspace id or name'],
    ['a control character', 'a\u001bb', 'workspace must not hold control characters'],
    ['too long', 'a'.repeat(256), 'workspace must be at most 255 characters'],
  ])('a workspace that is %s is 400', async (_, workspace, message) => {
    expectError(await client().ask({ workspace }), 400, message, 'invalid')
  })

  test('the wait tells which bundle of which workspace was approved', async () => {
    const asking = client()
    const requestId = await asking.asked({ bundle_id: 'something/else' })
    await approveWith(api, owner, { requestId, bundle_id: own.id, include_keys: ['URL'] })
    const answer = await asking.wait(requestId)
    const me = await api.call('getMe', { as: owner })
    expect(answer.json).toMatchObject({ status: 'ready', bundle: own, workspace: me.json.tenant })
    expect(answer.json).toMatchObject({ missing_required: [] })
  })

  test('the wait names required keys that the approver left out', async () => {
    const bundle = await newBundle(api, owner, { NEEDED: 'a', ALSO_NEEDED: 'b', SPARE: 'c' })
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })
    for (const { id, name } of json) {
      if (name === 'SPARE') continue
      const params = { bundle_id: bundle.id, key_id: id }
      const marked = await api.call('changeAttachment', { as: owner, params, body: { required: true } })
      expect(marked.status, name).toBe(200)
    }
    const asking = client()
    const requestId = await asking.asked()
    const choice = { requestId, bundle_id: bundle.id, include_keys: ['NEEDED', 'SPARE'] }
    expect((await approveWith(api, owner, choice)).status).toBe(200)
    const answer = await asking.wait(requestId)
    expect(answer.json).toMatchObject({ status: 'ready', missing_required: ['ALSO_NEEDED'] })
    expect(asking.opened(answer)).toEqual({ NEEDED: 'a', SPARE: 'c' })
  })
})
