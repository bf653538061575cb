import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace, layerHeaders } from './joined.ts'
import { VouchingClient } from './vouching-client.ts'

// `npm run faults -- properties` runs 200.
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 8)

/*
 * A person approves, and at once is removed, deactivated or demoted, or the rules exclude them. Either their approval
 * was first, and its end takes it away, or the end was first, and nothing is written. Never does an approval stand of
 * somebody who was gone before it. An approval that was first stands if only the rules changed.
 */
describe.each(databases)('an approval and the end of its approver at once, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], requestsPerMinute: 10_000 })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'secret' })
  })
  afterAll(() => api.close())

  const setRules = async (body: object) => {
    const changed = await api.call('changeBundlePolicy', {
      as: owner,
      params: { bundle_id: bundle.id },
      body,
    })
    expect(changed.status).toBe(200)
    return changed
  }

  type Person = Awaited<ReturnType<typeof joinWorkspace>>
  const ends = {
    removed: ({ userId }: Person) => api.call('removeMember', { as: owner, params: { user_id: userId } }),
    deactivated: ({ idpUserId }: Person) => {
      const body = { is_active: false }
      const headers = layerHeaders(`/api/v1/users/${idpUserId}`, body)
      return api.call('changeProvidedUser', { params: { idp_user_id: idpUserId }, body, headers })
    },
    demoted: ({ userId }: Person) =>
      api.call('changeMemberRole', { as: owner, params: { user_id: userId }, body: { role: 'member' } }),
    limited: () => setRules({ approvers: 'named', people: [owner.userId] }),
  }

  test.each(['removed', 'deactivated', 'demoted', 'limited'] as const)(
    '%s: no approval of theirs stands that came later',
    async (end) => {
      for (let round = 0; round < ROUNDS; round++) {
        await setRules({ approvers: 'owner' })
        const approver = await joinWorkspace(api, owner, 'owner')
        const client = new ApprovalClient(api)
        const requestId = await client.asked()
        const acts = [
          () => approveWith(api, approver, { requestId, bundle_id: bundle.id, include_keys: ['URL'] }),
          () => ends[end](approver),
        ]
        if (round % 2 === 1) acts.reverse()
        const answers = await Promise.all(acts.map((act) => act()))
        const [approved, ended] = round % 2 === 1 ? answers.toReversed() : answers
        expect(ended?.status).toBeLessThan(300)
        expect([200, 403, 409]).toContain(approved?.status)
        const stands = approved?.status === 200 && end === 'limited'
        const { json } = await api.call('listDeliveries', { as: owner, query: { user_id: approver.userId } })
        const standing = json.filter(({ state }) => state === 'approved' || state === 'collected')
        expect(standing).toHaveLength(stands ? 1 : 0)
        if (approved?.status === 200 && !stands) expect((await client.wait(requestId)).status).toBe(404)
      }
    },
  )

  test('the vouches of a whole workspace keep their bound, also if two people vouch at once', async () => {
    await setRules({ approvers: 'owner', assurance: 'bound' })
    const choice = { bundle_id: bundle.id, include_keys: ['URL'] }
    const vouch = async (as: Identity) => (await new VouchingClient(api).begins()).vouches(as, choice)
    for (let left = LIMITS.vouchesOfWorkspace - 1; left > 0; left -= LIMITS.vouchesOfPerson) {
      const member = await joinWorkspace(api, owner, 'member')
      const count = Math.min(left, LIMITS.vouchesOfPerson)
      for (let each = 0; each < count; each++) expect((await vouch(member)).status).toBe(200)
    }
    const others = await Promise.all([1, 2, 3].map(() => joinWorkspace(api, owner, 'member')))
    const statuses = await Promise.all(others.map(async (as) => (await vouch(as)).status))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 429, 429])
  })
})
