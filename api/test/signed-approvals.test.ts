import type { TouchRule } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditKeyIn, withDatabase } from '../src/maintenance.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { DepositClient, planOf } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { type Asked, alteredTouches, askedIn, signedCall, TouchKey } from './touch-client.ts'
import { writeTouch } from './written-rules.ts'

type Body = Record<string, unknown>

const statement = (asked: Asked) => JSON.parse(asked.statement)

const byNumber = (a: number, b: number) => a - b

describe.each(oneDatabase)('approvals that a person signs, on %s', (kind) => {
  let api: TestApi
  let now = new Date()
  let owner: Identity
  let member: Identity
  let bundle: { id: string; name: string }
  let key: TouchKey
  let other: TouchKey

  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now: () => now })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    now = new Date()
    ;[key, other] = [new TouchKey(), new TouchKey()]
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    await key.enrol(api, owner)
    await other.enrol(api, member)
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret', HOST: 'db' })
    await rule('passkey')
  })

  const rule = (touch: TouchRule) =>
    withDatabase(api.settings, async (database) => {
      await auditKeyIn(database, api.settings, now.toISOString())
      await writeTouch(database, { tenantId: owner.tenantId, at: { bundleId: bundle.id } }, touch)
    })
  const policy = (body: Body) =>
    signedCall(api, key, 'changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const approve = (request_id: string, body: Body = {}, headers = {}, as = owner) =>
    api.call('encryptFromBundle', {
      as,
      headers,
      params: { request_id },
      body: { bundle_id: bundle.id, include_keys: ['URL'], ...body },
    })
  const asks = async (id: string, body: Body = {}, as = owner) => askedIn(await approve(id, body, {}, as))
  const signed = async (id: string, body: Body = {}) => approve(id, body, key.sign(await asks(id, body)))
  const stateOf = (request_id: string) => api.call('getRequestContext', { as: owner, params: { request_id } })
  const keyOf = async (name: string) =>
    (await api.call('listKeys', { as: owner, query: { q: name } })).json.find((each) => each.name === name)
  const setValue = async (name: string, value: string) =>
    signedCall(api, key, 'updateKey', {
      as: owner,
      params: { key_id: (await keyOf(name))?.id ?? '' },
      body: { value },
    })

  test('an approval without a touch gives nothing and leaves no trace', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const asked = await asks(id, { release: 'loopback' })
    expect(statement(asked)).toMatchObject({
      act: 'encryptFromBundle',
      tenant: owner.tenantId,
      person: owner.userId,
      bundle,
      keys: [{ name: 'URL', key_id: (await keyOf('URL'))?.id, version: 1 }],
      parts: [],
      request: { id, kind: 'delivery', client_pubkey: client.publicKey, argv: null },
      way: 'loopback',
      remember: null,
      first: null,
      vouch: null,
      policy: { touch: 'passkey', approvals_needed: 1 },
    })
    expect((await stateOf(id)).json).toMatchObject({ status: 'pending', awaits_second: false })
    const events = (await api.call('listAudit', { as: owner })).json.map(({ action }) => action)
    expect(events).not.toContain('delivery.approved')
  })

  test('signed, it delivers, and the touch travels with the receipt', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const { json } = await signed(id, { release: 'loopback' })
    await client.release(id, secretOf(json))
    const answer = await client.waits(id)
    expect(client.opened(answer)).toEqual({ URL: 'pg://s3cret' })
    const { receipt } = answer.json as { receipt: { touches: { statement: string }[] } }
    expect(receipt.touches).toHaveLength(1)
    const text = Buffer.from(receipt.touches[0]?.statement ?? '', 'base64').toString()
    expect(JSON.parse(text)).toMatchObject({ request: { id }, way: 'loopback' })
  })

  test.each<[string, (id: string) => Promise<unknown>, Body]>([
    ['another value', () => setValue('URL', 'other'), {}],
    ['another name', async () => {}, { include_keys: ['URL', 'HOST'] }],
    ['another way', async () => {}, { release: 'code' }],
    ['another rule', () => policy({ agents: 'deny' }), {}],
    ['a stricter key', () => rule('device'), {}],
    ['a renamed bundle', () => renameBundle(), {}],
  ])('%s than the signed one is refused as changed', async (_, change, body) => {
    const id = await new ReturningClient(api).request()
    const header = key.sign(await asks(id, { release: 'loopback' }))
    await change(id)
    expect((await approve(id, { release: 'loopback', ...body }, header)).failure?.code).toBe('changed')
    expect((await signed(id, { release: 'loopback', ...body })).status).toBe(200)
  })

  const renameBundle = () =>
    signedCall(api, key, 'updateBundle', {
      as: owner,
      params: { bundle_id: bundle.id },
      body: { name: `${bundle.name}-2` },
    })

  test('a touch approves one request of one person, once', async () => {
    const [one, two] = [await new ReturningClient(api).request(), await new ReturningClient(api).request()]
    const header = key.sign(await asks(one), { counter: 0 })
    expect((await approve(two, {}, header)).failure?.code).toBe('changed')
    expect((await approve(one, {}, header, member)).failure?.code).toBe('changed')
    const answers = await Promise.all([approve(one, {}, header), approve(one, {}, header)])
    expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 409])
    expect((await approve(one, {}, header)).failure?.code).toBe('conflict')
  })

  test('no altered touch approves', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const header = key.sign(await asks(id))
    for (const altered of alteredTouches(header)) {
      const { status } = await approve(id, {}, altered)
      expect([400, 403, 409], altered['keyferry-touch']).toContain(status)
    }
    expect((await stateOf(id)).json).toMatchObject({ status: 'pending', awaits_second: false })
    expect((await approve(id, {}, header)).status).toBe(200)
  })

  test('of two people at once, the one who loses has spent no touch', async () => {
    const uses = () =>
      withDatabase(api.settings, ({ query }) => query.selectFrom('touch_uses').select('nonce_hash').execute())
    const id = await new ReturningClient(api).request()
    const headers = [key.sign(await asks(id)), other.sign(await asks(id, {}, member))]
    const before = (await uses()).length
    const answers = await Promise.all([approve(id, {}, headers[0]), approve(id, {}, headers[1], member)])
    expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 409])
    expect((await uses()).length).toBe(before + 1)
  })

  test('a synced key is not enough where the rule says device', async () => {
    const synced = new TouchKey({ isSynced: true })
    await synced.enrol(api, owner)
    const id = await new ReturningClient(api).request()
    expect((await approve(id, {}, synced.sign(await asks(id)))).status).toBe(200)
    await rule('device')
    const next = await new ReturningClient(api).request()
    const asked = await asks(next)
    expect(asked.keys.map((each) => each.id)).toEqual([key.device.id])
    expect((await approve(next, {}, synced.sign(asked))).failure?.code).toBe('touch_refused')
    expect((await approve(next, {}, key.sign(asked))).status).toBe(200)
  })

  test('two people sign, and the second signs the touch of the first', async () => {
    await policy({ approvals_needed: 2 })
    const client = new ReturningClient(api)
    const id = await client.request()
    const first = other.sign(await asks(id, {}, member))
    expect((await approve(id, {}, first, member)).json).toMatchObject({ approvals: { given: 1 } })
    const asked = await asks(id)
    expect(statement(asked).first).toEqual({
      person: member.userId,
      touch: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect((await approve(id, {}, key.sign(asked))).json).toMatchObject({ approvals: { given: 2 } })
    const { receipt } = (await client.waits(id)).json as { receipt: { touches: unknown[] } }
    expect(receipt.touches).toHaveLength(2)
  })

  test('a first approval that nobody signed does not count', async () => {
    await rule('none')
    await policy({ approvals_needed: 2 })
    const id = await new ReturningClient(api).request()
    expect((await approve(id, {}, {}, member)).status).toBe(200)
    await rule('passkey')
    expect((await approve(id)).failure?.error).toContain('without a signature')
  })

  test('a fresh code after loopback needs a touch of its own', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    await signed(id, { release: 'loopback' })
    const code = (headers = {}) =>
      api.call('createReleaseCode', { as: owner, params: { request_id: id }, headers })
    const asked = askedIn(await code())
    expect(statement(asked)).toMatchObject({ act: 'createReleaseCode', way: 'code', request: { id } })
    const { json } = await code(key.sign(asked))
    await client.release(id, secretOf(json))
    const { receipt } = (await client.waits(id)).json as { receipt: { touches: { statement: string }[] } }
    const [touch] = receipt.touches
    expect(JSON.parse(Buffer.from(touch?.statement ?? '', 'base64').toString()).way).toBe('code')
    expect(receipt.touches).toHaveLength(1)
  })

  test('a deposit is signed with its bundles, its plan and its box', async () => {
    const client = new DepositClient(api)
    const added = `${bundle.name}-added`
    const also = { [added]: { ADDED: '1' } }
    const id = await client.deposit(bundle.name, { URL: 'new' }, { replace: 'all', also })
    const plan_id = (await planOf(api, owner, id)).json.plan_id
    const body = { plan_id, release: 'code' }
    const store = (headers = {}) =>
      api.call('approveDeposit', { as: owner, params: { request_id: id }, body, headers })
    const asked = askedIn(await store())
    expect(statement(asked)).toMatchObject({
      act: 'approveDeposit',
      bundle,
      also: [{ id: null, name: added }],
      plan_id,
      way: 'code',
      box_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const held = await store(key.sign(asked))
    await client.release(id, secretOf(held.json))
    const stored = { status: 'applied', deposit: { receipt: { touches: [expect.anything()] } } }
    expect((await client.waits(id)).json).toMatchObject(stored)
  })

  test('proposing and denying need no touch, and nothing is remembered', async () => {
    const offered = await new ReturningClient(api).request()
    const params = { request_id: offered, bundle_id: bundle.id }
    const { json } = await api.call('getRequestBundle', { as: owner, params })
    expect(json).toMatchObject({ touch: 'passkey', remember_hours: 0 })
    for (const remember of [{}, { remember_for: 'repository' }])
      expect((await approve(offered, { remember_hours: 1, ...remember })).status).toBe(400)
    expect((await api.call('denyRequest', { as: owner, params: { request_id: offered } })).status).toBe(200)
    const asked = { kind: 'names', bundle_id: bundle.name }
    const request_id = await new ReturningClient(api).request(['code'], asked)
    const body = { bundle_id: bundle.id }
    const named = await api.call('approveNames', { as: owner, params: { request_id }, body })
    expect(named.status).toBe(200)
  })
})
