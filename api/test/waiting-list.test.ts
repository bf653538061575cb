import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { countedQueries } from './counted-queries.ts'
import { propose } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient } from './returning-client.ts'

describe.each(oneDatabase)('what waits for a person on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let bundle: { id: string; name: string }
  const counted = countedQueries()
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], aroundDatabase: counted.aroundDatabase })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { A: '1', B: '2' })
    await policy({ approvals_needed: 2 })
  })
  afterAll(() => api.close())

  const policy = (body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const approve = (as: Identity, requestId: string) =>
    approveWith(api, as, { requestId, bundle_id: bundle.id, include_keys: ['A', 'B'] })
  const waitingFor = async (as: Identity) => (await api.call('listWaiting', { as })).json
  const proposals = async (as: Identity) =>
    (await waitingFor(as)).filter(({ kind: what }) => what === 'proposal')

  test('a first approval waits for those who may be second, until they are', async () => {
    const id = await new ReturningClient(api).request()
    expect(await waitingFor(owner)).toEqual([])
    await approve(member, id)
    expect(await waitingFor(owner)).toEqual([
      {
        kind: 'second_approval',
        request_id: id,
        bundle: { id: bundle.id, name: bundle.name },
        key_count: 2,
        person: expect.objectContaining({ kind: 'user', id: member.userId }),
        at: expect.any(String),
        expires_at: expect.any(String),
      },
    ])
    expect(await waitingFor(member)).toEqual([])
    expect(await waitingFor(await api.newOwner())).toEqual([])
    await approve(owner, id)
    expect(await waitingFor(owner)).toEqual([])
  })

  test('a person whom the rules refuse by now is not asked', async () => {
    const third = await joinWorkspace(api, owner, 'member')
    const id = await new ReturningClient(api).request()
    await approve(owner, id)
    expect(await waitingFor(third)).toMatchObject([{ request_id: id }])
    await policy({ approvers: 'owner' })
    expect(await waitingFor(third)).toEqual([])
    await policy({ approvers: null })
  })

  test('a person who approves everything first, also at once, hides no other request', async () => {
    const [flooder, colleague] = [await joinWorkspace(api, owner, 'member'), member]
    const asked = await new ReturningClient(api).request()
    await approve(colleague, asked)
    const most = LIMITS.firstApprovalsOfPerson
    const ids = await Promise.all(Array.from({ length: most + 10 }, () => new ReturningClient(api).request()))
    const answers = await Promise.all(ids.map((id) => approve(flooder, id)))
    const own = async () => (await waitingFor(owner)).filter(({ person }) => person.id === flooder.userId)
    const kept = answers.filter(({ status }) => status === 200).length
    expect(kept).toBeLessThanOrEqual(most)
    expect(await own()).toHaveLength(kept)
    for (let count = kept; count < most; count++)
      expect((await approve(flooder, await new ReturningClient(api).request())).status).toBe(200)
    const refused = await approve(flooder, await new ReturningClient(api).request())
    expectError(refused, 409, 'Too many requests that you approved wait for a second person already')
    expect(await own()).toHaveLength(most)
    expect(await waitingFor(owner)).toContainEqual(expect.objectContaining({ request_id: asked }))
  })

  test('the rules of a bundle are read once, however many requests wait for its values', async () => {
    const as = await api.newOwner()
    const first = await joinWorkspace(api, as, 'member')
    const { id } = await newBundle(api, as, { A: '1', B: '2' })
    const set = (bundle_id: string, body: object) =>
      api.call('changeBundlePolicy', { as, params: { bundle_id }, body })
    await set(id, { approvals_needed: 2 })
    const params = { bundle_id: id }
    const twin = await api.call('duplicateBundle', { as, params, body: { name: 'twin' } })
    await set(twin.json.id, { agents: 'deny' })
    const waits = async (count: number) => {
      const { json } = await api.call('listWaiting', { as })
      expect(json).toHaveLength(count)
    }
    const ask = async () => {
      const requestId = await new ReturningClient(api).request()
      await approveWith(api, first, { requestId, bundle_id: id, include_keys: ['A', 'B'] })
    }
    await ask()
    const ofOne = await counted.fewestOf(() => waits(1))
    expect(ofOne).toBeGreaterThan(0)
    for (let count = 1; count < 8; count += 1) await ask()
    expect(await counted.fewestOf(() => waits(8))).toBe(ofOne)
  })

  test('an open proposal waits for the owners, and for no one else', async () => {
    const there = await newBundle(api, owner, { SET: 'v' })
    const id = await propose(api, member, { bundle: there.name, values: { SET: 'w' } })
    expect(await proposals(owner)).toMatchObject([{ proposal: { id }, person: { id: member.userId } }])
    expect(await proposals(member)).toEqual([])
    await api.call('endProposal', { as: owner, params: { proposal_id: id } })
    expect(await proposals(owner)).toEqual([])
  })
})
