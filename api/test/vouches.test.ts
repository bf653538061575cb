import { ATTEMPTS, LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answered, expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { Faults, faulty } from './faulty-requests.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'
import { VouchingClient } from './vouching-client.ts'

const LIFETIME_MS = 300_000
const POLL_MS = 3_000
const REQUIRED =
  'This bundle is delivered only to a client that takes the approval back through its own terminal'
const ELSEWHERE = 'Forbidden: people of another workspace decide this request'

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

async function collects(client: VouchingClient): Promise<Answered> {
  skippedMs += POLL_MS
  return await client.waits(client.requestId)
}

/*
 * A developer vouches for a request of their own terminal, and an owner decides without a code.
 */
describe.each(oneDatabase)('vouches on %s', (kind) => {
  const faults = new Faults()
  let api: TestApi
  let owner: Identity
  let dev: Identity
  let bundle: { id: string; name: string }
  let all: { bundle_id: string; include_keys: string[] }
  beforeAll(async () => {
    const aroundRequests = faulty(faults)
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now, aroundRequests })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    dev = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { A: '1', B: '2' })
    all = { bundle_id: bundle.id, include_keys: ['A', 'B'] }
    await rules({ approvers: 'owner', assurance: 'bound' })
  })

  const rules = (body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const begun = (body?: Record<string, unknown>, release?: string[]) =>
    new VouchingClient(api).begins(body, release)
  const vouched = async (way?: 'code' | 'loopback') => (await begun()).vouchedBy(dev, all, way)
  const waitingFor = async (as: Identity) =>
    (await api.call('listWaiting', { as })).json.map((item) => ('request_id' in item ? item.request_id : ''))
  const events = async (action: string) =>
    (await api.call('listAudit', { as: owner })).json.filter((event) => event.action === action)
  test.each(['loopback', 'code'] as const)(
    'an owner approves without a code after a vouch by %s',
    async (way) => {
      const client = await begun()
      expect((await client.offered(dev, all)).json).toMatchObject({ may_approve: false, may_vouch: true })
      await client.vouchedBy(dev, all, way)
      expect(await waitingFor(owner)).toEqual([client.requestId])
      expect(await waitingFor(dev)).toEqual([])
      const { json } = await client.offered(owner, all)
      const { username, email } = (await api.call('getMe', { as: dev })).json
      expect(json).toMatchObject({ may_approve: true, release_required: false, remember_hours: 0 })
      expect(json.vouch).toMatchObject({
        person: { kind: 'user', id: dev.userId, name: username },
        email,
        is_new_network: true,
        keys: ['A', 'B'],
        returned_by: way,
        counts: true,
      })
      expect((await client.approves(owner, all)).json).toEqual({ ok: true })
      const ready = await collects(client)
      expect(client.opened(ready)).toEqual({ A: '1', B: '2' })
      expect(await waitingFor(owner)).toEqual([])
    },
  )

  test('the receipt, the delivery, its event and its holder name who vouched', async () => {
    const client = await vouched()
    await client.approves(owner, all)
    const { json } = await client.waits(client.requestId)
    if (json.status !== 'ready' || !json.receipt) throw new Error('not ready')
    const receipt = JSON.parse(Buffer.from(json.receipt.payload, 'base64').toString())
    const { username } = (await api.call('getMe', { as: dev })).json
    expect(receipt).toMatchObject({
      approvers: [{ id: owner.userId }],
      vouched_by: { id: dev.userId, username },
      released_by: null,
    })
    const person = { kind: 'user', id: dev.userId, name: username }
    const [delivery] = (await api.call('listDeliveries', { as: owner })).json
    expect(delivery).toMatchObject({ approver: { id: owner.userId }, vouched_by: person })
    const holdings = (as: Identity) => api.call('listHoldings', { as: owner, params: { user_id: as.userId } })
    expect((await holdings(dev)).json.map(({ key }) => key.name)).toEqual(['A', 'B'])
    expect((await holdings(owner)).json).toEqual([])
    await expect
      .poll(async () => (await holdings(dev)).json.map(({ state }) => state))
      .toEqual(['given', 'given'])
    expect(await events('delivery.approved')).toMatchObject([{ data: { vouched_by: dev.userId } }])
    expect(await events('request.vouched')).toMatchObject([
      {
        actor: { id: dev.userId },
        target: { id: bundle.id },
        data: { names: ['A', 'B'], release: 'loopback' },
      },
    ])
  })

  test('a client that knows it waits longer, once, from the return of the vouch', async () => {
    const client = await begun()
    const lifeOf = async () => Date.parse((await client.context()).json.expires_at) - now().getTime()
    const { json } = await client.vouches(dev, all)
    expect(await lifeOf()).toBeLessThanOrEqual(LIFETIME_MS)
    await client.release(client.requestId, secretOf(json))
    expect(await lifeOf()).toBeGreaterThan(1_700_000)
    const waits = await client.waits(client.requestId, 'none')
    expect(waits.json).toMatchObject({ needs: 'approver', deciders: { who: 'owner', count: 1 } })
    skippedMs += LIFETIME_MS + 1_000
    await client.approves(owner, all)
    await api.sweep()
    expect(client.opened(await collects(client))).toEqual({ A: '1', B: '2' })
  })

  test('another client notices nothing, and its request ends as always', async () => {
    const client = await begun({ waits_for_others: false })
    await client.vouchedBy(dev, all)
    skippedMs += LIFETIME_MS
    expectError(await client.approves(owner, all), 404, 'request not found or expired', 'request_expired')
  })

  test('a first of two approvals waits longer too', async () => {
    await rules({ approvers: 'member', assurance: null, approvals_needed: 2 })
    const client = await begun()
    await client.approves(dev, all)
    const { json } = await client.waits(client.requestId, 'none')
    expect(json).toMatchObject({ needs: 'second_person', expires_in: expect.any(Number) })
    skippedMs += LIFETIME_MS
    expect((await client.approves(owner, all)).status).toBe(200)
  })

  test('under compat an owner approves a vouched request', async () => {
    await rules({ assurance: 'compat' })
    const client = await vouched('code')
    expect((await client.approves(owner, all)).status).toBe(200)
  })

  test('a vouch counts for fewer keys, and not for more or for another bundle', async () => {
    const a = { ...all, include_keys: ['A'] }
    const fewer = await vouched()
    expect((await fewer.approves(owner, a)).status).toBe(200)
    const more = await (await begun()).vouchedBy(dev, a)
    expect((await more.offered(owner, all)).json.vouch).toMatchObject({ counts: false })
    expectError(await more.approves(owner, all), 403, REQUIRED, 'release_required')
    const other = await newBundle(api, owner, { C: '3' })
    const params = { bundle_id: other.id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { assurance: 'bound' } })
    const choice = { ...params, include_keys: ['C'] }
    expect((await more.offered(owner, choice)).json.vouch).toBeNull()
    expectError(await more.approves(owner, choice), 403, REQUIRED, 'release_required')
  })

  test('a code counts no more once a rule demands the same computer', async () => {
    const [byCode, byLoopback] = [await vouched('code'), await vouched('loopback')]
    await rules({ assurance: 'local' })
    expect(await waitingFor(owner)).toEqual([byLoopback.requestId])
    expect((await byCode.approves(owner, all)).failure?.code).toBe('release_required')
    expect((await byLoopback.approves(owner, all)).status).toBe(200)
    expect((await (await begun()).vouches(dev, all, 'code')).failure?.code).toBe('release_required')
  })

  test('a vouch of a person who left counts no more, nor does what was approved by it', async () => {
    const [waiting, approved] = [await vouched(), await vouched()]
    await approved.approves(owner, all)
    await api.call('removeMember', { as: owner, params: { user_id: dev.userId } })
    expect(await waitingFor(owner)).toEqual([])
    expectError(await waiting.context(), 404, 'request not found or expired', 'request_denied')
    expectError(await waiting.approves(owner, all), 404, 'request not found or expired', 'request_denied')
    expectError(await collects(approved), 404, 'request not found or expired')
  })

  test('where agents are not allowed, nobody vouches for one, and an earlier vouch does not help', async () => {
    const agent = { meta: { agent: 'robot' } }
    const earlier = await (await begun(agent)).vouchedBy(dev, all)
    await rules({ agents: 'deny' })
    expect((await earlier.approves(owner, all)).failure?.code).toBe('agents_denied')
    const client = await begun(agent)
    expect((await client.offered(dev, all)).json).toMatchObject({ may_vouch: false })
    expect((await client.vouches(dev, all)).failure?.code).toBe('agents_denied')
  })

  test('a vouch is no approval: two other people approve', async () => {
    await rules({ approvals_needed: 2 })
    const client = await begun()
    expect((await client.offered(dev, all)).json).toMatchObject({ may_vouch: false })
    const second = await joinWorkspace(api, owner, 'owner')
    await client.vouchedBy(dev, all)
    expect((await client.approves(owner, all)).json).toEqual({ ok: true, approvals: { given: 1, needed: 2 } })
    expect((await client.approves(dev, all)).failure?.code).toBe('owner_approves')
    expect(await waitingFor(second)).toEqual([client.requestId])
    expect((await client.approves(second, all)).json).toEqual({
      ok: true,
      approvals: { given: 2, needed: 2 },
    })
    expect(client.opened(await collects(client))).toEqual({ A: '1', B: '2' })
  })

  test('only those vouch whom the rules do not name, and only where another person may decide', async () => {
    const client = await begun()
    expectError(await client.vouches(owner, all), 409, 'You may approve this request yourself')
    await rules({ approvers: 'named', people: [owner.userId] })
    const named = await begun()
    await named.vouchedBy(dev, all)
    expect((await named.waits(named.requestId, 'none')).json).toMatchObject({
      deciders: { who: 'named', count: 1 },
    })
    const plain = await begun({}, [])
    // Nobody can approve it, so nobody is named who could.
    expect((await plain.vouches(dev, all)).failure?.code).toBe('release_required')
    const unknown = { ...all, include_keys: ['NOT_THERE'] }
    expect((await client.vouches(dev, unknown)).status).toBe(400)
    expect((await named.vouches(dev, all)).failure?.code).toBe('conflict')
  })

  test('a vouch that never returns is the alarm of an approval that never returns', async () => {
    const guessed = await begun()
    await guessed.vouches(dev, all, 'code')
    for (let left = ATTEMPTS.wrongReleaseCodes; left > 0; left--) {
      expect((await guessed.release(guessed.requestId, '000 000')).failure?.code).toBe('release_wrong')
    }
    const alarm = {
      actor: { id: dev.userId },
      target: { id: bundle.id },
      data: { reason: 'wrong_code', vouched_by: dev.userId },
    }
    await expect.poll(() => events('delivery.not_released')).toMatchObject([alarm])
    expect(await waitingFor(owner)).toEqual([])
    expectError(await guessed.context(), 404, 'request not found or expired', 'request_denied')
  })

  test('until it returns, a vouch counts for nothing and no one is asked', async () => {
    const client = await begun()
    await client.vouches(dev, all, 'code')
    expect((await client.context()).json).toMatchObject({ status: 'held', vouch: 'held' })
    expect(await waitingFor(owner)).toEqual([])
    expect((await client.approves(owner, all)).failure?.code).toBe('conflict')
    const params = { request_id: client.requestId }
    const stranger = await api.call('createReleaseCode', { as: owner, params })
    expect(stranger.failure?.code).toBe('forbidden')
    const fresh = await api.call('createReleaseCode', { as: dev, params })
    expect((await client.release(client.requestId, secretOf(fresh.json))).status).toBe(200)
    expect(await waitingFor(owner)).toEqual([client.requestId])
  })

  test('an attacker with a workspace and a bundle of the same name neither decides nor ends a vouched request', async () => {
    const attacker = await api.newOwner()
    const same = await newBundle(api, attacker, { A: 'theirs' })
    const choice = { bundle_id: same.id, include_keys: ['A'] }
    const client = await vouched()
    expect((await client.offered(attacker, choice)).json.vouch).toBeNull()
    expect(await waitingFor(attacker)).toEqual([])
    expectError(await client.approves(attacker, choice), 403, ELSEWHERE)
    expectError(await client.approves(attacker, choice, { release: 'code' }), 403, ELSEWHERE)
    expectError(await client.vouches(attacker, choice), 403, ELSEWHERE)
    for (let round = 0; round <= ATTEMPTS.wrongUserCodes; round++) {
      expectError(await client.approves(attacker, choice, { user_code: 'AAAA-AAAA' }), 403, ELSEWHERE)
    }
    expectError(await client.denied(attacker), 403, ELSEWHERE)
    expect((await client.approves(owner, all)).status).toBe(200)
    expect(client.opened(await collects(client))).toEqual({ A: '1', B: '2' })
  })

  test('the voucher and people of the workspace may deny', async () => {
    const [one, other] = [await vouched(), await vouched()]
    expect((await one.denied(await joinWorkspace(api, owner, 'member'))).status).toBe(200)
    const home = await api.call('createTenant', { as: dev, body: { name: 'Home' } })
    expect((await other.denied({ userId: dev.userId, tenantId: home.json.id })).status).toBe(200)
  })

  test('a member who vouches for everything: three at a time, and a new one replaces the same command', async () => {
    const command = { argv: ['npm', 'start'], cwd: '/srv/app', bundle_id: bundle.name }
    const open = []
    for (let each = 1; each < LIMITS.vouchesOfPerson; each++) open.push(await vouched())
    const before = await (await begun(command)).vouchedBy(dev, all)
    expectError(
      await (await begun()).vouches(dev, all),
      429,
      'Too many requests wait for others already: withdraw one, or try again later',
    )
    const here = (body: Record<string, unknown>) =>
      Object.defineProperty(new VouchingClient(api), 'address', { value: before.address }).begins(body)
    const differences = [{ argv: ['npm'] }, { cwd: '/srv' }, { bundle_id: 'other' }, { template_keys: ['A'] }]
    const changed = differences.map((difference) => here({ ...command, ...difference }))
    for (const other of await Promise.all([begun(command), ...changed]))
      expect((await other.vouches(dev, all)).failure?.code).toBe('too_many')
    const again = await here(command)
    await again.vouchedBy(dev, all)
    await expect.poll(async () => (await before.context()).failure?.code).toBe('request_withdrawn')
    expect((await waitingFor(owner)).toSorted()).toEqual(
      [...open, again].map(({ requestId }) => requestId).toSorted(),
    )
    const colleague = await joinWorkspace(api, owner, 'member')
    expect((await (await begun()).vouches(colleague, all)).status).toBe(200)
  })

  test('of many vouches at once no more than three stay, and those refused leave no trace', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => begun()))
    const answers = await Promise.all(clients.map((client) => client.vouches(dev, all, 'code')))
    const isGiven = (index: number) => answers[index]?.status === 200
    const given = clients.filter((_, index) => isGiven(index))
    expect(given.length).toBeLessThanOrEqual(LIMITS.vouchesOfPerson)
    expect(await events('request.vouched')).toHaveLength(given.length)
    const [refused] = clients.filter((_, index) => !isGiven(index))
    expect((await refused?.context())?.json).toMatchObject({ status: 'pending', vouch: null })
    for (const client of given) await client.denied(dev)
    expect((await refused?.vouches(dev, all))?.status).toBe(200)
  })

  test('of vouches for the same command at once one stays', async () => {
    const command = { argv: ['npm', 'start'], cwd: '/srv/app', bundle_id: bundle.name }
    const { address } = new VouchingClient(api)
    const clients = Array.from({ length: 8 }, () =>
      Object.defineProperty(new VouchingClient(api), 'address', { value: address }),
    )
    await Promise.all(clients.map((client) => client.begins(command)))
    const codes = await Promise.all(clients.map((client) => client.vouches(dev, all, 'code')))
    const returned = codes.map(async ({ json }, index) => {
      await clients[index]?.release(clients[index].requestId, secretOf(json))
    })
    await Promise.all(returned)
    await expect.poll(() => waitingFor(owner)).toHaveLength(1)
  })

  test('a second vouch from the same network is not marked', async () => {
    const [first, second] = [await vouched(), await vouched()]
    expect((await first.offered(owner, all)).json.vouch).toMatchObject({ is_new_network: true })
    expect((await second.offered(owner, all)).json.vouch).toMatchObject({ is_new_network: false })
  })

  test('no name and no e-mail of the voucher is public', async () => {
    const client = await vouched()
    const { username, email } = (await api.call('getMe', { as: dev })).json
    const { text, json } = await client.context()
    expect(json.vouch).toBe('returned')
    for (const own of [dev.userId, username, email]) expect(text).not.toContain(own)
  })

  test('of two owners at once one approves', async () => {
    const second = await joinWorkspace(api, owner, 'owner')
    const client = await vouched()
    const answers = await Promise.all([owner, second].map((as) => client.approves(as, all)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(client.opened(await collects(client))).toEqual({ A: '1', B: '2' })
  })

  test('of two people who vouch at once one does, and the log has one event', async () => {
    const other = await joinWorkspace(api, owner, 'member')
    const client = await begun()
    const answers = await Promise.all([dev, other].map((as) => client.vouches(as, all)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(await events('request.vouched')).toHaveLength(1)
  })

  test.each([
    ['before', 200],
    ['after', 409],
  ] as const)(
    'a vouch or its return that fails %s the change; the next one answers %i',
    async (when, status) => {
      const client = await begun()
      faults.next(when)
      expect((await client.vouches(dev, all)).status).toBe(503)
      expect((await client.vouches(dev, all)).status).toBe(status)
      const params = { request_id: client.requestId }
      const code = secretOf((await api.call('createReleaseCode', { as: dev, params })).json)
      faults.next(when)
      expect((await client.release(client.requestId, code)).status).toBe(503)
      expect((await client.release(client.requestId, code)).status).toBe(status)
      expect((await client.approves(owner, all)).status).toBe(200)
      expect(client.opened(await collects(client))).toEqual({ A: '1', B: '2' })
    },
  )
})
