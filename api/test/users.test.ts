import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, layerHeaders, oneDatabase, signedHeaders, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('ensure user on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())

  const ensure = (body: unknown) => api.call('ensureUser', { body })

  test('a new person gets a user, a workspace and the owner role', async () => {
    const answer = await ensure({ idp_user_id: 'user_first', email: 'sam@example.com' })
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({ role: 'owner', created: true })
  })

  const unsigned = (body: unknown, headers = {}) => api.call('ensureUser', { body, headers })
  const meOf = async ({ json }: Awaited<ReturnType<typeof ensure>>) =>
    (await api.call('getMe', { as: { userId: json.user_id, tenantId: json.tenant_id } })).json

  test('a signature of the web-facing layer counts for this very call, for no person, and once', async () => {
    const body = { idp_user_id: 'user_signed', email: 'signed@example.com' }
    const headers = layerHeaders('POST', '/api/v1/users/ensure', body)
    const [as, other] = [await api.newOwner(), { ...body, email: 'other@example.com' }]
    expectError(
      await unsigned(body, { ...signedHeaders(as), ...headers }),
      401,
      'Unauthorized',
      'unauthorized',
    )
    expectError(await unsigned(other, headers), 401, 'Unauthorized', 'unauthorized')
    expect((await unsigned(body, headers)).status).toBe(201)
    expectError(await unsigned(body, headers), 401, 'Unauthorized', 'unauthorized')
  })

  test('without a signature anyone provisions, with identity headers or without, and nothing is proven', async () => {
    const body = { idp_user_id: 'user_open', email: 'open@example.com', email_verified: true }
    const created = await unsigned(body)
    expect([created.status, created.json.role]).toEqual([201, 'owner'])
    const again = await unsigned({ ...body, email: 'other@example.com' }, signedHeaders(await api.newOwner()))
    expect([again.status, again.json]).toEqual([200, { ...created.json, created: false }])
    expect(await meOf(created)).toMatchObject({ email: 'open@example.com', email_verified: false })
    const as = { userId: created.json.user_id, tenantId: created.json.tenant_id }
    const { json: log } = await api.call('listAudit', { as })
    expect(log.map(({ action }) => action)).toEqual(['audit.started'])
  })

  test('an unsigned e-mail accepts no invitation until the person signs in', async () => {
    const as = await api.newOwner()
    const email = 'invited@example.com'
    const { json: invitation } = await api.call('createInvitation', { as, body: { email, role: 'member' } })
    const body = { idp_user_id: 'user_invited', email, email_verified: true, as_of: '2030-01-01T00:00:00Z' }
    const { json } = await unsigned(body)
    const person = { userId: json.user_id, tenantId: json.tenant_id }
    const accept = () => api.call('acceptInvitation', { as: person, body: { token: invitation.token } })
    const refused = await accept()
    expect([refused.status, refused.failure?.code]).toEqual([403, 'email_unverified'])
    const real = { email: 'invited@example.com', email_verified: true, as_of: '2026-01-01T00:00:00Z' }
    expect((await ensure({ idp_user_id: body.idp_user_id, ...real })).status).toBe(200)
    const params = { idp_user_id: body.idp_user_id }
    const path = `/api/v1/users/${body.idp_user_id}`
    await api.call('changeProvidedUser', { params, body: real, headers: layerHeaders('PUT', path, real) })
    expect((await accept()).status).toBe(200)
  })

  test('unsigned calls of one address create so many people a minute, and repeated calls do not count', async () => {
    const few = await startTestApi(kind, { usersPerMinute: 3 })
    const create = (name: string, headers = {}) =>
      few.call('ensureUser', { body: { idp_user_id: `user_${name}`, email: `${name}@example.com` }, headers })
    for (const name of ['a', 'b', 'b', 'a', 'c']) expect((await create(name)).status).toBeLessThan(300)
    const refused = await create('d')
    expectError(refused, 429, 'Too many requests', 'too_many')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await create('a')).status).toBe(200)
    const body = { idp_user_id: 'user_d', email: 'd@example.com' }
    expect((await create('d', layerHeaders('POST', '/api/v1/users/ensure', body))).status).toBe(201)
    await few.close()
  })

  test('a known person gets the same ids and created=false', async () => {
    const first = await ensure({ idp_user_id: 'user_again', email: 'again@example.com' })
    const second = await ensure({ idp_user_id: 'user_again', email: 'again@example.com' })
    expect(second.status).toBe(200)
    expect(second.json).toEqual({ ...first.json, created: false })
  })

  test('fifty calls at once make one user', async () => {
    const body = { idp_user_id: 'user_race', email: 'race@example.com' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => ensure(body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
    expect(new Set(answers.map(({ json }) => `${json.user_id} ${json.tenant_id}`)).size).toBe(1)
  })

  test('thirty people of one name at once get thirty usernames of at most 20 characters', async () => {
    const email = 'a.very.long.local.part.indeed@example.com'
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ensure({ idp_user_id: `user_n${index}`, email })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201))
  })

  test.each([
    [{}, 'idp_user_id required'],
    [{ idp_user_id: 'clerk_1', email: 'a@example.com' }, 'Invalid idp_user_id format'],
    [{ idp_user_id: 'user_1' }, 'email required'],
    [{ idp_user_id: 'user_1', email: 'nobody' }, 'Invalid email format'],
  ])('%j answers 400 %s', async (body, message) => {
    expectError(await ensure(body), 400, message, 'invalid')
  })
})
