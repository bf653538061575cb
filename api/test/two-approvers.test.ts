import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const byNumber = (a: number, b: number) => a - b

describe.each(oneDatabase)('two approvers on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { A: '1', B: '2' })
    await policy({ approvals_needed: 2 })
  })
  afterAll(() => api.close())

  const policy = (body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const approve = (as: Identity, requestId: string, body: Record<string, unknown> = {}) =>
    approveWith(api, as, { requestId, bundle_id: bundle.id, include_keys: ['A', 'B'], ...body })
  const offerTo = async (as: Identity, request_id: string) =>
    (await api.call('getRequestBundle', { as, params: { request_id, bundle_id: bundle.id } })).json
  const usernameOf = async (as: Identity) => (await api.call('getMe', { as })).json.username
  const BOTH = { ok: true, approvals: { given: 2, needed: 2 } }
  const FIRST = { ok: true, approvals: { given: 1, needed: 2 } }

  test('one approval delivers nothing; the second person sees the first, and theirs delivers', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    expect((await approve(member, id)).json).toEqual(FIRST)
    expect((await client.waits(id, 'none')).json).toEqual({ status: 'pending', needs: 'second_person' })
    const context = await api.call('getRequestContext', { params: { request_id: id } })
    expect(context.json).toMatchObject({ status: 'pending', awaits_second: true })
    const { first_approval } = await offerTo(owner, id)
    expect(first_approval).toMatchObject({
      person: { kind: 'user', id: member.userId },
      keys: ['A', 'B'],
      returned: false,
    })
    expect((await approve(owner, id, { include_keys: ['B', 'A'] })).json).toEqual(BOTH)
  })

  test('both are in the log, and the values come', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    await approve(member, id)
    await approve(owner, id)
    expect(client.opened(await client.waits(id))).toEqual({ A: '1', B: '2' })
    const events = (await api.call('listAudit', { as: owner })).json.slice(0, 3)
    const first = events.find(({ action }) => action === 'delivery.first_approved')
    const second = events.find(({ action }) => action === 'delivery.approved')
    expect(first).toMatchObject({ actor: { id: member.userId }, data: { names: ['A', 'B'] } })
    expect(second).toMatchObject({ actor: { id: owner.userId }, data: { first: member.userId } })
  })

  test('one person cannot be both', async () => {
    const id = await new ReturningClient(api).request()
    await approve(owner, id)
    const sentence = 'You approved this request already: another person must approve too'
    expect(await offerTo(owner, id)).toMatchObject({
      may_approve: false,
      why_not: { code: 'second_person', error: sentence, who: [await usernameOf(member)] },
    })
    expectError(await approve(owner, id), 403, sentence, 'second_person')
  })

  test('without a second person who may, there is no first approval', async () => {
    await policy({ approvers: 'owner' })
    const id = await new ReturningClient(api).request()
    const sentence =
      'Two people must approve requests for this bundle, and you are the only person of the workspace who may'
    const offer = await offerTo(owner, id)
    expect(offer.why_not).toEqual({ code: 'second_person', error: sentence, who: [] })
    expectError(await approve(owner, id), 403, sentence, 'second_person')
    await policy({ approvers: null })
    expect((await approve(owner, id)).json).toEqual(FIRST)
  })

  test('the second person approves what the first did, nothing else', async () => {
    const id = await new ReturningClient(api).request()
    await approve(member, id)
    const other = await approve(owner, id, { include_keys: ['A'] })
    expectError(other, 409, 'The first person approved something else: approve the same keys', 'conflict')
    expect(other.failure?.details).toEqual({ field: 'include_keys', keys: ['A', 'B'] })
    expect((await approve(owner, id)).json).toEqual(BOTH)
  })

  test('of two second people at once one seals, and one delivery leaves', async () => {
    const third = await joinWorkspace(api, owner, 'member')
    for (let round = 0; round < 5; round++) {
      const client = new ReturningClient(api)
      const id = await client.request()
      await approve(member, id)
      const answers = await Promise.all([approve(owner, id), approve(third, id)])
      expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 409])
      expect(client.opened(await client.waits(id))).toEqual({ A: '1', B: '2' })
    }
  })

  test('if two people approve first at once, the later one must look again, and can be second', async () => {
    const client = new ReturningClient(api)
    const id = await client.request()
    const people = [owner, member]
    const answers = await Promise.all(people.map((person) => approve(person, id)))
    const given = answers.map(({ json, status }) => (status === 200 ? (json.approvals?.given ?? 0) : status))
    expect([
      [1, 2],
      [1, 409],
    ]).toContainEqual(given.toSorted(byNumber))
    const late = people[answers.findIndex(({ status }) => status === 409)]
    if (late) expect((await approve(late, id)).json).toEqual(BOTH)
  })

  test('a removed first approver does not count', async () => {
    const leaver = await joinWorkspace(api, owner, 'member')
    const client = new ReturningClient(api)
    const id = await client.request()
    await approve(leaver, id)
    await api.call('removeMember', { as: owner, params: { user_id: leaver.userId } })
    expect((await approve(owner, id)).json).toEqual(FIRST)
    expect((await approve(member, id)).json).toEqual(BOTH)
  })

  test('where only owners approve, a first person who is no owner any more does not count', async () => {
    await policy({ approvers: 'owner' })
    const demoted = await joinWorkspace(api, owner, 'owner')
    await joinWorkspace(api, owner, 'owner')
    const id = await new ReturningClient(api).request()
    await approve(demoted, id)
    await api.call('changeMemberRole', {
      as: owner,
      params: { user_id: demoted.userId },
      body: { role: 'member' },
    })
    expect((await approve(owner, id)).json).toEqual(FIRST)
    await policy({ approvers: null })
  })

  test('the second person learns that the rules no longer let the first approve', async () => {
    await joinWorkspace(api, owner, 'owner')
    const id = await new ReturningClient(api).request()
    await approve(member, id)
    await policy({ approvers: 'owner' })
    const sentence = 'The first approval is no longer valid: deny the request and start again'
    expectError(await approve(owner, id), 409, sentence, 'conflict')
    await policy({ approvers: null })
    expect((await approve(owner, id)).json).toEqual(BOTH)
  })

  test('one return to the terminal is enough: the first person may have brought it', async () => {
    await policy({ assurance: 'local' })
    const client = new ReturningClient(api)
    const id = await client.request()
    const { json } = await approve(member, id, { release: 'loopback' })
    expect(json).toMatchObject({ ...FIRST, release: { by: 'loopback' } })
    expect((await client.release(id, secretOf(json))).status).toBe(200)
    expect(await offerTo(owner, id)).toMatchObject({
      release_required: false,
      first_approval: { returned: true },
    })
    expect((await approve(owner, id)).json).toEqual(BOTH)
    expect(client.opened(await client.waits(id))).toEqual({ A: '1', B: '2' })
    await policy({ assurance: null })
  })

  test('without a return of the first, the last approval must return', async () => {
    await policy({ assurance: 'bound' })
    const client = new ReturningClient(api)
    const id = await client.request()
    expect((await approve(member, id)).json).toEqual(FIRST)
    expect((await approve(owner, id)).failure?.code).toBe('release_required')
    const { json } = await approve(owner, id, { release: 'code' })
    await client.release(id, secretOf(json))
    expect(client.opened(await client.waits(id))).toEqual({ A: '1', B: '2' })
    await policy({ assurance: null })
  })
})
