import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resetPassword } from '../src/accounts/operating.ts'
import {
  expectError,
  type Identity,
  layerHeaders,
  oneDatabase,
  SETUP_CODE,
  startTestApi,
  type TestApi,
} from './api.ts'

const EMAIL = 'sam@example.com'
const PASSWORD = 'a long word of my own'

describe.each(oneDatabase)('events of accounts on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    const { json } = await api.call('setUpAccount', {
      body: { setup_code: SETUP_CODE, email: EMAIL, password: PASSWORD },
    })
    owner = { userId: json.user_id, tenantId: json.tenant_id }
  })
  afterAll(() => api.close())

  const log = async (as = owner) => (await api.call('listAudit', { as, query: { limit: '1000' } })).json
  const newest = async (as = owner) => (await log(as))[0]
  const logIn = (body: object) => api.call('logIn', { body: { email: EMAIL, password: PASSWORD, ...body } })
  const byThem = () => ({ kind: 'user', id: owner.userId })

  test('the first account begins a log, with the address of the call', async () => {
    const actions = (await log()).map(({ action, origin }) => [action, origin?.['ip']])
    expect(actions).toEqual([
      ['user.signed_in', '127.0.0.1'],
      ['audit.started', '127.0.0.1'],
    ])
  })

  test('a sign-in is recorded with its address, a wrong password is not', async () => {
    const before = (await log()).length
    expect((await logIn({ password: 'wrong' })).status).toBe(401)
    expect(await log()).toHaveLength(before)
    expect((await logIn({})).status).toBe(200)
    expect(await newest()).toMatchObject({
      action: 'user.signed_in',
      actor: byThem(),
      origin: { ip: '127.0.0.1' },
    })
  })

  test('another password and another e-mail address are recorded, and a refused one is not', async () => {
    const refused = { current_password: 'wrong', new_password: `${PASSWORD}!`, email: 'new@example.com' }
    const before = (await log()).length
    expect((await api.call('changePassword', { as: owner, body: refused })).status).toBe(400)
    expect((await api.call('changeEmail', { as: owner, body: refused })).status).toBe(400)
    expect(await log()).toHaveLength(before)
    const body = { current_password: PASSWORD, new_password: PASSWORD }
    expect((await api.call('changePassword', { as: owner, body })).status).toBe(200)
    expect(await newest()).toMatchObject({ action: 'user.password_changed', actor: byThem() })
    const change = { current_password: PASSWORD, email: 'Sam@Example.com' }
    expect((await api.call('changeEmail', { as: owner, body: change })).status).toBe(200)
    expect(await newest()).toMatchObject({
      action: 'user.changed',
      actor: byThem(),
      data: { changed: ['email'] },
      origin: { email: 'Sam@Example.com', ip: '127.0.0.1' },
    })
  })

  test('a reset is by the operator, and the password after it by the person', async () => {
    const reset = await resetPassword(api.settings, EMAIL)
    expect(await newest()).toMatchObject({
      action: 'user.password_reset',
      actor: { kind: 'operator', id: null },
      target: { id: owner.userId },
    })
    for (const again of [{}, { new_password: reset?.password }])
      expectError(
        await logIn({ password: reset?.password, ...again }),
        403,
        'your password was reset: choose a new one',
        'password_change_required',
      )
    const fresh = { password: reset?.password, new_password: PASSWORD }
    expect((await logIn(fresh)).status).toBe(200)
    const actions = (await log()).slice(0, 2).map(({ action }) => action)
    expect(actions).toEqual(['user.signed_in', 'user.password_changed'])
  })

  test('the end of sessions is recorded for the person, or for the identity provider', async () => {
    const params = { idp_user_id: `user_${owner.userId}` }
    const path = `/api/v1/users/${params.idp_user_id}/signed-out`
    const signedOut = (reason: string) =>
      api.call('recordSignOut', { params, body: { reason }, headers: layerHeaders('POST', path, { reason }) })
    expect((await signedOut('all_sessions')).status).toBe(200)
    expect(await newest()).toMatchObject({
      action: 'user.signed_out',
      actor: byThem(),
      data: { reason: 'all_sessions' },
    })
    await signedOut('provider')
    expect(await newest()).toMatchObject({
      actor: { kind: 'server', id: null },
      data: { reason: 'provider' },
    })
    expect((await signedOut('session')).json.remembered_ended).toBe(0)
  })

  test('what the identity provider changes is recorded once, and gone in every workspace', async () => {
    const idp_user_id = 'user_provided'
    const { json } = await api.call('ensureUser', { body: { idp_user_id, email: 'one@example.com' } })
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    const { json: other } = await api.call('createTenant', { as, body: { name: 'second' } })
    const path = `/api/v1/users/${idp_user_id}`
    const change = (body: object) =>
      api.call('changeProvidedUser', {
        params: { idp_user_id },
        body,
        headers: layerHeaders('PUT', path, body),
      })
    const actions = async (tenantId: string) =>
      (await log({ ...as, tenantId })).map(({ action, actor }) => `${action} by ${actor.kind}`).toReversed()
    await change({ email: 'two@example.com', as_of: '2026-02-01T00:00:00Z' })
    await change({ email: 'two@example.com', as_of: '2026-02-02T00:00:00Z' })
    await change({ email: 'one@example.com', as_of: '2026-01-01T00:00:00Z' })
    const begin = ['audit.started by user', 'user.signed_in by user', 'user.changed by server']
    expect(await actions(as.tenantId)).toEqual(begin)
    await change({ is_active: false })
    await change({ is_active: false })
    await change({ is_active: true })
    const ends = ['user.deactivated by server', 'user.reactivated by server']
    expect(await actions(as.tenantId)).toEqual([...begin, ...ends])
    expect(await actions(other.id)).toEqual(['audit.started by user', ...ends])
  })

  test('an account by invitation is recorded with its address in the workspace that it joined', async () => {
    const invitation = { email: 'invited@example.com', role: 'owner' }
    const { token } = (await api.call('createInvitation', { as: owner, body: invitation })).json
    const { json } = await api.call('joinWithAccount', { body: { token, password: PASSWORD } })
    await api.call('logIn', { body: { email: invitation.email, password: PASSWORD } })
    const own = (await log(owner)).filter(({ actor }) => actor.id === json.user_id)
    expect(own.map(({ action, origin }) => [action, origin?.['ip']])).toEqual([
      ['user.signed_in', '127.0.0.1'],
      ['user.signed_in', '127.0.0.1'],
      ['member.joined', '127.0.0.1'],
    ])
  })
})
