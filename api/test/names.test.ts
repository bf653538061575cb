import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { approveNames, NamesClient, offerOf } from './names-client.ts'
import { secretOf } from './returning-client.ts'

const redis = await testRedis()
afterAll(() => redis?.stop())

const places = oneDatabase.map((kind) => [kind, kind === 'postgres' && redis ? redis.url : null] as const)
const NOT_RETURNED = 'names.not_released'

describe.each(places)('requests for names on %s and %s', (kind, redisUrl) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], redisUrl })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, {
      URL: 'pg://s3cret',
      PORT: { value: '8o8o', is_secret: false },
    })
    const params = { bundle_id: bundle.id }
    await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'OLD', value: 'l3gacy' } })
  })
  afterAll(() => api.close())

  const client = () => new NamesClient(api)
  const approve = (requestId: string, choice = {}, as = owner) =>
    approveNames(api, as, { requestId, bundle_id: bundle.id, ...choice })
  const newest = async (limit: number) =>
    (await api.call('listAudit', { as: owner, query: { limit: String(limit) } })).json
  const policy = (bundle_id: string, body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body })
  const NAMES = [
    { name: 'URL', is_secret: true, required: false },
    { name: 'PORT', is_secret: false, required: false },
    { name: 'OLD', is_secret: true, required: false },
  ]

  test('the terminal gets the names of a bundle once, and no value', async () => {
    const terminal = client()
    const requestId = await terminal.asksFor({ bundle: bundle.name })
    const offer = await offerOf(api, owner, { requestId, bundle_id: bundle.id })
    expect(offer.json).toMatchObject({ bundle, names: NAMES, may_approve: true })
    const approved = await approve(requestId)
    expect([approved.status, approved.json]).toEqual([200, { ok: true }])
    const answer = await terminal.waits(requestId)
    expect(Object.keys(answer.json)).toEqual(['status', 'ciphertext_base64'])
    const list = terminal.opened(answer)
    expect(list).toEqual({
      v: 1,
      kind: 'names',
      workspace: { id: owner.tenantId, name: expect.any(String) },
      approvers: [expect.any(String)],
      bundle,
      names: NAMES,
    })
    expect(JSON.stringify([list, offer.json])).not.toMatch(/s3cret|8o8o|l3gacy/)
    await expect.poll(async () => (await terminal.waits(requestId)).status).toBe(404)
  })

  test('the context says which kind it is, and the server says that it knows the kind', async () => {
    const made = await client().ask({ kind: 'names', bundle_id: 'dev/app', ...client().returning() })
    expect(made.json.kind).toBe('names')
    const params = { request_id: made.json.id }
    const { json } = await api.call('getRequestContext', { params })
    expect(json).toMatchObject({ kind: 'names', deposit: null, user_code: made.json.user_code })
    expect((await client().ask()).json.kind).toBeUndefined()
  })

  test('there is one event, and neither a delivery nor a holder', async () => {
    const before = (await api.call('listDeliveries', { as: owner })).json.length
    const terminal = client()
    const requestId = await terminal.asksFor({ bundle: bundle.name, meta: { hostname: 'laptop' } })
    await approve(requestId)
    await terminal.listed(requestId)
    const [event] = await newest(1)
    expect(event).toMatchObject({
      action: 'names.approved',
      actor: { id: owner.userId },
      target: { kind: 'bundle', ...bundle },
      data: { count: 3 },
      origin: { hostname: 'laptop' },
    })
    expect((await api.call('listDeliveries', { as: owner })).json).toHaveLength(before)
  })

  test('of many approvals at once one wins', async () => {
    const raced = await newBundle(api, owner, { RACED: 'r' })
    const requestId = await client().asksFor({ bundle: raced.name })
    const choice = { bundle_id: raced.id }
    const answers = await Promise.all(Array.from({ length: 6 }, () => approve(requestId, choice)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array(5).fill(409)])
    const events = (await newest(20)).filter(({ target }) => target.id === raced.id)
    const count = (wanted: string) => events.filter(({ action }) => action === wanted).length
    expect(count('names.approved') - count('names.void')).toBe(1)
  })

  test('another workspace gets neither the names nor learns of the bundle', async () => {
    const stranger = await api.newOwner()
    const requestId = await client().asksFor({ bundle: bundle.name })
    expect((await offerOf(api, stranger, { requestId, bundle_id: bundle.id })).status).toBe(404)
    expect((await approve(requestId, {}, stranger)).status).toBe(404)
    const outside = { ...stranger, tenantId: owner.tenantId }
    expect((await approve(requestId, {}, outside)).status).toBe(403)
  })

  test('each kind of request is approved in its own way only', async () => {
    const names = await client().asksFor({ bundle: bundle.name })
    const body = { bundle_id: bundle.id, include_keys: ['URL'] }
    const params = { request_id: names }
    const sealed = await api.call('encryptFromBundle', { as: owner, params, body })
    expectError(sealed, 409, 'This request lists names: approve it as a request for names', 'conflict')
    const delivery = await client().asked()
    expectError(await approve(delivery), 409, 'This request is not for names', 'conflict')
  })

  test('deny and withdraw end it', async () => {
    const denied = await client().asksFor({ bundle: bundle.name })
    await api.call('denyRequest', { as: owner, params: { request_id: denied } })
    expect((await newest(1))[0]?.action).toBe('names.denied')
    expect((await approve(denied)).failure?.code).toBe('request_denied')
    const terminal = client()
    const approved = await terminal.asksFor({ bundle: bundle.name })
    await approve(approved)
    const headers = { 'x-poll-verifier': terminal.verifier }
    await api.call('withdrawRequest', { params: { request_id: approved }, headers })
    expect((await terminal.waits(approved)).failure?.code).toBe('request_withdrawn')
  })

  test('what is no request for names is refused at once', async () => {
    const whole = { kind: 'names', bundle_id: 'dev/app', ...client().returning() }
    const { poll_challenge: _, release: __, ...unproved } = whole
    const wrong: [string, Record<string, unknown>][] = [
      ['no challenge', unproved],
      ['no bundle', { ...whole, bundle_id: undefined }],
      ['keys', { ...whole, template_keys: ['A'] }],
      ['another kind', { ...whole, kind: 'values' }],
    ]
    for (const [what, body] of wrong) expect([what, (await client().ask(body)).status]).toEqual([what, 400])
  })

  test.each(['loopback', 'code'])(
    'where the rules are bound, nothing leaves until it returns by %s',
    async (release) => {
      const bound = await newBundle(api, owner, { [`BOUND_${release.toUpperCase()}`]: 'b' })
      await policy(bound.id, { assurance: 'bound' })
      const terminal = client()
      const requestId = await terminal.asksFor({ bundle: bound.name })
      const clicked = await approve(requestId, { bundle_id: bound.id })
      expect([clicked.status, clicked.failure?.code]).toEqual([403, 'release_required'])
      const approved = await approve(requestId, { bundle_id: bound.id, release })
      expect(approved.json.release?.by).toBe(release)
      const params = { request_id: requestId }
      expect((await api.call('getRequestContext', { params })).json.status).toBe('held')
      const fresh = await api.call('createReleaseCode', { as: owner, params })
      expect(fresh.status).toBe(200)
      const other = await api.call('createReleaseCode', { as: member, params })
      expect(other.status).toBe(403)
      expect((await terminal.release(requestId, secretOf(fresh.json))).status).toBe(200)
      expect((await terminal.listed(requestId))['names']).toHaveLength(1)
    },
  )

  test('local refuses a code, also a fresh one', async () => {
    const local = await newBundle(api, owner, { LOCAL_ONLY: 'l' })
    await policy(local.id, { assurance: 'local' })
    const requestId = await client().asksFor({ bundle: local.name })
    expect((await approve(requestId, { bundle_id: local.id, release: 'code' })).failure?.code).toBe(
      'release_required',
    )
    expect((await approve(requestId, { bundle_id: local.id, release: 'loopback' })).status).toBe(200)
    const params = { request_id: requestId }
    expect((await api.call('createReleaseCode', { as: owner, params })).status).toBe(403)
    await policy(local.id, { assurance: null })
  })

  test('a check code that is typed has to be right', async () => {
    const made = await client().ask({ kind: 'names', bundle_id: bundle.name, ...client().returning([]) })
    const choose = (user_code: string) => approve(made.json.id, { bundle_id: bundle.id, user_code })
    expect((await choose('AAAA-AAAA')).failure?.details).toMatchObject({ attempts_left: 4 })
    expect((await choose(made.json.user_code)).status).toBe(200)
  })

  test('three wrong codes deny it and raise the alarm', async () => {
    const terminal = client()
    const requestId = await terminal.asksFor({ bundle: bundle.name })
    await approve(requestId, { release: 'code' })
    for (let n = 0; n < 3; n++) await terminal.release(requestId, 'wrong')
    expect((await terminal.waits(requestId)).failure?.code).toBe('request_denied')
    await expect
      .poll(async () => (await newest(1))[0])
      .toMatchObject({ action: NOT_RETURNED, target: { id: bundle.id }, data: { reason: 'wrong_code' } })
  })

  test('the rules about agents and owners count; two people are not needed', async () => {
    const strict = await newBundle(api, owner, { STRICT_ONE: 's' })
    const choice = { bundle_id: strict.id }
    const asks = (meta = {}) => client().asksFor({ bundle: strict.name, meta })
    await policy(strict.id, { agents: 'deny', approvers: 'owner', approvals_needed: 2 })
    const byAgent = await asks({ agent: 'Some Agent', reason: 'look' })
    expect((await offerOf(api, owner, { requestId: byAgent, ...choice })).json).toMatchObject({
      may_approve: false,
      why_not: { code: 'agents_denied', error: 'AI agents may not list these names' },
    })
    expect((await approve(byAgent, choice)).failure?.code).toBe('agents_denied')
    expect((await approve(await asks(), choice, member)).failure?.code).toBe('owner_approves')
    expect((await approve(await asks(), choice)).json).toEqual({ ok: true })
  })

  test('when a person leaves, what they approved and no client fetched is gone', async () => {
    const leaver = await joinWorkspace(api, owner, 'member')
    const terminal = client()
    const requestId = await terminal.asksFor({ bundle: bundle.name })
    await approve(requestId, {}, leaver)
    await api.call('removeMember', { as: owner, params: { user_id: leaver.userId } })
    expect((await terminal.waits(requestId)).status).toBe(404)
  })
})

test('an approval that never returns raises the alarm when its request expires', async () => {
  let skippedMs = 0
  const api = await startTestApi('sqlite', {
    trustProxy: ['127.0.0.1'],
    now: () => new Date(Date.now() + skippedMs),
  })
  const owner = await api.newOwner()
  const bundle = await newBundle(api, owner, { A: 'a' })
  const requestId = await new NamesClient(api).asksFor({ bundle: bundle.name })
  await approveNames(api, owner, { requestId, bundle_id: bundle.id, release: 'loopback' })
  const newest = async () => (await api.call('listAudit', { as: owner })).json[0]
  expect(await newest()).toMatchObject({ action: 'names.approved', data: { release: 'loopback' } })
  skippedMs = 300_000
  await api.sweep()
  expect(await newest()).toMatchObject({
    action: NOT_RETURNED,
    target: { kind: 'bundle', id: bundle.id },
    data: { reason: 'expired' },
  })
  await api.close()
})

test('a list that is too long to seal is refused', async () => {
  const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], maxPayloadBytes: 200 })
  const owner = await api.newOwner()
  const bundle = await newBundle(api, owner, { A_RATHER_LONG_NAME: 'x' })
  const requestId = await new NamesClient(api).asksFor({ bundle: bundle.name })
  const answer = await approveNames(api, owner, { requestId, bundle_id: bundle.id })
  expect([answer.status, answer.failure?.code]).toEqual([413, 'too_large'])
  await api.close()
})
