import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, layerHeaders, oneDatabase, startTestApi, type TestApi } from './api.ts'

const newEmail = () => `${randomUUID()}@example.com`

describe.each(oneDatabase)('teams on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let now = new Date('2026-01-31T12:00:00.000Z')
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => now })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
  })

  const person = async (email: string, idp_user_id = `user_${randomUUID()}`) => {
    const { json } = await api.call('ensureUser', {
      body: { idp_user_id, email, email_verified: true },
    })
    return { userId: json.user_id, tenantId: json.tenant_id }
  }
  const invite = (body: unknown, as = owner) => api.call('createInvitation', { as, body })
  const accept = (as: Identity, token: string) => api.call('acceptInvitation', { as, body: { token } })
  const join = async (role: 'owner' | 'member') => {
    const email = newEmail()
    const joined = await person(email)
    await accept(joined, (await invite({ email, role })).json.token)
    return { userId: joined.userId, tenantId: owner.tenantId }
  }
  const roles = async () =>
    new Map((await api.call('listMembers', { as: owner })).json.map(({ user_id, role }) => [user_id, role]))

  test('a workspace can have 100 groups', async () => {
    const make = (name: string, as = owner) => api.call('createGroup', { as, body: { name } })
    for (let group = 0; group < 100; group += 1) expect((await make(`g${group}`)).status).toBe(201)
    expectError(await make('more'), 409, 'a workspace has 100 groups at most', 'conflict')
    expect((await make('more', await api.newOwner())).status).toBe(201)
  })

  test('an invitation is accepted once, by the invited e-mail in any case', async () => {
    const email = newEmail()
    const { status, json } = await invite({ email: email.toUpperCase(), role: 'member' })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      accept_path: `/invite/${json.token}`,
      expires_at: '2026-02-07T12:00:00.000Z',
    })
    const stranger = await person(newEmail())
    expectError(await accept(stranger, json.token), 404, 'invitation not found or expired', 'not_found')
    const invited = await person(email)
    const accepted = await accept(invited, json.token)
    expect(accepted.json).toMatchObject({ tenant_id: owner.tenantId, role: 'member' })
    expectError(await accept(invited, json.token), 404, 'invitation not found or expired')
    expect((await roles()).get(invited.userId)).toBe('member')
    const [event] = (await api.call('listAudit', { as: owner, query: { action: 'member.joined' } })).json
    expect(event).toMatchObject({
      target: { id: invited.userId },
      data: { role: 'member', invitation: json.id },
    })
  })

  test('what members hold is told to an owner who asks for it', async () => {
    const member = await join('member')
    const listed = async (as: Identity, query = {}) =>
      (await api.call('listMembers', { as, query })).json.find(({ user_id }) => user_id === member.userId)
    expect(await listed(owner, { facts: '1' })).toMatchObject({ holds: { total: 0, older: 0 } })
    expect(await listed(owner)).not.toHaveProperty('holds')
    expect(await listed(member, { facts: '1' })).not.toHaveProperty('holds')
  })

  test('an e-mail address that is not verified accepts nothing, and the answer says so', async () => {
    const email = newEmail()
    const body = { idp_user_id: `user_${randomUUID()}`, email }
    const { json } = await api.call('ensureUser', { body })
    const unverified = { userId: json.user_id, tenantId: json.tenant_id }
    const { token } = (await invite({ email, role: 'owner' })).json
    const message =
      'your e-mail address is not verified: verify it at the identity provider, sign in again, then join'
    expectError(await accept(unverified, token), 403, message, 'email_unverified')
    const stranger = await api.call('ensureUser', {
      body: { idp_user_id: `user_${randomUUID()}`, email: newEmail() },
    })
    const other = { userId: stranger.json.user_id, tenantId: stranger.json.tenant_id }
    expectError(await accept(other, token), 404, 'invitation not found or expired')
    expect((await roles()).size).toBe(1)
    expect((await accept(await person(email), token)).status).toBe(200)
  })

  test('a new person who follows an invitation gets no workspace beside it', async () => {
    const email = newEmail()
    const { token } = (await invite({ email, role: 'member' })).json
    const body = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true, invitation: token }
    const first = await api.call('ensureUser', { body })
    const { user_id } = first.json
    const home = { user_id, tenant_id: owner.tenantId, role: 'member' }
    expect([first.status, first.json]).toEqual([201, { ...home, created: true }])
    const as = { userId: user_id, tenantId: owner.tenantId }
    expect((await api.call('listTenants', { as })).json).toEqual([])
    expect((await api.call('ensureUser', { body })).json).toEqual({ ...home, created: false })
    expect((await api.call('getMe', { as })).status).toBe(403)
    expect((await accept(as, token)).status).toBe(200)
    expect((await api.call('listTenants', { as })).json).toMatchObject([{ id: owner.tenantId }])
    const later = (await api.call('ensureUser', { body: { ...body, invitation: undefined } })).json
    expect(later).toEqual({ ...home, created: false })
  })

  test('an invitation that the person cannot accept leaves them their own workspace', async () => {
    const email = newEmail()
    const { token } = (await invite({ email, role: 'member' })).json
    const proven = { email, email_verified: true, invitation: token }
    const ensured = async (given: object, headers?: Record<string, string>) => {
      const body = { idp_user_id: `user_${randomUUID()}`, ...proven, ...given }
      return (await api.call('ensureUser', headers === undefined ? { body } : { body, headers })).json
    }
    const homes = [
      await ensured({ email: newEmail() }),
      await ensured({ email_verified: false }),
      await ensured({ invitation: 'unknown' }),
      await ensured({}, {}),
    ]
    for (const home of homes) expect(home).toMatchObject({ role: 'owner', created: true })
    expect(homes.map(({ tenant_id }) => tenant_id)).not.toContain(owner.tenantId)
  })

  test('an open invitation shows its offer to anyone with its token, and is not used up', async () => {
    const email = newEmail()
    const { json } = await invite({ email, role: 'member' })
    const preview = (token: string) => api.call('previewInvitation', { body: { token } })
    const me = (await api.call('getMe', { as: owner })).json
    expect((await preview(json.token)).json).toEqual({
      tenant: me.tenant,
      email,
      role: 'member',
      invited_by: { username: me.username, email: me.email },
      expires_at: json.expires_at,
    })
    expectError(await preview('unknown'), 404, 'invitation not found or expired', 'not_found')
    expect((await accept(await person(email), json.token)).status).toBe(200)
    expectError(await preview(json.token), 404, 'invitation not found or expired')
  })

  test('an invitation has no offer and lets nobody in once its inviter is not an owner', async () => {
    const second = await join('owner')
    const email = newEmail()
    const { json } = await invite({ email, role: 'member' }, second)
    const params = { user_id: second.userId }
    await api.call('changeMemberRole', { as: owner, params, body: { role: 'member' } })
    const preview = await api.call('previewInvitation', { body: { token: json.token } })
    expectError(preview, 404, 'invitation not found or expired')
    expectError(await accept(await person(email), json.token), 404, 'invitation not found or expired')
  })

  test('an invitation of an owner who is disabled lets nobody in, until they are active again', async () => {
    const email = newEmail()
    const [idp_user_id, theirs] = [`user_${randomUUID()}`, newEmail()]
    const inviter = await person(theirs, idp_user_id)
    await accept(inviter, (await invite({ email: theirs, role: 'owner' })).json.token)
    const as = { ...inviter, tenantId: owner.tenantId }
    const { token } = (await invite({ email, role: 'member' }, as)).json
    const makeActive = (is_active: boolean) => {
      const body = { is_active }
      const headers = layerHeaders('PUT', `/api/v1/users/${idp_user_id}`, body, now)
      return api.call('changeProvidedUser', { params: { idp_user_id }, body, headers })
    }
    const invited = await person(email)
    expect((await makeActive(false)).status).toBe(200)
    expectError(await accept(invited, token), 404, NOT_FOUND)
    expect((await makeActive(true)).status).toBe(200)
    expect((await accept(invited, token)).status).toBe(200)
  })

  const changeRole = (user_id: string, role: string, as = owner) =>
    api.call('changeMemberRole', { as, params: { user_id }, body: { role } })
  const remove = (user_id: string, as = owner) => api.call('removeMember', { as, params: { user_id } })
  const NOT_FOUND = 'invitation not found or expired'

  test('a new invitation replaces the older one to the same e-mail, in any case', async () => {
    const email = newEmail()
    const older = (await invite({ email, role: 'owner' })).json
    const newer = (await invite({ email: email.toUpperCase(), role: 'member' })).json
    expect((await api.call('listInvitations', { as: owner })).json).toMatchObject([{ id: newer.id }])
    const invited = await person(email)
    expectError(await accept(invited, older.token), 404, NOT_FOUND)
    expect((await accept(invited, newer.token)).json.role).toBe('member')
  })

  test.each(['removed', 'demoted'])('invitations from a %s owner end', async (how) => {
    const second = await join('owner')
    const [mine, theirs] = [newEmail(), newEmail()]
    const kept = (await invite({ email: mine, role: 'member' })).json
    const ended = (await invite({ email: theirs, role: 'member' }, second)).json
    expect(
      (await (how === 'removed' ? remove(second.userId) : changeRole(second.userId, 'member'))).status,
    ).toBe(200)
    expect((await api.call('listInvitations', { as: owner })).json).toMatchObject([{ id: kept.id }])
    expectError(await accept(await person(theirs), ended.token), 404, NOT_FOUND)
    expect((await accept(await person(mine), kept.token)).status).toBe(200)
  })

  test('of ten concurrent acceptances one succeeds', async () => {
    const email = newEmail()
    const { token } = (await invite({ email, role: 'member' })).json
    const invited = await person(email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(invited, token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('an invitation expires after seven days', async () => {
    const email = newEmail()
    const { token } = (await invite({ email, role: 'member' })).json
    const invited = await person(email)
    const before = now
    now = new Date('2026-02-07T12:00:00.000Z')
    expectError(await accept(invited, token), 404, 'invitation not found or expired')
    expect((await api.call('listInvitations', { as: owner })).json).toEqual([])
    now = before
  })

  test('open invitations are listed without their token, and can be revoked', async () => {
    const email = newEmail()
    const { id, token } = (await invite({ email, role: 'owner' })).json
    const list = await api.call('listInvitations', { as: owner })
    expect(list.json).toMatchObject([{ id, email, role: 'owner' }])
    expect(list.text).not.toContain(token)
    const place = { params: { invitation_id: id } }
    expectError(
      await api.call('revokeInvitation', { as: await api.newOwner(), ...place }),
      404,
      'invitation not found or expired',
    )
    expect((await api.call('revokeInvitation', { as: owner, ...place })).json).toEqual({ ok: true })
    expectError(await accept(await person(email), token), 404, 'invitation not found or expired')
  })

  test('a member is not invited again', async () => {
    const email = newEmail()
    await accept(await person(email), (await invite({ email, role: 'member' })).json.token)
    expectError(await invite({ email, role: 'member' }), 409, 'already a member', 'conflict')
  })

  test.each([
    [{}, 'email required'],
    [{ email: 'x', role: 'member' }, 'Invalid email format'],
    [{ email: 'a@example.com', role: 'admin' }, 'role must be owner or member'],
  ])('inviting %j answers 400 %s', async (body, message) => {
    expectError(await invite(body), 400, message, 'invalid')
  })

  test('tenants are listed with the current one marked; a switch is for members', async () => {
    const member = await join('member')
    const { json } = await api.call('listTenants', { as: member })
    expect(json).toHaveLength(2)
    expect(json.find(({ current }) => current)).toMatchObject({ id: owner.tenantId, role: 'member' })
    const switching = (as: Identity, tenant_id: string) =>
      api.call('switchTenant', { as, body: { tenant_id } })
    expect((await switching(member, owner.tenantId)).json).toMatchObject({
      tenant_id: owner.tenantId,
      role: 'member',
    })
    const foreign = await switching(await api.newOwner(), owner.tenantId)
    expectError(foreign, 403, 'Forbidden: not a member', 'forbidden')
    expect((await switching(member, randomUUID())).text).toBe(foreign.text)
    expectError(await api.call('switchTenant', { as: owner, body: {} }), 400, 'tenant_id required')
  })

  test('me says who and where', async () => {
    const member = await join('member')
    const { json } = await api.call('getMe', { as: member })
    expect(json).toMatchObject({
      user_id: member.userId,
      role: 'member',
      auth_mode: 'accounts',
      may: ['createKey'],
    })
    expect(json.tenant.id).toBe(owner.tenantId)
  })

  test('an owner changes roles and removes members', async () => {
    const member = await join('member')
    const params = { user_id: member.userId }
    expect((await changeRole(member.userId, 'owner')).json).toEqual({ ok: true })
    expect((await roles()).get(member.userId)).toBe('owner')
    expect((await api.call('removeMember', { as: owner, params })).json).toEqual({ ok: true })
    expectError(await api.call('listMembers', { as: member }), 403, 'Forbidden: not a member')
    expectError(await changeRole(member.userId, 'owner'), 404, 'User not found', 'not_found')
    expectError(await api.call('removeMember', { as: owner, params }), 404, 'User not found')
    expectError(await changeRole(member.userId, 'king'), 400, 'role must be owner or member')
  })

  test('the last owner stays, also when two owners remove each other at once', async () => {
    const params = { user_id: owner.userId }
    const demote = { as: owner, params, body: { role: 'member' } }
    expectError(
      await api.call('changeMemberRole', demote),
      409,
      'the last owner cannot be demoted or removed',
      'conflict',
    )
    expectError(
      await api.call('removeMember', { as: owner, params }),
      409,
      'the last owner cannot be demoted or removed',
    )
    const second = await join('owner')
    const both = await Promise.all([
      api.call('removeMember', { as: owner, params: { user_id: second.userId } }),
      api.call('removeMember', { as: second, params }),
    ])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('a user without a workspace gets a new one at the next sign-in', async () => {
    const email = newEmail()
    const body = { idp_user_id: `user_${randomUUID()}`, email }
    const { json } = await api.call('ensureUser', { body })
    const home = { userId: json.user_id, tenantId: json.tenant_id }
    const friendEmail = newEmail()
    const friend = await person(friendEmail)
    await accept(friend, (await invite({ email: friendEmail, role: 'owner' }, home)).json.token)
    const as = { userId: friend.userId, tenantId: home.tenantId }
    await api.call('removeMember', { as, params: { user_id: home.userId } })
    const again = (await api.call('ensureUser', { body })).json
    expect(again).toMatchObject({ user_id: home.userId, role: 'owner', created: false })
    expect(again.tenant_id).not.toBe(home.tenantId)
  })
})
