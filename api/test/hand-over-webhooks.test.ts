import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../plumbing/test/until.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { propose } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'
import { VouchingClient } from './vouching-client.ts'
import { Receiver } from './webhook-receiver.ts'

const EVENTS = ['approval.requested', 'delivery.approved', 'delivery.denied', 'proposal.created']

/*
 * What waits for a person, and what was decided, as a chat learns it.
 */
describe.each(oneDatabase)('webhooks about work that is handed over on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let dev: Identity
  let bundle: { id: string; name: string }
  let all: { bundle_id: string; include_keys: string[] }
  let receiver: Receiver
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], privateTargets: ['127.0.0.1/32'] })
  })
  beforeEach(async () => {
    owner = await api.newOwner()
    dev = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { TOP_SECRET: 'a value' })
    all = { bundle_id: bundle.id, include_keys: ['TOP_SECRET'] }
    receiver = new Receiver()
    await receiver.start()
    await webhook({ events: EVENTS })
  })
  afterEach(() => receiver.stop())
  afterAll(() => api.close())

  const webhook = async (draft: object) => {
    const made = await api.call('createWebhook', { as: owner, body: { url: receiver.url, ...draft } })
    expect(made.failure).toBeNull()
    return made.json.id
  }
  const rules = (body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const begun = () => new VouchingClient(api).begins({ meta: { agent: 'robot', reason: 'a reason' } })
  /** The types that arrived, once everything that happened is appended and nothing waits to be sent. */
  const arrived = async () => {
    await eventually(async () => {
      const log = await api.call('listAudit', { as: owner })
      expect(log.json.every(({ sealed }) => sealed)).toBe(true)
      const webhooks = await api.call('listWebhooks', { as: owner })
      expect(webhooks.json.map(({ waiting }) => waiting)).toEqual(webhooks.json.map(() => 0))
    })
    return receiver.bodies.map(({ type }) => type)
  }
  const nameOf = async (as: Identity) => (await api.call('getMe', { as })).json.username
  const message = async (about: { name: string; id: string }, by: Identity) => ({
    seq: expect.any(Number),
    bundle: { id: about.id, name: about.name },
    url: `https://keyferry.example.com/w/${owner.tenantId}/waiting`,
    actor: { kind: 'user', id: by.userId, name: await nameOf(by) },
  })

  test('a vouch that returned sends one message, and the approval after it sends another', async () => {
    await rules({ approvers: 'owner', assurance: 'bound' })
    const client = await begun()
    const { json } = await client.vouches(dev, all)
    expect(await arrived()).toEqual([])
    await client.release(client.requestId, secretOf(json))
    await eventually(async () => expect(await arrived()).toEqual(['approval.requested']))
    expect(receiver.bodies[0]?.data).toEqual(await message(bundle, dev))
    await client.approves(owner, all)
    expect(await arrived()).toEqual(['approval.requested', 'delivery.approved'])
    expect(receiver.bodies[1]?.data).toEqual(await message(bundle, owner))
    const texts = receiver.received.map(({ body }) => body).join('\n')
    const { email } = (await api.call('getMe', { as: dev })).json
    for (const kept of [client.requestId, 'TOP_SECRET', 'a value', 'a reason', email])
      expect(texts).not.toContain(kept)
  })

  test('the first of two approvals asks for the second, at its return where it must return', async () => {
    await rules({ approvals_needed: 2 })
    await (await begun()).approves(dev, all)
    expect(await arrived()).toEqual(['approval.requested'])
    await rules({ approvals_needed: 2, assurance: 'bound' })
    const client = await begun()
    const { json } = await client.approves(dev, all, { release: 'loopback' })
    expect(await arrived()).toEqual(['approval.requested'])
    await client.release(client.requestId, secretOf(json))
    await eventually(async () => expect(await arrived()).toHaveLength(2))
    expect(receiver.bodies[1]).toMatchObject({ type: 'approval.requested', data: await message(bundle, dev) })
  })

  test('a denial names the bundle if one was chosen, and else only a webhook of all bundles gets it', async () => {
    await rules({ approvers: 'owner', assurance: 'bound' })
    const limited = await webhook({ events: ['delivery.denied'], bundle_ids: [bundle.id] })
    await (await begun()).denied(owner)
    const client = await (await begun()).vouchedBy(dev, all)
    await client.denied(owner)
    await arrived()
    const denied = receiver.bodies.filter(({ type }) => type === 'delivery.denied')
    const { bundle: named, ...without } = await message(bundle, owner)
    expect(denied.filter(({ data }) => 'bundle' in data).map(({ data }) => data)).toEqual([
      { bundle: named, ...without },
      { bundle: named, ...without },
    ])
    expect(denied.filter(({ data }) => !('bundle' in data)).map(({ data }) => data)).toEqual([without])
    const params = { webhook_id: limited }
    expect((await api.call('listWebhookMessages', { as: owner, params })).json).toHaveLength(1)
  })

  test('a proposal names its bundle and its sender', async () => {
    await propose(api, dev, { bundle: bundle.name, values: { TOP_SECRET: 'b value' } })
    expect(await arrived()).toEqual(['proposal.created'])
    expect(receiver.bodies.map(({ data }) => data)).toEqual([await message(bundle, dev)])
    expect(receiver.received.map(({ body }) => body).join()).not.toMatch(/TOP_SECRET|b value/)
  })
})
