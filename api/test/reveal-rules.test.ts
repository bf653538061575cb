import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'

// On a server that reveals values, a ruled bundle contains a secret, and another bundle shares it.
describe.each(oneDatabase)('rules of values that are revealed on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let ruled: string
  let shared: string
  let secret: string
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    ruled = await newBundle()
    shared = await newBundle()
    secret = await newKey('SECRET', [ruled, shared])
    await newKey('HOST', [ruled, shared], false)
  })

  const newBundle = async () =>
    (await api.call('createBundle', { as: owner, body: { name: randomUUID() } })).json.id
  async function newKey(name: string, bundles: string[], is_secret = true): Promise<string> {
    const body = { name, value: `${name} in plain`, is_secret }
    const key_id = (await api.call('createKey', { as: owner, body })).json.id
    for (const bundle_id of bundles) await api.call('attachKey', { as: owner, params: { bundle_id, key_id } })
    return key_id
  }
  const rule = (bundle_id: string, body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body })
  const exported = (as: Identity, bundle_id: string, format = 'json', reveal = '1') =>
    api.call('exportBundle', { as, params: { bundle_id }, query: { format, reveal } })
  const read = (as: Identity, key_id = secret) =>
    api.call('getKey', { as, params: { key_id }, query: { reveal: '1' } })
  const nameOf = async (as: Identity) => (await api.call('getMe', { as })).json.username
  const PLAIN = { SECRET: 'SECRET in plain', HOST: 'HOST in plain' }

  test('without rules every member reads', async () => {
    expect((await exported(member, shared)).json).toEqual(PLAIN)
    expect((await read(member)).json.value).toBe(PLAIN.SECRET)
  })

  test('owners only: a member reads the secret nowhere, and learns why and who can', async () => {
    await rule(ruled, { approvers: 'owner' })
    const error = `A rule covers SECRET: only an owner may approve. Ask ${await nameOf(owner)}`
    const refusal = { code: 'owner_approves', error, details: { names: ['SECRET'] } }
    for (const answer of [
      await exported(member, shared),
      await exported(member, shared, 'env'),
      await exported(member, ruled),
      await read(member),
    ])
      expect([answer.status, answer.failure]).toEqual([403, refusal])
    expect((await exported(owner, shared)).json).toEqual(PLAIN)
    expect((await read(owner)).json.value).toBe(PLAIN.SECRET)
    const exports = { as: owner, query: { action: 'bundle.exported' } }
    expect((await api.call('listAudit', exports)).json).toHaveLength(1)
  })

  test('masked reads, and values that are no secret, follow no rule', async () => {
    await rule(ruled, { approvers: 'owner' })
    expect((await exported(member, ruled, 'json', '0')).json).toEqual({ ...PLAIN, SECRET: '*****' })
    const open = await newBundle()
    const host = await newKey('PUBLIC', [open], false)
    await rule(open, { approvers: 'owner' })
    expect((await exported(member, open)).json).toEqual({ PUBLIC: 'PUBLIC in plain' })
    expect((await read(member, host)).json.value).toBe('PUBLIC in plain')
  })

  test('named people: nobody else reads, not even an owner', async () => {
    await rule(ruled, { approvers: 'named', people: [member.userId] })
    expect((await exported(member, shared)).status).toBe(200)
    expect((await read(member)).status).toBe(200)
    const refused = [await exported(owner, shared), await read(owner)]
    expect(refused.map(({ failure }) => failure?.code)).toEqual(['named_approves', 'named_approves'])
    expect(refused[0]?.failure?.error).toContain(await nameOf(member))
  })

  test('after the named people left, the refusal says to ask an owner to change the rules', async () => {
    await rule(ruled, { approvers: 'named', people: [member.userId] })
    await api.call('removeMember', { as: owner, params: { user_id: member.userId } })
    expect((await read(owner)).failure?.error).toBe(
      'A rule covers SECRET: only people that it names may approve. Ask an owner to change the rules',
    )
  })

  test('two people: no one reads alone', async () => {
    await rule(ruled, { approvals_needed: 2 })
    const refused = [await exported(owner, shared), await read(owner)]
    expect(refused.map(({ failure }) => failure?.code)).toEqual(['second_person', 'second_person'])
    expect(refused[0]?.failure?.error).toContain('Request a delivery, which two people approve')
  })

  test('a rule of the workspace counts, also for a key in no bundle', async () => {
    const alone = await newKey('ALONE', [])
    await api.call('changeTenantPolicy', { as: owner, body: { approvers: 'owner' } })
    expect((await read(member, alone)).failure?.code).toBe('owner_approves')
    expect((await exported(member, shared)).failure?.details?.['names']).toEqual(['SECRET'])
  })

  test('a composed value brings the rules of its secret parts', async () => {
    const body = { name: 'URL', value: 'https://${SECRET}@${HOST}', is_template: true, is_secret: false }
    const key_id = (await api.call('createKey', { as: owner, body })).json.id
    await api.call('attachKey', { as: owner, params: { bundle_id: shared, key_id } })
    await rule(ruled, { approvers: 'owner' })
    expect((await exported(member, shared)).failure?.details?.['names']).toEqual(['SECRET', 'URL'])
  })
})
