import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, layerHeaders, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { VouchingClient } from './vouching-client.ts'

const ANOTHER = 'Forbidden: another person approved this request'
const DAY_MS = 24 * 60 * 60_000

describe.each(oneDatabase)('one person in two workspaces, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let here: Identity & { idpUserId: string }
  let elsewhere: Identity
  let aheadMs = 0
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now: () => new Date(Date.now() + aheadMs) })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    here = await joinWorkspace(api, owner, 'member')
    elsewhere = { userId: here.userId, tenantId: await workspaceWith(here) }
  })

  /** Another workspace, of another owner, in which the person is a member too. */
  const workspaceWith = async (person: { idpUserId: string; userId: string }) => {
    const other = await api.newOwner()
    const email = `${person.userId}@example.com`
    const path = `/api/v1/users/${person.idpUserId}`
    const body = { email, email_verified: true }
    const params = { idp_user_id: person.idpUserId }
    await api.call('changeProvidedUser', { params, body, headers: layerHeaders('PUT', path, body) })
    const invited = await api.call('createInvitation', { as: other, body: { email, role: 'member' } })
    const as = { userId: person.userId, tenantId: owner.tenantId }
    const joined = await api.call('acceptInvitation', { as, body: { token: invited.json.token } })
    expect(joined.status).toBe(200)
    owners.set(other.tenantId, other)
    return other.tenantId
  }
  const owners = new Map<string, Identity>()
  const bundleIn = async ({ tenantId }: Identity, rules: Record<string, unknown>) => {
    const as = tenantId === owner.tenantId ? owner : (owners.get(tenantId) ?? owner)
    const { id } = await newBundle(api, as, { URL: 'v' })
    await api.call('changeBundlePolicy', { as, params: { bundle_id: id }, body: rules })
    return { bundle_id: id, include_keys: ['URL'] }
  }
  const approved = async (as: Identity, choice: { bundle_id: string; include_keys: string[] }) =>
    await approveWith(api, as, { requestId: await new ReturningClient(api).request(), ...choice })

  const setActive = async ({ idpUserId }: { idpUserId: string }, is_active: boolean) => {
    const body = { is_active }
    const headers = layerHeaders('PUT', `/api/v1/users/${idpUserId}`, body)
    const params = { idp_user_id: idpUserId }
    expect((await api.call('changeProvidedUser', { params, body, headers })).status).toBe(200)
  }
  const offeredTo = async (as: Identity, { bundle_id }: { bundle_id: string }) => {
    const request_id = await new ReturningClient(api).request()
    return (await api.call('getRequestBundle', { as, params: { request_id, bundle_id } })).json
  }
  const nameOf = async (as: Identity) => (await api.call('getMe', { as })).json.username

  const countWaiting = async (as: Identity) => (await api.call('listWaiting', { as })).json.length

  test('a fresh code is for the workspace in which the person approved', async () => {
    const requestId = await new ReturningClient(api).request()
    const choice = { requestId, ...(await bundleIn(here, {})), release: 'loopback' }
    expect((await approveWith(api, here, choice)).status).toBe(200)
    const params = { request_id: requestId }
    expectError(await api.call('createReleaseCode', { as: elsewhere, params }), 403, ANOTHER)
    expect((await api.call('createReleaseCode', { as: here, params })).status).toBe(200)
  })

  test('vouches of one workspace leave room in the other', async () => {
    const rules = { approvers: 'owner', assurance: 'bound' }
    const [own, other] = [await bundleIn(here, rules), await bundleIn(elsewhere, rules)]
    for (let count = 0; count < LIMITS.vouchesOfPerson; count++)
      await (await new VouchingClient(api).begins()).vouchedBy(here, own)
    const more = await (await new VouchingClient(api).begins()).vouches(here, own)
    expect(more.failure?.code).toBe('too_many')
    await (await new VouchingClient(api).begins()).vouchedBy(elsewhere, other)
  })

  test('first approvals of one workspace leave room in the other', async () => {
    const rules = { approvals_needed: 2 }
    const [own, other] = [await bundleIn(here, rules), await bundleIn(elsewhere, rules)]
    for (let count = 0; count < LIMITS.firstApprovalsOfPerson; count++)
      expect((await approved(here, own)).status).toBe(200)
    expect((await approved(here, own)).status).toBe(409)
    expect((await approved(elsewhere, other)).status).toBe(200)
  })

  test('what waits in one workspace is in no list of the other', async () => {
    const rules = { approvals_needed: 2 }
    await approved(owner, await bundleIn(here, rules))
    expect([await countWaiting(here), await countWaiting(elsewhere)]).toEqual([1, 0])
  })

  test('a first approval in one workspace counts for nothing in the other', async () => {
    const requestId = await new ReturningClient(api).request()
    const rules = { approvals_needed: 2 }
    const [own, other] = [await bundleIn(here, rules), await bundleIn(elsewhere, rules)]
    expect((await approveWith(api, here, { requestId, ...own })).status).toBe(200)
    const ownerThere = owners.get(elsewhere.tenantId)
    const answer = await approveWith(api, ownerThere, { requestId, ...other })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await approveWith(api, owner, { requestId, ...own })).status).toBe(200)
  })

  test('deliveries of one workspace, and what the person did there, are in no list of the other', async () => {
    const client = new ReturningClient(api)
    const requestId = await client.request()
    const choice = { requestId, ...(await bundleIn(here, {})), release: 'loopback' }
    await client.release(requestId, secretOf((await approveWith(api, here, choice)).json))
    const deliveries = async (as = owner) => (await api.call('listDeliveries', { as })).json.length
    expect([await deliveries(), await deliveries(owners.get(elsewhere.tenantId))]).toEqual([1, 0])
    const own = async (as: Identity) => (await api.call('listOwnAudit', { as })).json
    expect((await own(elsewhere)).map(({ action }) => action)).not.toContain('delivery.approved')
    expect((await own(here)).map(({ action }) => action)).toContain('delivery.approved')
  })

  describe('who is no longer active', () => {
    test('is not among those who may approve', async () => {
      const second = await joinWorkspace(api, owner, 'owner')
      const choice = await bundleIn(here, { approvers: 'owner' })
      const names = [await nameOf(owner), await nameOf(second)]
      const who = async () => (await offeredTo(here, choice)).why_not?.who?.toSorted()
      expect(await who()).toEqual(names.toSorted())
      await setActive(second, false)
      expect(await who()).toEqual(names.slice(0, 1))
      await setActive(second, true)
      expect(await who()).toEqual(names.toSorted())
      await api.call('removeMember', { as: owner, params: { user_id: second.userId } })
      expect(await who()).toEqual(names.slice(0, 1))
    })

    test('is no second person', async () => {
      const choice = await bundleIn(here, { approvals_needed: 2 })
      expect((await offeredTo(owner, choice)).why_not).toBeNull()
      await setActive(here, false)
      expect((await offeredTo(owner, choice)).why_not?.code).toBe('second_person')
      expect((await approved(owner, choice)).failure?.code).toBe('second_person')
    })

    test('did not approve first, for the second person', async () => {
      const third = await joinWorkspace(api, owner, 'member')
      const choice = await bundleIn(here, { approvals_needed: 2 })
      const requestId = await new ReturningClient(api).request()
      expect((await approveWith(api, here, { requestId, ...choice })).status).toBe(200)
      await setActive(here, false)
      const second = await approveWith(api, third, { requestId, ...choice })
      expect(second.json).not.toMatchObject({ ok: true, approvals: { given: 2 } })
      expect((await api.call('listDeliveries', { as: owner })).json).toEqual([])
    })

    test('is in no group once removed', async () => {
      const body = { name: 'ops', people: [here.userId] }
      expect((await api.call('createGroup', { as: owner, body })).status).toBe(201)
      await api.call('removeMember', { as: owner, params: { user_id: here.userId } })
      const [group] = (await api.call('listGroups', { as: owner })).json
      expect(JSON.stringify(group)).not.toContain(here.userId)
      const members = (await api.call('listMembers', { as: owner })).json
      expect(members.map(({ user_id }) => user_id)).toEqual([owner.userId])
    })
  })

  test('a revoked and an expired invitation are in no list', async () => {
    const listed = async () => (await api.call('listInvitations', { as: owner })).json.length
    const invite = async (name: string) =>
      (
        await api.call('createInvitation', {
          as: owner,
          body: { email: `${name}@example.com`, role: 'member' },
        })
      ).json.id
    const [revoked] = [await invite('lee'), await invite('kim')]
    expect(await listed()).toBe(2)
    await api.call('revokeInvitation', { as: owner, params: { invitation_id: revoked ?? '' } })
    expect(await listed()).toBe(1)
    aheadMs = 7 * DAY_MS
    expect(await listed()).toBe(0)
    aheadMs = 0
  })
})
