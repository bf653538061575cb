import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, expectError, layerHeaders, signedHeaders, startTestApi, type TestApi } from './api.ts'

describe.each(databases)('ensure user on %s', (kind) => {
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

  test('only the signature of the web-facing layer over this very call makes one, and only once', async () => {
    const body = { idp_user_id: 'user_signed', email: 'signed@example.com' }
    const headers = layerHeaders('POST', '/api/v1/users/ensure', body)
    const [as, other] = [await api.newOwner(), { ...body, email: 'other@example.com' }]
    const call = (sent: object, by: Record<string, string>) =>
      api.call('ensureUser', { body: sent, headers: by })
    for (const refused of [{}, signedHeaders(as), { ...signedHeaders(as), ...headers }])
      expectError(await call(body, refused), 401, 'Unauthorized', 'unauthorized')
    expectError(await call(other, headers), 401, 'Unauthorized', 'unauthorized')
    expect((await call(body, headers)).status).toBe(201)
    expectError(await call(body, headers), 401, 'Unauthorized', 'unauthorized')
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
