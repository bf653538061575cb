import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { databases, type Identity, startTestApi } from './api.ts'

describe.each(databases)('what a limited member made, on %s', (kind) => {
  test('is out of reach once only a bundle out of reach contains it', async () => {
    const api = await startTestApi(kind)
    const owner = await api.newOwner()
    const email = `${randomUUID()}@example.com`
    const made = await api.call('ensureUser', {
      body: { idp_user_id: `user_${randomUUID()}`, email, email_verified: true },
    })
    const invited = await api.call('createInvitation', {
      as: owner,
      body: { email, role: 'member', limited_to: ['partner/'] },
    })
    const person = { userId: made.json.user_id, tenantId: made.json.tenant_id }
    await api.call('acceptInvitation', { as: person, body: { token: invited.json.token } })
    const member = { userId: person.userId, tenantId: owner.tenantId }
    const bundleOf = async (as: Identity, name: string) =>
      (await api.call('createBundle', { as, body: { name } })).json.id
    const inside = await bundleOf(member, 'partner/shop')
    const outside = await bundleOf(owner, 'hidden/shop')
    const body = { bundle: 'partner/shop', entries: [{ name: 'OWN', value: 'mine' }] }
    const stored = await api.call('importVariables', { as: member, body })
    const key_id = stored.json.plan[0]?.key_id ?? ''
    const found = async () => (await api.call('getKey', { as: member, params: { key_id } })).status
    const listed = async () => (await api.call('listKeys', { as: member })).json.map(({ id }) => id)
    const move = (name: 'attachKey' | 'detachKey', bundle_id: string) =>
      api.call(name, { as: owner, params: { bundle_id, key_id } })
    expect((await move('attachKey', outside)).status).toBe(201)
    expect([await found(), await listed()]).toEqual([200, [key_id]])
    expect((await move('detachKey', inside)).status).toBe(200)
    expect([await found(), await listed()]).toEqual([404, []])
    await api.close()
  })
})
