import { LIMITS } from '@keyferry/contract'
import { multiplyTimeLimits } from '@keyferry/plumbing/time-limits'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { TIME_LIMIT_FACTOR, until } from '../../plumbing/test/until.ts'
import { databases, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace, layerHeaders } from './joined.ts'
import { askedIn, TouchKey } from './touch-client.ts'
import { VouchingClient } from './vouching-client.ts'

// `npm run faults -- properties` runs 200.
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 8)

const BEGINS_OF_WAITING = `select xact_start::text as begun from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

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

  if (kind === 'postgres')
    test('a rule that asks for touches is set although another call locks the people for long', async () => {
      const own = await api.newOwner()
      const [first, second] = [new TouchKey(), new TouchKey()]
      await first.enrol(api, own)
      const other = await joinWorkspace(api, own, 'owner')
      await second.enrol(api, other)
      const { id: bundle_id } = await newBundle(api, own, { URL: 'secret' })
      const set = (headers = {}) =>
        api.call('changeBundlePolicy', {
          as: own,
          headers,
          params: { bundle_id },
          body: { touch: 'passkey' },
        })
      const signature = first.sign(askedIn(await set()))
      const connection = () => new Client(api.settings.databaseUrl ?? '')
      const [holder, watcher] = [connection(), connection()]
      await Promise.all([holder.connect(), watcher.connect()])
      onTestFinished(async () => {
        await Promise.all([holder.end(), watcher.end()])
      })
      await holder.query('begin')
      await holder.query('select user_id from memberships where user_id = $1 for update', [other.userId])
      multiplyTimeLimits(1)
      onTestFinished(() => multiplyTimeLimits(Number(TIME_LIMIT_FACTOR)))
      let isAnswered = false
      const answer = set(signature).finally(() => {
        isAnswered = true
      })
      const tries = new Set<string>()
      await until('a second try', async () => {
        const { rows } = await watcher.query(BEGINS_OF_WAITING)
        for (const { begun } of rows) tries.add(begun)
        return tries.size > 1 || isAnswered
      })
      expect(isAnswered).toBe(false)
      await holder.query('rollback')
      expect((await answer).json.effective.touch).toBe('passkey')
    })

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

  test('a demoted owner confirms no signing key', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const own = await api.newOwner()
      const other = await joinWorkspace(api, own, 'owner')
      const [first, second] = [new TouchKey(), new TouchKey()]
      await first.enrol(api, own)
      await second.enrol(api, other)
      const { id, fingerprint } = (await new TouchKey().add(api, own)).json
      const body = { fingerprint: fingerprint?.slice(0, 9) ?? '' }
      const confirm = (as: Identity, headers = {}) =>
        api.call('confirmApprovalKey', { as, headers, params: { key_id: id }, body })
      expect((await confirm(own, first.sign(askedIn(await confirm(own))))).status).toBe(409)
      const signature = second.sign(askedIn(await confirm(other)))
      const params = { user_id: other.userId }
      const [confirmed] = await Promise.all([
        confirm(other, signature),
        api.call('changeMemberRole', { as: own, params, body: { role: 'member' } }),
      ])
      expect([200, 404, 409]).toContain(confirmed.status)
      const { json } = await api.call('listAudit', { as: own, query: { limit: '3' } })
      const actions = json.map(({ action }) => action)
      if (confirmed.status === 200)
        expect(actions.indexOf('approval_key.confirmed')).toBeGreaterThan(
          actions.indexOf('member.role_changed'),
        )
    }
  })

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
