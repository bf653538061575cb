import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setAccountActive } from '../src/accounts/operating.ts'
import { makeOwnerOf } from '../src/main.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'

describe.each(oneDatabase)('the owners of a workspace, on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())

  const rolesIn = async (as: Identity) =>
    (await api.call('listMembers', { as })).json.map(({ user_id, role }) => [user_id, role])
  const withAccount = async (owner: Identity, role: string) => {
    const email = `${randomUUID()}@example.com`
    const { json } = await api.call('createInvitation', { as: owner, body: { email, role } })
    const body = { token: json.token, password: 'a word of my own' }
    const { user_id: userId } = (await api.call('joinWithAccount', { body })).json
    return { userId, tenantId: owner.tenantId, email }
  }
  const disable = (email: string) => setAccountActive({ ...api.settings, redisUrl: null }, email, false)

  test('the operator makes a member an owner, as the log says', async () => {
    const owner = await api.newOwner()
    const person = await withAccount(owner, 'member')
    const made = await makeOwnerOf(api.settings, owner.tenantId, person.email.toUpperCase())
    expect(made).toEqual({ workspace: expect.any(String), email: person.email })
    expect(await rolesIn(owner)).toContainEqual([person.userId, 'owner'])
    const log = await api.call('listAudit', { as: owner, query: { action: 'member.role_changed' } })
    expect(log.json).toMatchObject([
      { actor: { kind: 'operator' }, target: { id: person.userId }, data: { role: 'owner' } },
    ])
  })

  test('a person who is no member becomes one, and an owner', async () => {
    const [owner, stranger] = [await api.newOwner(), await api.newOwner()]
    await makeOwnerOf(api.settings, owner.tenantId, stranger.userId)
    const there = { userId: stranger.userId, tenantId: owner.tenantId }
    expect(await rolesIn(there)).toContainEqual([stranger.userId, 'owner'])
    const log = await api.call('listAudit', { as: there, query: { action: 'member.joined' } })
    expect(log.json).toMatchObject([{ actor: { kind: 'operator' }, target: { id: stranger.userId } }])
  })

  test('it refuses what it does not know, who is disabled, and who is an owner', async () => {
    const owner = await api.newOwner()
    const person = await withAccount(owner, 'member')
    const make = (tenantId: string, asked: string) => makeOwnerOf(api.settings, tenantId, asked)
    expect(await make(randomUUID(), person.email)).toContain('no workspace has the id')
    const unknown = 'no person has this id or verified e-mail address'
    expect(await make(owner.tenantId, 'nobody@example.com')).toBe(unknown)
    const ensured = async (email: string, email_verified: boolean) => {
      const body = { idp_user_id: `user_${randomUUID()}`, email, email_verified }
      return (await api.call('ensureUser', { body })).json.user_id
    }
    await ensured('unproven@example.com', false)
    expect(await make(owner.tenantId, 'unproven@example.com')).toBe(unknown)
    const ids = [await ensured('shared@example.com', true), await ensured('shared@example.com', true)]
    await ensured('shared@example.com', false)
    const [first = '', second = ''] = ids.toSorted()
    expect(await make(owner.tenantId, 'shared@example.com')).toMatch(
      new RegExp(`^several people have this address: (${first}, ${second}|${second}, ${first})$`),
    )
    expect(await make(owner.tenantId, owner.userId)).toBe('the person is an owner already')
    await disable(person.email)
    expect(await make(owner.tenantId, person.email)).toBe('the person is disabled')
    expect(await rolesIn(owner)).toContainEqual([person.userId, 'member'])
  })

  test('who disables the last owner learns which workspaces have none, unless nobody else is there', async () => {
    const [first, alone] = [await api.newOwner(), await api.newOwner()]
    const last = await withAccount(first, 'owner')
    await joinWorkspace(api, first, 'member')
    await makeOwnerOf(api.settings, alone.tenantId, last.userId)
    const leave = (as: Identity) => api.call('removeMember', { as, params: { user_id: as.userId } })
    for (const { userId, tenantId } of [first, alone]) await leave({ userId, tenantId })
    const member = await withAccount(last, 'member')
    expect((await disable(last.email))?.ownerless).toEqual([{ id: first.tenantId, name: expect.any(String) }])
    expect((await disable(member.email))?.ownerless).toEqual([])
  })

  test('an owner whose only other owner is disabled can neither leave nor become a member', async () => {
    const owner = await api.newOwner()
    const other = await withAccount(owner, 'owner')
    expect((await disable(other.email))?.ownerless).toEqual([])
    const params = { user_id: owner.userId }
    const refused = 'the last owner cannot be demoted or removed'
    expectError(await api.call('removeMember', { as: owner, params }), 409, refused)
    const body = { role: 'member' }
    expect((await api.call('changeMemberRole', { as: owner, params, body })).status).toBe(409)
  })
})
