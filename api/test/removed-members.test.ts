import { randomUUID } from 'node:crypto'
import { multiplyTimeLimits } from '@keyferry/plumbing/time-limits'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { TIME_LIMIT_FACTOR, until } from '../../plumbing/test/until.ts'
import { setAccountActive } from '../src/accounts/operating.ts'
import { auditKeyIn } from '../src/maintenance.ts'
import {
  expectError,
  type Identity,
  layerHeaders,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
} from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { approveDeposit, DepositClient, planOf } from './deposit-client.ts'
import { Faults, faulty } from './faulty-requests.ts'
import { ReturningClient } from './returning-client.ts'

const newEmail = () => `${randomUUID()}@example.com`
const BEGINS_OF_WAITING = `select xact_start::text as begun from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`
const GONE = 'request not found or expired'

/** Acts once, right before the next change of a request. */
class Meanwhile extends Faults {
  act: (() => Promise<unknown>) | null = null

  override async around<T>(call: () => Promise<T>): Promise<T> {
    const { act } = this
    this.act = null
    await act?.()
    return await super.around(call)
  }
}

const ofAccount = { userId: expect.any(String), remembered: 0, ownerless: [] }

describe.each(oneDatabase)('members that are removed or demoted, on %s', (kind) => {
  const meanwhile = new Meanwhile()
  let api: TestApi
  let owner: Identity
  let bundle: { id: string }
  let second: Identity & { idpUserId: string; home: string }
  beforeAll(async () => {
    api = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      aroundRequests: faulty(meanwhile),
    })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'secret' })
    second = await join('owner')
  })

  const join = async (role: string) => {
    const email = newEmail()
    const idpUserId = `user_${randomUUID()}`
    const body = { idp_user_id: idpUserId, email, email_verified: true }
    const { json } = await api.call('ensureUser', { body })
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    await api.call('acceptInvitation', { as, body: { token: (await invite(email, role)).json.token } })
    return { userId: as.userId, tenantId: owner.tenantId, idpUserId, home: as.tenantId }
  }
  const invite = (email: string, role: string) =>
    api.call('createInvitation', { as: owner, body: { email, role } })
  const remove = (userId: string, as = owner) => api.call('removeMember', { as, params: { user_id: userId } })
  const demote = (userId: string) =>
    api.call('changeMemberRole', { as: owner, params: { user_id: userId }, body: { role: 'member' } })
  const approved = async (as: Identity, bundleId = bundle.id) => {
    const asking = new ApprovalClient(api)
    const requestId = await asking.asked()
    const choice = { requestId, bundle_id: bundleId, include_keys: ['URL'] }
    expect((await approveWith(api, as, choice)).status).toBe(200)
    return () => asking.wait(requestId)
  }
  const changeEmail = (idpUserId: string, email: string) =>
    changeProvided(idpUserId, { email, email_verified: true })
  const changeProvided = (idpUserId: string, body: object) => {
    const headers = layerHeaders('PUT', `/api/v1/users/${idpUserId}`, body)
    return api.call('changeProvidedUser', { params: { idp_user_id: idpUserId }, body, headers })
  }

  test('what a removed member approved and no client fetched is gone', async () => {
    const wait = await approved(second)
    const waitForOther = await approved(owner)
    expect((await remove(second.userId)).status).toBe(200)
    expectError(await wait(), 404, GONE, 'not_found')
    expect((await waitForOther()).json.status).toBe('ready')
  })

  test('what a member typed stays on their list, replaced or not', async () => {
    const create = (as: Identity, name: string) => api.call('createKey', { as, body: { name, value: 'v' } })
    const [kept, replaced] = [(await create(second, 'KEPT')).json, (await create(second, 'REPLACED')).json]
    await create(owner, 'OTHER')
    const params = { key_id: replaced.id }
    expect((await api.call('updateKey', { as: owner, params, body: { value: 'w' } })).status).toBe(200)
    await remove(second.userId)
    const list = { as: owner, params: { user_id: second.userId } }
    const typed = (await api.call('listTypedValues', list)).json
    expect(typed.map(({ version, key }) => [key.id, version, key.version])).toEqual([
      [kept.id, 1, 1],
      [replaced.id, 1, 2],
    ])
    const nobody = { as: owner, params: { user_id: randomUUID() } }
    expect((await api.call('listTypedValues', nobody)).json).toEqual([])
  })

  test('what a member was given stays on their list, also if they never typed a value', async () => {
    const wait = await approved(second)
    expect((await wait()).json.status).toBe('ready')
    await remove(second.userId)
    const list = { as: owner, params: { user_id: second.userId } }
    expect((await api.call('listTypedValues', list)).json).toEqual([])
    expect((await api.call('listHoldings', list)).json.map(({ key }) => key.name)).toEqual(['URL'])
  })

  test.each(['removed', 'demoted'])(
    'an approval that lands after its approver was %s is none',
    async (end) => {
      const asking = new ApprovalClient(api)
      const requestId = await asking.asked()
      meanwhile.act = () => (end === 'removed' ? remove(second.userId) : demote(second.userId))
      const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'] }
      expect((await approveWith(api, second, choice)).status).toBe(403)
      const { json: events } = await api.call('listAudit', { as: owner })
      expect(events.filter(({ action }) => action.startsWith('delivery.'))).toEqual([])
      expect((await approveWith(api, owner, choice)).status).toBe(200)
      expect((await asking.wait(requestId)).json.status).toBe('ready')
    },
  )

  test.each([{}, { release: 'loopback' }, { release: 'code' }])(
    'the record of a delivery ends without an alarm, whose approver is removed: %j',
    async (body) => {
      const client = new ReturningClient(api)
      const requestId = await client.request()
      const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'], ...body }
      expect((await approveWith(api, second, choice)).status).toBe(200)
      await remove(second.userId)
      expectError(await client.waits(requestId), 404, GONE, 'not_found')
      expect((await api.call('listDeliveries', { as: owner })).json).toMatchObject([{ state: 'void' }])
      const { json: events } = await api.call('listAudit', { as: owner })
      const ofDelivery = events.filter(({ action }) => action.startsWith('delivery.'))
      expect(ofDelivery.map(({ action }) => action)).toEqual(['delivery.void', 'delivery.approved'])
    },
  )

  test.each([true, false])('so do the approvals of an account that is disabled: %j', async (isActive) => {
    const email = newEmail()
    const { token } = (await invite(email, 'owner')).json
    const { json } = await api.call('joinWithAccount', { body: { token, password: 'a word of my own' } })
    const as = { userId: json.user_id, tenantId: owner.tenantId }
    const waits = await approved(as)
    expect(await setAccountActive(api.settings, email, isActive)).toEqual(ofAccount)
    if (isActive) return expect((await waits()).json.status).toBe('ready')
    expectError(await waits(), 404, GONE, 'not_found')
    expect((await api.call('listDeliveries', { as: owner })).json).toMatchObject([{ state: 'void' }])
    expect((await api.call('getMe', { as })).status).toBe(403)
  })

  if (kind === 'postgres')
    test('an operator disables an account that another call locks for long', async () => {
      const email = newEmail()
      const { token } = (await invite(email, 'owner')).json
      await api.call('joinWithAccount', { body: { token, password: 'a word of my own' } })
      const connection = () => new Client(api.settings.databaseUrl ?? '')
      const [holder, watcher] = [connection(), connection()]
      await Promise.all([holder.connect(), watcher.connect()])
      await holder.query('begin')
      await holder.query('select id from users for update')
      multiplyTimeLimits(1)
      onTestFinished(() => multiplyTimeLimits(Number(TIME_LIMIT_FACTOR)))
      const disabled = setAccountActive(api.settings, email, false)
      const tries = new Set<string>()
      await until('a second try', async () => {
        const { rows } = await watcher.query(BEGINS_OF_WAITING)
        for (const { begun } of rows) tries.add(begun)
        return tries.size > 1
      })
      await holder.query('rollback')
      await Promise.all([holder.end(), watcher.end()])
      expect(await disabled).toEqual(ofAccount)
    })

  test.each(['loopback', 'code'])(
    'a deposit is not approved, whose approver is removed at that moment: return by %s',
    async (release) => {
      const client = new DepositClient(api)
      const requestId = await client.deposit('dev/new', { NEVER: '1' }, client.returning())
      meanwhile.act = () => remove(second.userId)
      const answer = await approveDeposit(api, second, { requestId, release })
      expectError(answer, 403, 'Forbidden: not a member', 'forbidden')
      expect((await planOf(api, owner, requestId)).status).toBe(200)
      const { json: bundles } = await api.call('listBundles', { as: owner })
      expect(bundles.map(({ name }) => name)).not.toContain('dev/new')
      const { json: events } = await api.call('listAudit', { as: owner })
      expect(events.filter(({ action }) => action.startsWith('deposit.'))).toEqual([])
    },
  )

  test('of an approval and the removal of its approver at once, no approval stays', async () => {
    const requestId = await new ApprovalClient(api).asked()
    const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'] }
    await Promise.all([approveWith(api, second, choice), remove(second.userId)])
    const { status, json } = await api.call('getRequestContext', {
      as: owner,
      params: { request_id: requestId },
    })
    if (status !== 404) expect(json.status).toBe('pending')
  })

  test('what a demoted owner approved and no client fetched is gone', async () => {
    const wait = await approved(second)
    expect((await demote(second.userId)).status).toBe(200)
    expectError(await wait(), 404, GONE, 'not_found')
  })

  test('what a member who leaves approved and no client fetched is gone', async () => {
    const wait = await approved(second)
    expect((await remove(second.userId, second)).status).toBe(200)
    expectError(await wait(), 404, GONE, 'not_found')
  })

  test('what a removed member approved in another workspace is delivered', async () => {
    const atHome = { userId: second.userId, tenantId: second.home }
    const ownBundle = await newBundle(api, atHome, { URL: 'their own' })
    const wait = await approved(atHome, ownBundle.id)
    await remove(second.userId)
    expect((await wait()).json.status).toBe('ready')
  })

  test('the last owner, who cannot be removed, keeps what they approved', async () => {
    await remove(second.userId)
    const wait = await approved(owner)
    expect((await remove(owner.userId)).status).toBe(409)
    expect((await wait()).json.status).toBe('ready')
  })

  // A demotion and an acceptance can happen at the same moment, so `accept` checks the inviter's role by itself.
  test('an invitation that is still there cannot be accepted once its inviter is not an owner', async () => {
    const database = await openDatabaseOf(api)
    await auditKeyIn(database, api.settings, new Date().toISOString())
    const email = newEmail()
    const { json } = await api.call('createInvitation', { as: second, body: { email, role: 'owner' } })
    const invited = await api.call('ensureUser', {
      body: { idp_user_id: `user_${randomUUID()}`, email, email_verified: true },
    })
    const as = { userId: invited.json.user_id, tenantId: invited.json.tenant_id }
    const accept = () => api.call('acceptInvitation', { as, body: { token: json.token } })
    const setRole = (role: 'owner' | 'member') =>
      database.query
        .updateTable('memberships')
        .set({ role })
        .where('user_id', '=', second.userId)
        .where('tenant_id', '=', owner.tenantId)
        .execute()
    await setRole('member')
    expectError(await accept(), 404, 'invitation not found or expired', 'not_found')
    await setRole('owner')
    expect((await accept()).status).toBe(200)
    await database.close()
  })

  test('an invitation counts for nothing while the identity provider says that its inviter is gone', async () => {
    const email = newEmail()
    const { token } = (await api.call('createInvitation', { as: second, body: { email, role: 'owner' } }))
      .json
    const body = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
    const { json } = await api.call('ensureUser', { body })
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    const accept = () => api.call('acceptInvitation', { as, body: { token } })
    await changeProvided(second.idpUserId, { is_active: false })
    expect((await api.call('previewInvitation', { body: { token } })).status).toBe(404)
    expectError(await accept(), 404, 'invitation not found or expired', 'not_found')
    await changeProvided(second.idpUserId, { is_active: true })
    expect((await accept()).status).toBe(200)
  })

  test.each(['removed', 'demoted'])('an invitation to a %s member ends', async (how) => {
    const email = newEmail()
    const { token } = (await invite(email, 'owner')).json
    expect((await changeEmail(second.idpUserId, email)).status).toBe(200)
    await (how === 'removed' ? remove(second.userId) : demote(second.userId))
    const accepted = await api.call('acceptInvitation', { as: second, body: { token } })
    expectError(accepted, 404, 'invitation not found or expired', 'not_found')
  })
})
