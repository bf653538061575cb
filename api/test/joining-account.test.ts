import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, SETUP_CODE, startTestApi, type TestApi } from './api.ts'

const PASSWORD = 'correct horse battery'

describe.each(oneDatabase)('a local account by an invitation, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  async function invitation(email = `${randomUUID()}@example.com`) {
    const { json } = await api.call('createInvitation', { as: owner, body: { email, role: 'member' } })
    return { email, token: json.token }
  }
  const join = (token: string, password = PASSWORD) =>
    api.call('joinWithAccount', { body: { token, password } })

  test('setup says whether the first account still has to be created', async () => {
    expect((await api.call('getSetup')).json).toEqual({ required: true })
    const account = { setup_code: SETUP_CODE, email: 'first@example.com', password: PASSWORD }
    await api.call('setUpAccount', { body: account })
    expect((await api.call('getSetup')).json).toEqual({ required: false })
  })

  test('it is a member of the inviting tenant, and gets a workspace of its own only if it asks', async () => {
    const { email, token } = await invitation()
    const { status, json } = await join(token)
    const { user_id, tenant_id } = json
    expect([status, json]).toEqual([
      201,
      { user_id, tenant_id: owner.tenantId, role: 'member', joined_tenant_id: owner.tenantId, epoch: 0 },
    ])
    const as = { userId: user_id, tenantId: tenant_id }
    expect((await api.call('getMe', { as })).json).toMatchObject({ email, role: 'member' })
    expect((await api.call('listTenants', { as })).json).toHaveLength(1)
    const logIn = () => api.call('logIn', { body: { email, password: PASSWORD } })
    expect((await logIn()).json).toEqual({ user_id, tenant_id, role: 'member', epoch: 0 })
    const own = (await api.call('createTenant', { as, body: { name: 'Own' } })).json
    expect((await logIn()).json).toEqual({ user_id, tenant_id: own.id, role: 'owner', epoch: 0 })
  })

  test('once it is removed everywhere, its next sign-in makes a workspace', async () => {
    const { email, token } = await invitation()
    const { json } = await join(token)
    await api.call('removeMember', { as: owner, params: { user_id: json.user_id } })
    const again = (await api.call('logIn', { body: { email, password: PASSWORD } })).json
    expect(again).toMatchObject({ user_id: json.user_id, role: 'owner' })
    expect(again.tenant_id).not.toBe(owner.tenantId)
  })

  test('the invitation counts once, also for many at once', async () => {
    const { token } = await invitation()
    const answers = await Promise.all(Array.from({ length: 5 }, () => join(token)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expectError(await join(token), 404, 'invitation not found or expired', 'not_found')
  })

  test('an e-mail that has an account signs in instead', async () => {
    const { email, token } = await invitation()
    await join(token)
    await api.call('removeMember', {
      as: owner,
      params: { user_id: (await api.call('logIn', { body: { email, password: PASSWORD } })).json.user_id },
    })
    const again = await invitation(email)
    expectError(await join(again.token), 409, 'this e-mail has an account already', 'conflict')
  })

  test('a short password, no token, an unknown one', async () => {
    const { token } = await invitation()
    expectError(await join(token, 'short'), 400, 'password must be at least 12 characters')
    expectError(await join(''), 400, 'token required')
    expectError(await join('unknown'), 404, 'invitation not found or expired')
    expect((await join(token)).status).toBe(201)
  })
})
