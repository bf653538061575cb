import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('tenants on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())

  const create = (as: Identity, name: unknown) => api.call('createTenant', { as, body: { name } })
  const rename = (as: Identity, tenant_id: string, name: string) =>
    api.call('renameTenant', { as, params: { tenant_id }, body: { name } })
  const leave = (as: Identity) => api.call('removeMember', { as, params: { user_id: as.userId } })
  const joined = async (owner: Identity, role: 'owner' | 'member'): Promise<Identity> => {
    const email = `${randomUUID()}@example.com`
    const { json } = await api.call('ensureUser', {
      body: { idp_user_id: `user_${randomUUID()}`, email, email_verified: true },
    })
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    const invitation = await api.call('createInvitation', { as: owner, body: { email, role } })
    await api.call('acceptInvitation', { as, body: { token: invitation.json.token } })
    return { userId: as.userId, tenantId: owner.tenantId }
  }

  test('a created tenant belongs to its creator and has separate values', async () => {
    const owner = await api.newOwner()
    const { status, json } = await create(owner, '  Acme  ')
    expect([status, json.name, json.role]).toEqual([201, 'Acme', 'owner'])
    const listed = (await api.call('listTenants', { as: owner })).json
    expect(listed).toContainEqual({ ...json, current: false })
    const within = { userId: owner.userId, tenantId: json.id }
    const body = { name: 'PORT', value: '3000', is_secret: false }
    expect((await api.call('createKey', { as: within, body })).status).toBe(201)
    expect((await api.call('listKeys', { as: within })).json).toMatchObject([{ value: '3000' }])
    expect((await api.call('listKeys', { as: owner })).json).toEqual([])
  })

  test.each([
    [undefined, 'name required'],
    ['   ', 'name required'],
    ['x'.repeat(256), 'name must be at most 255 characters'],
    ['Acme\u202etxt', 'name must not contain control characters'],
    ['\u3164', 'name must not contain invisible characters'],
    ['Acme\u2800', 'name must not contain invisible characters'],
  ])('the name %j answers 400 %s', async (name, message) => {
    expectError(await create(await api.newOwner(), name), 400, message, 'invalid')
  })

  test('an owner renames a tenant, whichever tenant the call is signed for', async () => {
    const owner = await api.newOwner()
    const { json } = await create(owner, 'Acme')
    expect((await rename(owner, json.id, 'Acme Ltd')).json).toEqual({ ...json, name: 'Acme Ltd' })
    expect((await api.call('listTenants', { as: owner })).json).toContainEqual({
      ...json,
      name: 'Acme Ltd',
      current: false,
    })
  })

  test('a member does not rename a tenant, and a stranger learns nothing of it', async () => {
    const owner = await api.newOwner()
    const member = await joined(owner, 'member')
    expectError(await rename(member, owner.tenantId, 'Mine'), 403, 'Forbidden: owner role required')
    const stranger = await api.newOwner()
    const foreign = await rename(stranger, owner.tenantId, 'Mine')
    expectError(foreign, 404, 'tenant not found', 'not_found')
    expect((await rename(stranger, randomUUID(), 'Mine')).text).toBe(foreign.text)
    expect((await api.call('getMe', { as: owner })).json.tenant.name).not.toBe('Mine')
  })

  test('a member may leave, but may not remove others', async () => {
    const owner = await api.newOwner()
    const [member, other] = [await joined(owner, 'member'), await joined(owner, 'member')]
    const removal = { as: member, params: { user_id: other.userId } }
    expectError(await api.call('removeMember', removal), 403, 'Forbidden: owner role required')
    expect((await leave(member)).json).toEqual({ ok: true })
    expectError(await api.call('listKeys', { as: member }), 403, 'Forbidden: not a member')
    const left = (await api.call('listMembers', { as: owner })).json.map(({ user_id }) => user_id)
    expect(left.toSorted()).toEqual([owner.userId, other.userId].toSorted())
  })

  test('the last owner does not leave; one of two owners does', async () => {
    const owner = await api.newOwner()
    expectError(await leave(owner), 409, 'the last owner cannot be demoted or removed', 'conflict')
    await joined(owner, 'owner')
    expect((await leave(owner)).status).toBe(200)
  })
})
