import { randomUUID } from 'node:crypto'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, oneDatabase, signedHeaders, startTestApi, type TestApi } from './api.ts'
import { layerHeaders } from './joined.ts'

describe.each(oneDatabase)('what the identity provider says of a user, on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())

  async function newUser() {
    const idpUserId = `user_${randomUUID()}`
    const { json } = await api.call('ensureUser', {
      body: { idp_user_id: idpUserId, email: `${randomUUID()}@example.com` },
    })
    return { idpUserId, as: { userId: json.user_id, tenantId: json.tenant_id } }
  }

  const change = (idpUserId: string, body: unknown, headers?: Record<string, string>) =>
    api.call('changeProvidedUser', {
      params: { idp_user_id: idpUserId },
      body,
      headers: headers ?? layerHeaders(`/api/v1/users/${idpUserId}`, body),
    })

  test('an id that no store can take is 400', async () => {
    const body = { is_active: false }
    const answer = await change('user_\0', body, layerHeaders('/api/v1/users/user_%00', body))
    expectError(answer, 400, 'idp_user_id must not contain NUL', 'invalid')
  })

  test('a changed e-mail is stored', async () => {
    const { idpUserId, as } = await newUser()
    const email = `${randomUUID()}@example.com`
    expect((await change(idpUserId, { email })).status).toBe(200)
    expect((await api.call('getMe', { as })).json.email).toBe(email)
  })

  test('an older statement does not overwrite a newer one, and one of the same time counts', async () => {
    const { idpUserId, as } = await newUser()
    const [older, newer, newest] = [1, 2, 3].map((count) => `${count}-${randomUUID()}@example.com`)
    const email = async () => (await api.call('getMe', { as })).json.email
    await change(idpUserId, { email: newer, as_of: '2026-01-31T12:00:00Z' })
    expect((await change(idpUserId, { email: older, as_of: '2026-01-31T11:59:59.999Z' })).status).toBe(200)
    expect(await email()).toBe(newer)
    await change(idpUserId, { email: newest, as_of: '2026-01-31T12:00:00.000Z' })
    expect(await email()).toBe(newest)
  })

  test('a sign-in reports the e-mail with its own timestamp', async () => {
    const idp_user_id = `user_${randomUUID()}`
    const email = `${randomUUID()}@example.com`
    const body = { idp_user_id, email, as_of: '2026-01-31T12:00:00.000Z' }
    const { json } = await api.call('ensureUser', { body })
    await change(idp_user_id, { email: 'older@example.com', as_of: '2026-01-31T11:00:00.000Z' })
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    expect((await api.call('getMe', { as })).json.email).toBe(email)
  })

  test('other people see an e-mail only while the provider states that it is verified', async () => {
    const { idpUserId, as } = await newUser()
    const email = `${randomUUID()}@example.com`
    const invitation = { email: 'kim@example.com', role: 'member' }
    const { token } = (await api.call('createInvitation', { as, body: invitation })).json
    const seen = async () => [
      (await api.call('listMembers', { as })).json[0]?.email,
      (await api.call('previewInvitation', { body: { token } })).json.invited_by.email,
      (await api.call('listAudit', { as })).json.find(({ action }) => action === 'user.changed')?.origin,
    ]
    const origin = { ip: '127.0.0.1', user_agent: 'node' }
    await change(idpUserId, { email })
    expect(await seen()).toEqual([null, null, origin])
    expect((await api.call('getMe', { as })).json).toMatchObject({ email, email_verified: false })
    await change(idpUserId, { email: `x${email}`, email_verified: true })
    expect(await seen()).toEqual([`x${email}`, `x${email}`, { ...origin, email: `x${email}` }])
    expect((await api.call('getMe', { as })).json).toMatchObject({ email_verified: true })
  })

  test('a removed user has no access, and their open approvals are removed', async () => {
    const { idpUserId, as } = await newUser()
    const requestId = await approvedRequest(as)
    expect((await change(idpUserId, { is_active: false })).status).toBe(200)
    expectError(await api.call('getMe', { as }), 403, 'Forbidden: user is inactive')
    const params = { request_id: requestId }
    expectError(await api.call('waitForApproval', { params }), 404, 'request not found or expired')
  })

  async function approvedRequest(as: { userId: string; tenantId: string }): Promise<string> {
    const key = await api.call('createKey', { as, body: { name: 'TOKEN', value: 'v' } })
    const bundle = await api.call('createBundle', { as, body: { name: 'app' } })
    await api.call('attachKey', { as, params: { bundle_id: bundle.json.id, key_id: key.json.id } })
    const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
    const { json } = await api.call('createRequest', { body: { client_pubkey } })
    const body = { bundle_id: bundle.json.id, include_keys: ['TOKEN'] }
    const params = { request_id: json.id }
    expect((await api.call('encryptFromBundle', { as, params, body })).status).toBe(200)
    return json.id
  }

  test('only the web-facing layer may report a change', async () => {
    const { idpUserId, as } = await newUser()
    const body = { is_active: false }
    const path = `/api/v1/users/${idpUserId}`
    const forgeries = [
      {},
      signedHeaders(as),
      { ...signedHeaders(as), ...layerHeaders(path, body, as) },
      layerHeaders(path, body, as),
      layerHeaders(path, { is_active: true }),
      layerHeaders('/api/v1/users/user_other', body),
    ]
    for (const headers of forgeries)
      expectError(await change(idpUserId, body, headers), 401, 'Unauthorized', 'unauthorized')
    expect((await api.call('getMe', { as })).status).toBe(200)
  })

  test('its word counts once', async () => {
    const { idpUserId } = await newUser()
    const body = { email: `${randomUUID()}@example.com` }
    const headers = layerHeaders(`/api/v1/users/${idpUserId}`, body)
    expect((await change(idpUserId, body, headers)).status).toBe(200)
    expect((await change(idpUserId, body, headers)).status).toBe(401)
  })

  test('an unknown user is 404, a malformed e-mail 400', async () => {
    expectError(await change('user_unknown', { is_active: false }), 404, 'User not found')
    const { idpUserId } = await newUser()
    expectError(await change(idpUserId, { email: 'nowhere' }), 400, 'Invalid email format')
  })
})
