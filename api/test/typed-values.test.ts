import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { askedIn, signedCall, TouchKey } from './touch-client.ts'

type Body = Record<string, unknown>

const SECRET = { name: 'STRIPE_KEY', value: 'sk_typed_by_hand' }
const OPEN = { name: 'LOG_LEVEL', value: 'debug', is_secret: false }
const KEYS = ['URL', 'STRIPE_KEY', 'LOG_LEVEL']

describe.each(oneDatabase)('values that the approver types, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let bundle: { id: string; name: string }
  let client: ReturningClient
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { URL: 'pg://db' })
    client = new ReturningClient(api)
  })

  const asks = (body: Body = {}, release = ['loopback', 'code']) =>
    client.request(release, { template_keys: KEYS, ...body })
  const here = () => ({ 'x-forwarded-for': client.address })
  const offered = async (request_id: string, as = owner, headers: Record<string, string> = here()) => {
    const params = { request_id, bundle_id: bundle.id }
    return (await api.call('getRequestBundle', { as, headers, params })).json.may_type
  }
  const approve = (request_id: string, body: Body = {}, as = owner, headers: Record<string, string> = {}) =>
    api.call('encryptFromBundle', {
      as,
      headers: { ...here(), ...headers },
      params: { request_id },
      body: { bundle_id: bundle.id, include_keys: ['URL'], typed: [SECRET], release: 'loopback', ...body },
    })
  const rule = async (body: Body) => {
    const params = { bundle_id: bundle.id }
    expect((await api.call('changeBundlePolicy', { as: owner, params, body })).status).toBe(200)
  }
  const namesOf = async () => {
    const { json } = await api.call('getBundle', { as: owner, params: { bundle_id: bundle.id } })
    return json.items.map(({ key }) => key)
  }

  test('they leave once, sealed beside the others, and are stored nowhere', async () => {
    const id = await asks()
    expect(await offered(id)).toEqual({
      names: [
        { name: 'STRIPE_KEY', known: false },
        { name: 'LOG_LEVEL', known: false },
      ],
      keep: 'store',
    })
    const approved = await approve(id, { typed: [SECRET, OPEN] })
    expect(approved.status).toBe(200)
    expect(approved.text).not.toContain(SECRET.value)
    await client.release(id, secretOf(approved.json))
    const answer = await client.waits(id)
    expect(client.opened(answer)).toEqual({ URL: 'pg://db', STRIPE_KEY: SECRET.value, LOG_LEVEL: 'debug' })
    const { receipt } = answer.json as { receipt: { payload: string } }
    const signed = JSON.parse(Buffer.from(receipt.payload, 'base64').toString())
    expect(signed.public).toEqual(['LOG_LEVEL'])
    expect(signed.keys).toContainEqual({ name: 'STRIPE_KEY', key_id: null, version: null })
    expect(await namesOf()).toEqual(['URL'])
    const { json: events, text } = await api.call('listAudit', { as: owner })
    const event = events.find(({ action }) => action === 'delivery.approved')
    expect(event?.data).toMatchObject({ typed: ['STRIPE_KEY', 'LOG_LEVEL'] })
    expect(text).not.toContain(SECRET.value)
    expect(api.log()).not.toContain(SECRET.value)
  })

  test('they may be all that leaves', async () => {
    const id = await asks()
    expect((await approve(id, { include_keys: [], typed: [] })).failure?.error).toBe(
      'include_keys must not be empty',
    )
    const { json } = await approve(id, { include_keys: [] })
    await client.release(id, secretOf(json))
    expect(client.opened(await client.waits(id))).toEqual({ STRIPE_KEY: SECRET.value })
    const query = { action: 'delivery.approved' }
    const [event] = (await api.call('listAudit', { as: owner, query })).json
    expect(event?.data).toMatchObject({ typed: ['STRIPE_KEY'] })
  })

  const at = (name: string) => api.call('createBundle', { as: owner, body: { name } })

  test('a name that another environment of the application delivers is known', async () => {
    const [dev, prod, apart] = [await at('dev/shop'), await at('prod/shop'), await at('prod/mail')]
    for (const [of, name] of [
      [prod, 'STRIPE_KEY'],
      [apart, 'LOG_LEVEL'],
    ] as const) {
      const key = await api.call('createKey', { as: owner, body: { name, value: 'x' } })
      const params = { bundle_id: of.json.id, key_id: key.json.id }
      await api.call('attachKey', { as: owner, params })
    }
    bundle = { id: dev.json.id, name: 'dev/shop' }
    const id = await asks({ template_keys: ['STRIPE_KEY', 'LOG_LEVEL'] })
    expect((await offered(id))?.names).toEqual([
      { name: 'STRIPE_KEY', known: true },
      { name: 'LOG_LEVEL', known: false },
    ])
  })

  test('of many environments, as many are read as one comparison takes', async () => {
    const names = Array.from(
      { length: LIMITS.comparedBundles + 1 },
      (_, n) => `dev-${String(n).padStart(2, '0')}/many`,
    )
    const ids = []
    for (const name of names) ids.push((await at(name)).json.id)
    for (const [index, name] of [
      [0, 'STRIPE_KEY'],
      [LIMITS.comparedBundles, 'LOG_LEVEL'],
    ] as const) {
      const key = await api.call('createKey', { as: owner, body: { name, value: 'x' } })
      await api.call('attachKey', { as: owner, params: { bundle_id: ids[index] ?? '', key_id: key.json.id } })
    }
    bundle = { id: (await at('prod/many')).json.id, name: 'prod/many' }
    const id = await asks({ template_keys: ['STRIPE_KEY', 'LOG_LEVEL'] })
    expect((await offered(id))?.names).toEqual([
      { name: 'STRIPE_KEY', known: true },
      { name: 'LOG_LEVEL', known: false },
    ])
  })

  const RETURNS = 'typed values need an approval that returns to the terminal and is not remembered'
  const NOT_TYPED = 'values cannot be typed for this request'

  test.each<[string, Body, Body, string, string?]>([
    ['an agent', { meta: { agent: 'claude-code' } }, {}, NOT_TYPED],
    [
      'a client that takes nothing back',
      { release: [], poll_challenge: undefined },
      { release: undefined },
      RETURNS,
    ],
    ['an approval by a click', {}, { release: undefined }, RETURNS],
    [
      'a remembered approval',
      {},
      { remember_hours: 1 },
      'this approval can be remembered for 0 hours at most',
    ],
    ['another network', {}, {}, NOT_TYPED, '198.51.100.7'],
    [
      'a name that was not requested',
      {},
      { typed: [{ name: 'OTHER', value: 'x' }] },
      'typed names were not requested',
    ],
    [
      'a proposal by who may store',
      {},
      { typed: [{ ...SECRET, propose: true }] },
      'you may change this bundle: store the values',
    ],
    ['the same name twice', {}, { typed: [SECRET, SECRET] }, 'typed must not name a variable twice'],
    [
      'a value that no environment holds',
      {},
      { typed: [{ ...SECRET, value: 'a\0b' }] },
      'value must not contain NUL: an environment variable cannot hold it',
    ],
    [
      'a name that no environment holds',
      {},
      { typed: [{ ...SECRET, name: 'A-B' }] },
      'Key name may hold only letters, digits and _',
    ],
  ])('are refused for %s', async (_, asked, choice, error, address) => {
    const id = await asks(asked)
    const headers = address === undefined ? {} : { 'x-forwarded-for': address }
    const refused = await approve(id, choice, owner, headers)
    expect([refused.status, refused.failure?.error]).toEqual([400, error])
    expect(refused.text).not.toContain(SECRET.value)
    const context = await api.call('getRequestContext', { as: owner, params: { request_id: id } })
    expect(context.json.status).toBe('pending')
  })

  test('are not offered where two people approve, or one vouches', async () => {
    await rule({ approvals_needed: 2, approvers: 'member' })
    const id = await asks()
    expect(await offered(id)).toBeUndefined()
    expect((await approve(id)).failure?.code).toBe('invalid')
    await rule({ approvals_needed: 1, approvers: 'owner' })
    expect(await offered(id, member)).toBeUndefined()
    const body = { bundle_id: bundle.id, include_keys: ['URL'], release: 'loopback' }
    const vouch = await api.call('vouchForRequest', { as: member, params: { request_id: id }, body })
    await client.release(id, secretOf(vouch.json))
    expect(await offered(id)).toBeUndefined()
    expect((await approve(id, { release: undefined })).failure?.code).toBe('invalid')
  })

  test('a name that the bundle has by now is refused', async () => {
    const id = await asks()
    const entries = [{ name: 'STRIPE_KEY', value: 'stored meanwhile' }]
    await api.call('importVariables', { as: owner, body: { bundle: bundle.name, entries } })
    const taken = 'The bundle has STRIPE_KEY now: load the page again, then decide'
    expectError(await approve(id), 409, taken, 'conflict')
    expect((await offered(id))?.names).toEqual([{ name: 'LOG_LEVEL', known: false }])
  })

  test('who may not change the bundle proposes them to the owners', async () => {
    await rule({ approvers: 'member' })
    const id = await asks()
    expect((await offered(id, member))?.keep).toBe('propose')
    const { json } = await approve(id, { typed: [{ ...SECRET, propose: true }, OPEN] }, member)
    await client.release(id, secretOf(json))
    expect(client.opened(await client.waits(id))).toMatchObject({ STRIPE_KEY: SECRET.value })
    const { json: proposals, text } = await api.call('listProposals', { as: owner })
    expect(proposals).toMatchObject([
      { state: 'open', bundle, entries: [{ name: 'STRIPE_KEY', is_secret: true }] },
    ])
    expect(text).not.toContain(SECRET.value)
    const params = { proposal_id: proposals[0]?.id ?? '' }
    const { json: plan } = await api.call('planProposal', { as: owner, params, body: {} })
    const body = { plan_id: plan.plan_id }
    expect((await api.call('acceptProposal', { as: owner, params, body })).status).toBe(200)
    expect(await namesOf()).toEqual(['URL', 'STRIPE_KEY'])
  })

  test('under a rule for signatures the statement lists each name, and each name is signed', async () => {
    const [key, another] = [new TouchKey(), new TouchKey()]
    await key.enrol(api, owner)
    await another.enrol(api, await joinWorkspace(api, owner, 'owner'))
    const params = { bundle_id: bundle.id }
    const body = { touch: 'passkey' as const }
    const { failure } = await signedCall(api, key, 'changeBundlePolicy', { as: owner, params, body })
    expect(failure).toBeNull()
    const id = await asks()
    expect((await offered(id))?.keep).toBeNull()
    const asked = askedIn(await approve(id, { typed: [SECRET, OPEN] }))
    expect(JSON.parse(asked.statement)).toMatchObject({ typed: ['LOG_LEVEL', 'STRIPE_KEY'] })
    expect(asked.statement).not.toContain(SECRET.value)
    const header = key.sign(asked)
    expect((await approve(id, {}, owner, header)).failure?.code).toBe('changed')
    const fresh = key.sign(askedIn(await approve(id, { typed: [SECRET, OPEN] })))
    expect((await approve(id, { typed: [SECRET, OPEN] }, owner, fresh)).status).toBe(200)
  })
})
