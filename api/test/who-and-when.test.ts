import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith } from './approval-client.ts'
import { propose } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { fetchValues, grant, newBundle, newMachine } from './machine-client.ts'
import { ReturningClient } from './returning-client.ts'

const MINUTE = 60_000

/** Where an answer names two people or two times, each is in its place. */
describe.each(oneDatabase)('who did what, and when, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let nowMs = Date.now()
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now: () => new Date(nowMs) })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
  })
  afterAll(() => api.close())

  const later = () => {
    nowMs += MINUTE
    return new Date(nowMs).toISOString()
  }
  /** Members may change all values of this bundle. */
  const openBundle = async (values: Record<string, string>) => {
    const bundle = await newBundle(api, owner, values)
    const params = { bundle_id: bundle.id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { changers: 'member' } })
    return bundle
  }
  /** A value that the member proposed and an owner accepted. */
  const accepted = async () => {
    const bundle = await newBundle(api, owner, { SET: 'v' })
    const id = await propose(api, member, { bundle: bundle.name, values: { SET: 'w' } })
    const params = { proposal_id: id }
    const plan = await api.call('planProposal', { as: owner, params, body: {} })
    const acceptedAt = later()
    const body = { plan_id: plan.json.plan_id }
    expect((await api.call('acceptProposal', { as: owner, params, body })).status).toBe(200)
    return { bundle, id, keyId: bundle.keyIds['SET'] ?? '', acceptedAt }
  }

  test('an accepted value is set by the owner who accepted it, and proposed by the member', async () => {
    const { keyId, bundle, acceptedAt } = await accepted()
    const versions = async () =>
      (await api.call('listKeyVersions', { as: owner, params: { key_id: keyId } })).json
    const theirs = { set_by: { id: owner.userId }, proposed_by: { id: member.userId }, set_at: acceptedAt }
    expect((await versions())[0]).toMatchObject(theirs)
    const query: [string, string][] = [
      ['bundle_id', bundle.id],
      ['facts', '1'],
    ]
    const compared = await api.call('compareBundles', { as: owner, query })
    expect(compared.json.rows[0]?.cells[0]?.facts?.set_by).toMatchObject({ id: owner.userId })
    later()
    await api.call('updateKey', { as: owner, params: { key_id: keyId }, body: { value: 'x' } })
    const [current, replaced] = await versions()
    expect(current).toMatchObject({ set_by: { id: owner.userId }, proposed_by: null })
    expect(replaced).toMatchObject(theirs)
  })

  test('an ended proposal is of the member, and ended after it was made', async () => {
    const madeAt = later()
    const { id, acceptedAt } = await accepted()
    const { json } = await api.call('listProposals', { as: owner })
    expect(json.find((proposal) => proposal.id === id)).toMatchObject({
      proposer: { id: member.userId },
      created_at: madeAt,
      ended_at: acceptedAt,
    })
  })

  test('a bundle is made by one person and changed last by another', async () => {
    const madeAt = later()
    const made = await api.call('createBundle', { as: member, body: { name: 'two/people' } })
    const params = { bundle_id: made.json.id }
    const changedAt = later()
    await api.call('updateBundle', { as: owner, params, body: { description: 'changed' } })
    const { json } = await api.call('getBundle', { as: owner, params })
    expect(json).toMatchObject({ created_by: member.userId, updated_by: owner.userId })
    expect(json).toMatchObject({ created_at: madeAt, updated_at: changedAt })
    const { username } = (await api.call('getMe', { as: owner })).json
    expect(json.updated_by_name).toBe(username)
  })

  test('the approval page says who changed a value last, and when', async () => {
    const bundle = await openBundle({ CHANGED: 'v' })
    const changedAt = later()
    const params = { key_id: bundle.keyIds['CHANGED'] ?? '' }
    await api.call('updateKey', { as: member, params, body: { value: 'w' } })
    later()
    const request_id = await new ReturningClient(api).request()
    const offer = { as: owner, params: { request_id, bundle_id: bundle.id } }
    const { username } = (await api.call('getMe', { as: member })).json
    const { items } = (await api.call('getRequestBundle', offer)).json
    expect(items).toMatchObject([{ changed_by: username, changed_at: changedAt }])
  })

  test('a holder got a value first and last at these times', async () => {
    const bundle = await newBundle(api, owner, { HELD: 'v' })
    const machine = await newMachine(api, owner)
    await grant(api, owner, { machine, bundle })
    const wish = { token: machine.token, bundle_id: bundle.name }
    const first_at = later()
    expect((await fetchValues(api, wish)).answer.status).toBe(200)
    later()
    await fetchValues(api, wish)
    const last_at = later()
    await fetchValues(api, wish)
    const params = { key_id: bundle.keyIds['HELD'] ?? '' }
    await expect
      .poll(async () => (await api.call('listHolders', { as: owner, params })).json)
      .toMatchObject([{ id: machine.id, first_at, last_at, times: 3 }])
  })

  test('a delivery is approved at one time and collected at another, by the person who approved it', async () => {
    const bundle = await newBundle(api, owner, { COLLECTED: 'v' })
    const client = new ReturningClient(api)
    const requestId = await client.request()
    const created_at = later()
    await approveWith(api, member, { requestId, bundle_id: bundle.id, include_keys: ['COLLECTED'] })
    const collected_at = later()
    expect((await client.waits(requestId)).json.status).toBe('ready')
    const list = { as: owner, query: { bundle_id: bundle.id } }
    await expect
      .poll(async () => (await api.call('listDeliveries', list)).json)
      .toMatchObject([{ approver: { id: member.userId }, vouched_by: null, created_at, collected_at }])
  })

  test('a token was made, is used last, and ends at these times', async () => {
    const created_at = later()
    const machine = await newMachine(api, owner, { expires_in_days: 1 })
    const expires_at = new Date(nowMs + 24 * 60 * MINUTE).toISOString()
    const bundle = await newBundle(api, owner, { USED: 'v' })
    await grant(api, owner, { machine, bundle })
    const last_used_at = later()
    await fetchValues(api, { token: machine.token, bundle_id: bundle.name })
    const params = { machine_id: machine.id }
    await expect
      .poll(async () => (await api.call('getMachine', { as: member, params })).json.tokens)
      .toMatchObject([{ created_by: owner.userId, created_at, last_used_at, expires_at, ended_at: null }])
    const ended_at = later()
    const token = { machine_id: machine.id, token_id: machine.tokenId }
    await api.call('endMachineToken', { as: owner, params: token })
    const { json } = await api.call('getMachine', { as: owner, params })
    expect(json.tokens).toMatchObject([{ created_at, expires_at, ended_at }])
  })
})
