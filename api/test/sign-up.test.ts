import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiSettings } from '../src/settings.ts'
import { expectError, startTestApi, type TestApi } from './api.ts'

const CLOSED = 'You need an invitation: ask an owner of a workspace for one, and open its link'

let people = 0
const profile = (email: string, more: object = {}) => {
  people += 1
  return { idp_user_id: `user_sign_up_${people}`, email, email_verified: true, ...more }
}

describe.each<[string, ApiSettings['signUp'], boolean]>([
  ['everyone', 'everyone', true],
  ['a domain', ['example.com'], true],
  ['nobody', [], false],
])('where %s may sign up', (_, signUp, isDomainOpen) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi('sqlite', { authMode: 'oidc', signUp })
  })
  afterAll(() => api.close())
  const ensure = (body: object) => api.call('ensureUser', { body })

  test('the first person may, and later people by what the operator says', async () => {
    const first = profile('first@elsewhere.org')
    const { json } = await ensure(first)
    const owner = { userId: json.user_id, tenantId: json.tenant_id }
    const status = async (body: object) => (await ensure(body)).status
    expect(await status(profile('Kim@Example.com'))).toBe(isDomainOpen ? 201 : 403)
    const isOpen = signUp === 'everyone'
    expect(await status(profile('kim@example.com', { email_verified: false }))).toBe(isOpen ? 201 : 403)
    expect(await status(profile('kim@sub.example.com'))).toBe(isOpen ? 201 : 403)
    expect(await status(profile('example.com@elsewhere.org'))).toBe(isOpen ? 201 : 403)
    if (!isOpen) expectError(await ensure(profile('lee@elsewhere.org')), 403, CLOSED, 'sign_up_closed')
    expect(await status(first)).toBe(200)
    const invited = await api.call('createInvitation', {
      as: owner,
      body: { email: 'lee@elsewhere.org', role: 'member' },
    })
    expect(invited.status).toBe(201)
    const { token, id } = invited.json
    expect(await status(profile('lee@elsewhere.org', { invitation: token }))).toBe(201)
    expect(await status(profile('lee@another.org', { invitation: token }))).toBe(201)
    await api.call('revokeInvitation', { as: owner, params: { invitation_id: id } })
    expect(await status(profile('late@elsewhere.org', { invitation: token }))).toBe(isOpen ? 201 : 403)
  })
})
