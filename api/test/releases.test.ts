import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { expectError, type Identity, layerHeaders, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const GONE = 'request not found or expired'
const NOT_HELD = 'Request does not wait for its return to the terminal'
const redis = await testRedis()
afterAll(() => redis?.stop())

const places = oneDatabase.map((kind) => [kind, kind === 'postgres' && redis ? redis.url : null] as const)

describe.each(places)('returning an approval on %s and %s', (kind, redisUrl) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], redisUrl })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
    await policy({ assurance: 'bound' })
  })
  afterAll(() => api.close())

  const policy = (body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const approve = (requestId: string, body: Record<string, unknown> = {}, as = owner) =>
    approveWith(api, as, { requestId, bundle_id: bundle.id, include_keys: ['URL'], ...body })
  const contextOf = async (request_id: string) =>
    (await api.call('getRequestContext', { params: { request_id } })).json
  const freshCode = (request_id: string, as = owner) =>
    api.call('createReleaseCode', { as, params: { request_id } })
  const latest = async () => (await api.call('listDeliveries', { as: owner })).json[0]
  const actions = async (count: number) =>
    (await api.call('listAudit', { as: owner })).json.slice(0, count).map(({ action }) => action)

  test('over loopback: held, then delivered, and the record tells both', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const { json } = await approve(id, { release: 'loopback' })
    expect(json.release).toMatchObject({ by: 'loopback', expires_in: 10 })
    expect(await contextOf(id)).toMatchObject({ status: 'held', held: { by: 'loopback' } })
    expect(await latest()).toMatchObject({ state: 'held' })
    const secret = secretOf(json)
    expect((await client.release(id, secret)).json).toEqual({ ok: true })
    expect(client.opened(await client.waits(id))).toEqual({ URL: 'pg://s3cret' })
    await expect.poll(latest).toMatchObject({ state: 'collected' })
    expect((await actions(3)).toSorted()).toEqual([
      'delivery.approved',
      'delivery.collected',
      'delivery.released',
    ])
  })

  test.each([
    ['owners approve', { approvers: 'owner' }, { approvers: null }],
    ['two people approve', { approvals_needed: 2 }, { approvals_needed: null }],
    ['agents get nothing', { agents: 'deny' }, { agents: null }],
    ['values stay on the computer', { assurance: 'local' }, { assurance: 'bound' }],
  ])('rules that changed after the approval count at its return: %s', async (_, rules, before) => {
    const client = new ReturningClient(api)
    const id = await client.request(['loopback', 'code'], { meta: { agent: 'codex', reason: 'to test' } })
    const { json } = await approve(id, { release: 'code' }, member)
    expect((await policy(rules)).status).toBe(200)
    const back = await client.release(id, secretOf(json).replace(' ', ''))
    expectError(back, 409, 'The rules changed after the approval: run the command again', 'conflict')
    await policy(before)
    expect(await contextOf(id)).toMatchObject({ status: 'pending' })
    expect(await latest()).toMatchObject({ state: 'void' })
    const again = await approve(id, { release: 'code' }, member)
    await client.release(id, secretOf(again.json).replace(' ', ''))
    expect(client.opened(await client.waits(id, 'none'))).toEqual({ URL: 'pg://s3cret' })
  })

  test('of two people, the first one has to be allowed at the return too', async () => {
    expect((await policy({ approvals_needed: 2 })).status).toBe(200)
    const client = new ReturningClient(api)
    const id = await client.request(['code'])
    await approve(id, {}, member)
    const { json } = await approve(id, { release: 'code' })
    expect((await policy({ approvers: 'owner', approvals_needed: 2 })).status).toBe(200)
    const back = await client.release(id, secretOf(json).replace(' ', ''))
    expectError(back, 409, 'The rules changed after the approval: run the command again', 'conflict')
    await policy({ approvers: null, approvals_needed: null })
  })

  test('a first approval of two gets no fresh code when its bundle is gone', async () => {
    const gone = await newBundle(api, owner, { GONE: '1' })
    const params = { bundle_id: gone.id }
    await api.call('changeBundlePolicy', {
      as: owner,
      params,
      body: { approvals_needed: 2, assurance: 'bound' },
    })
    const id = await new ReturningClient(api).request()
    await approve(id, { bundle_id: gone.id, include_keys: ['GONE'], release: 'code' }, member)
    expect(await contextOf(id)).toMatchObject({ status: 'held' })
    expect((await freshCode(id, member)).status).toBe(200)
    expect((await api.call('deleteBundle', { as: owner, params })).status).toBe(200)
    expectError(await freshCode(id, member), 409, NOT_HELD, 'conflict')
  })

  test('a client that cannot take a code gets none', async () => {
    const client = new ReturningClient(api)
    const id = await client.request(['loopback'])
    await approve(id, { release: 'loopback' })
    const answer = await freshCode(id)
    expect([answer.status, answer.failure?.code]).toEqual([403, 'release_required'])
    expect(await contextOf(id)).toMatchObject({ held: { by: 'loopback' } })
  })

  test('a wait that is open goes on over loopback, and is ready as soon as the approval is back', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const waiting = client.waits(id, 'none')
    const { json } = await approve(id, { release: 'loopback' })
    await client.release(id, secretOf(json))
    expect(client.opened(await waiting)).toEqual({ URL: 'pg://s3cret' })
  })

  test('by code: the wait says so, the typed code releases, and the next wait may come at once', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const waiting = client.waits(id, 'none')
    const { json } = await approve(id, { release: 'code' })
    const code = secretOf(json)
    expect(code).toMatch(/^\d{3} \d{3}$/)
    expect((await waiting).json).toEqual({ status: 'pending', needs: 'release', release_by: 'code' })
    expect((await client.waits(id, 'code')).status).toBe(429)
    await client.release(id, code.replace(' ', ''))
    expect(client.opened(await client.waits(id, 'code'))).toEqual({ URL: 'pg://s3cret' })
  })

  test('the third wrong code denies the request and raises the alarm', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    await approve(id, { release: 'code' })
    for (const left of [2, 1, 0]) {
      const answer = await client.release(id, 'wrong')
      expectError(answer, 400, 'This is not what the approval page showed', 'release_wrong')
      expect(answer.failure?.details).toEqual({ attempts_left: left })
    }
    expectError(await client.release(id, 'wrong'), 404, GONE, 'request_denied')
    await expect.poll(latest).toMatchObject({ state: 'void' })
    const [event] = (await api.call('listAudit', { as: owner })).json
    expect(event).toMatchObject({ action: 'delivery.not_released', data: { reason: 'wrong_code' } })
  })

  test('a caller without the verifier cannot release, and does not learn that there is anything to release', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const { json } = await approve(id, { release: 'loopback' })
    const secret = secretOf(json)
    for (const verifier of ['', generatePollVerifier()])
      expectError(await client.release(id, secret, verifier), 404, GONE, 'not_found')
    expect((await client.release(id, secret)).status).toBe(200)
  })

  test('what is not held cannot be released', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    expectError(await client.release(id, '482913'), 409, NOT_HELD, 'conflict')
    expectError(await freshCode(id), 409, NOT_HELD, 'conflict')
  })

  test('releases of one request are counted', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    await approve(id, { release: 'loopback' })
    for (let n = 0; n < 10; n++) expect((await client.release(id, 'wrong')).status).toBe(400)
    expect((await client.release(id, 'wrong')).status).toBe(429)
  })

  test('a fresh code is for the person who approved, a few times', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    await approve(id, { release: 'loopback' })
    expectError(await freshCode(id, member), 403, 'Forbidden: another person approved this request')
    const { json } = await freshCode(id)
    await freshCode(id)
    const last = (await freshCode(id)).json
    const used = 'There are no more codes for this request: deny it and start again'
    expectError(await freshCode(id), 409, used, 'conflict')
    expect(await contextOf(id)).toMatchObject({ status: 'held', held: { by: 'code' } })
    expect((await client.release(id, secretOf(json))).status).toBe(400)
    expect((await client.release(id, secretOf(last))).status).toBe(200)
    expect(client.opened(await client.waits(id))).toEqual({ URL: 'pg://s3cret' })
  })

  test('a second person can neither approve what is held nor have a code for it', async () => {
    const id = await new ReturningClient(api).request()
    await approve(id, { release: 'code' })
    expectError(await approve(id, { release: 'code' }, member), 409, 'Request already approved')
    expect((await freshCode(id, member)).status).toBe(403)
  })

  test('denied while held: nothing is delivered, and it is no alarm', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const { json } = await approve(id, { release: 'loopback' })
    expect((await api.call('denyRequest', { as: owner, params: { request_id: id } })).status).toBe(200)
    const secret = secretOf(json)
    expectError(await client.release(id, secret), 404, GONE, 'request_denied')
    expect(await latest()).toMatchObject({ state: 'void' })
    expect(await actions(2)).toEqual(['delivery.void', 'delivery.denied'])
  })

  test('withdrawn while held: nothing is delivered, and it is no alarm', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    await approve(id, { release: 'code' })
    const headers = { 'x-poll-verifier': client.verifier }
    await api.call('withdrawRequest', { params: { request_id: id }, headers })
    expect(await latest()).toMatchObject({ state: 'void' })
    expect(await actions(1)).toEqual(['delivery.void'])
  })

  test.each<[string, (person: Identity & { idpUserId: string }) => Promise<unknown>]>([
    ['removed', (person) => api.call('removeMember', { as: owner, params: { user_id: person.userId } })],
    [
      'deactivated',
      ({ idpUserId: idp_user_id }) => {
        const body = { is_active: false, email_verified: false }
        const headers = layerHeaders('PUT', `/api/v1/users/${idp_user_id}`, body)
        return api.call('changeProvidedUser', { params: { idp_user_id }, body, headers })
      },
    ],
  ])('a person who is %s while their approval is held delivers nothing', async (_, leave) => {
    const person = await joinWorkspace(api, owner, 'member')
    const client = new ReturningClient(api)
    const id = await client.request()
    const { json } = await approve(id, { release: 'loopback' }, person)
    expect(await leave(person)).toMatchObject({ status: 200 })
    expect((await client.release(id, secretOf(json))).status).toBe(404)
    expect((await client.waits(id, 'none')).status).toBe(404)
  })

  test('an approval must return where the bundle says so, and only in a way that the client offers', async () => {
    const plain = await new ReturningClient(api).request()
    expect((await approve(plain)).failure?.code).toBe('release_required')
    const coded = await new ReturningClient(api).request(['code'])
    expect((await approve(coded, { release: 'loopback' })).failure).toMatchObject({
      code: 'invalid',
      details: { field: 'release' },
    })
  })

  test('local takes no code, neither at first nor after', async () => {
    await policy({ assurance: 'local' })
    try {
      const coded = await new ReturningClient(api).request(['code'])
      expect((await approve(coded, { release: 'code' })).failure?.code).toBe('release_required')
      const id = await new ReturningClient(api).request()
      const params = { request_id: id, bundle_id: bundle.id }
      const offer = (await api.call('getRequestBundle', { as: owner, params })).json
      expect(offer).toMatchObject({ release: ['loopback'], may_approve: true })
      expect((await approve(id, { release: 'code' })).failure?.code).toBe('release_required')
      expect((await approve(id, { release: 'loopback' })).status).toBe(200)
      expect((await freshCode(id)).failure?.code).toBe('release_required')
    } finally {
      await policy({ assurance: 'bound' })
    }
  })

  test('a return can be chosen where nothing demands it', async () => {
    await policy({ assurance: null })
    try {
      const client = new ReturningClient(api)
      const id = await client.request()
      expect((await approve(id, { release: 'loopback' })).json.release?.by).toBe('loopback')
      expect((await approve(await client.request())).json).toEqual({ ok: true })
    } finally {
      await policy({ assurance: 'bound' })
    }
  })

  test('what the client claims of its command is in the context, whole', async () => {
    const argv = ['sh', '-c', 'echo one\necho two', 'x'.repeat(4_000)]
    const body = { argv, cwd: '/home/sam/shop', meta: { agent: 'codex', reason: 'r'.repeat(500) } }
    const id = await new ReturningClient(api).request([], body)
    const context = await contextOf(id)
    expect(context).toMatchObject({ argv, cwd: '/home/sam/shop', is_argv_masked: false, release: [] })
    expect(context.requester_meta).toMatchObject(body.meta)
    const params = { request_id: id, bundle_id: bundle.id }
    const { items } = (await api.call('getRequestBundle', { as: owner, params })).json
    expect(items[0]).toMatchObject({
      version: 1,
      changed_at: expect.any(String),
      changed_by: expect.any(String),
    })
  })
})

describe('a request', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())

  test.each<[string, Record<string, unknown>]>([
    ['release without a challenge', { release: ['code'] }],
    [
      'an unknown way of return',
      { release: ['smoke'], poll_challenge: pollChallenge(generatePollVerifier()) },
    ],
    ['65 arguments', { argv: Array.from({ length: 65 }, () => 'a') }],
    ['arguments of more than 8 KiB', { argv: ['ä'.repeat(4_097)] }],
    ['no argument', { argv: [] }],
    ['an argument with NUL', { argv: ['a\0b'] }],
    ['a reason of 501 characters', { meta: { reason: 'r'.repeat(501) } }],
  ])('with %s is refused', async (_, body) => {
    expect((await new ApprovalClient(api).ask(body)).status).toBe(400)
  })
})
