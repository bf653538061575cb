import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'

const ROUNDS = 12

/*
 * A person approves and is removed, or demoted, at once. Either their approval was first, and the removal ends it, or
 * the removal was first, and nothing is written. Never does an approval stand of somebody who may not approve.
 */
describe.each(databases)('an approval and the end of its approver at once, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], requestsPerMinute: 10_000 })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'secret' })
    const rules = { as: owner, params: { bundle_id: bundle.id }, body: { approvers: 'owner' } }
    expect((await api.call('changeBundlePolicy', rules)).status).toBe(200)
  })
  afterAll(() => api.close())

  const ends = {
    removed: (user_id: string) => api.call('removeMember', { as: owner, params: { user_id } }),
    demoted: (user_id: string) =>
      api.call('changeMemberRole', { as: owner, params: { user_id }, body: { role: 'member' } }),
  }

  test.each(['removed', 'demoted'] as const)('%s: no approval of theirs stands', async (end) => {
    for (let round = 0; round < ROUNDS; round++) {
      const approver = await joinWorkspace(api, owner, 'owner')
      const client = new ApprovalClient(api)
      const requestId = await client.asked()
      const acts = [
        () => approveWith(api, approver, { requestId, bundle_id: bundle.id, include_keys: ['URL'] }),
        () => ends[end](approver.userId),
      ]
      if (round % 2 === 1) acts.reverse()
      const answers = await Promise.all(acts.map((act) => act()))
      const [approved, ended] = round % 2 === 1 ? answers.toReversed() : answers
      expect(ended?.status).toBeLessThan(300)
      if (approved?.status === 200) expect((await client.wait(requestId)).status).toBe(404)
      else expect(approved?.status).toBe(403)
      const deliveries = (await api.call('listDeliveries', { as: owner })).json
      expect(deliveries.filter(({ state }) => state === 'approved' || state === 'collected')).toEqual([])
    }
  })
})
