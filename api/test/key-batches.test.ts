import { randomUUID } from 'node:crypto'
import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

const ENTRIES = 8

describe.each(oneDatabase)('one action on several keys, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let app: string
  let other: string
  let keys: Record<string, string>
  beforeAll(async () => {
    api = await startTestApi(kind, { maxBundleEntries: ENTRIES })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    app = await createBundle('app')
    other = await createBundle('other')
    keys = {}
    for (const name of ['A', 'B', 'C', 'D']) keys[name] = await createKey(owner, name)
  })

  async function createBundle(name: string, as = owner): Promise<string> {
    return (await api.call('createBundle', { as, body: { name } })).json.id
  }

  async function createKey(as: Identity, name: string): Promise<string> {
    return (await api.call('createKey', { as, body: { name, value: name, is_secret: false } })).json.id
  }

  const idsOf = (names: string) => names.split('').map((name) => keys[name] ?? '')
  const change = (action: string, names: string, rest: object = {}, as = owner) =>
    api.call('changeKeys', { as, body: { action, key_ids: idsOf(names), ...rest } })
  const namesIn = async (bundle_id: string) => {
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id } })
    expect(json.map(({ order }) => order)).toEqual(json.map((_, index) => index))
    return json.map(({ name }) => name).join('')
  }
  const library = async () =>
    (await api.call('listKeys', { as: owner })).json.map(({ name }) => name).join('')
  const count = async (action: string) =>
    (await api.call('listAudit', { as: owner, query: { action } })).json.length

  async function joined(): Promise<Identity> {
    const email = `${randomUUID()}@example.com`
    const { json } = await api.call('ensureUser', {
      body: { idp_user_id: `user_${randomUUID()}`, email, email_verified: true },
    })
    const body = { email, role: 'member' }
    const { token } = (await api.call('createInvitation', { as: owner, body })).json
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    await api.call('acceptInvitation', { as, body: { token } })
    return { userId: json.user_id, tenantId: owner.tenantId }
  }

  test('attaching appends the keys in the given order; those that are attached stay where they are', async () => {
    await change('attach', 'C', { bundle_id: app })
    const answer = await change('attach', 'DCB', { bundle_id: app })
    expect([answer.status, answer.json]).toEqual([200, { changed: 2, unchanged: 1, stricter: [] }])
    expect(await namesIn(app)).toBe('CDB')
    const again = await change('attach', 'DCB', { bundle_id: app })
    expect(again.json).toEqual({ changed: 0, unchanged: 3, stricter: [] })
  })

  test('attaching names the variables that the bundle delivers from other keys, and attaches none', async () => {
    const params = { bundle_id: app, key_id: keys['A'] ?? '' }
    await api.call('attachKey', { as: owner, params, body: { as: 'B' } })
    const answer = await change('attach', 'BC', { bundle_id: app })
    expect([answer.status, answer.failure?.code]).toEqual([409, 'name_taken'])
    expect(answer.failure?.details).toEqual({ names: ['B'] })
    expect(await namesIn(app)).toBe('B')
  })

  test('attaching beyond what a bundle can have attaches none', async () => {
    for (let index = 0; index < ENTRIES - 3; index += 1) {
      const key_id = await createKey(owner, `FILL${index}`)
      await api.call('attachKey', { as: owner, params: { bundle_id: other, key_id } })
    }
    const before = await namesIn(other)
    expect((await change('attach', 'ABCD', { bundle_id: other })).failure?.code).toBe('bundle_full')
    expect(await namesIn(other)).toBe(before)
    expect((await change('attach', 'ABC', { bundle_id: other })).status).toBe(200)
  })

  test('detaching closes the gaps; the keys stay in the library', async () => {
    await change('attach', 'ABCD', { bundle_id: app })
    expect((await change('detach', 'CA', { bundle_id: app })).json).toEqual({
      changed: 2,
      unchanged: 0,
      stricter: [],
    })
    expect(await namesIn(app)).toBe('BD')
    expect((await change('detach', 'ABC', { bundle_id: app })).json).toEqual({
      changed: 1,
      unchanged: 2,
      stricter: [],
    })
    expect(await namesIn(app)).toBe('D')
    expect(await library()).toBe('ABCD')
  })

  test('deleting removes the keys from every bundle and closes the gaps', async () => {
    await change('attach', 'ABCD', { bundle_id: app })
    await change('attach', 'DCB', { bundle_id: other })
    expect((await change('delete', 'AC')).json).toEqual({ changed: 2, unchanged: 0, stricter: [] })
    expect([await library(), await namesIn(app), await namesIn(other)]).toEqual(['BD', 'BD', 'DB'])
  })

  test('declaring secret hides the values; they stay as they are and keep their version', async () => {
    await change('declare_secret', 'A')
    expect((await change('declare_secret', 'AB')).json).toEqual({ changed: 1, unchanged: 1, stricter: [] })
    const { json } = await api.call('listKeys', { as: owner })
    expect(json.map(({ value, version }) => `${value} ${version}`)).toEqual([
      '***** 1',
      '***** 1',
      'C 1',
      'D 1',
    ])
  })

  test.each(['attach', 'detach', 'delete', 'declare_secret'])(
    '%s of a key that is not there names it and changes nothing',
    async (action) => {
      await change('attach', 'AB', { bundle_id: app })
      const body = { action, key_ids: [...idsOf('BC'), 'nowhere'], bundle_id: app }
      const before = await api.call('listKeys', { as: owner })
      const answer = await api.call('changeKeys', { as: owner, body })
      expect([answer.status, answer.failure?.details]).toEqual([404, { key_ids: ['nowhere'] }])
      expect(await namesIn(app)).toBe('AB')
      expect((await api.call('listKeys', { as: owner })).json).toEqual(before.json)
    },
  )

  test("another workspace's keys and bundles are not found", async () => {
    const stranger = await api.newOwner()
    for (const action of ['delete', 'declare_secret']) {
      const answer = await change(action, 'A', {}, stranger)
      expect([answer.status, answer.failure?.details]).toEqual([404, { key_ids: idsOf('A') }])
    }
    const bundle_id = await createBundle('theirs', stranger)
    expectError(await change('attach', 'A', { bundle_id }), 404, 'bundle not found')
    expect((await change('attach', 'A', { bundle_id }, stranger)).failure?.details).toEqual({
      key_ids: idsOf('A'),
    })
    const uses = await api.call('findKeyUses', { as: stranger, body: { key_ids: idsOf('A') } })
    expect(uses.json).toEqual({ bundles: [], stricter: [], weaker: [] })
  })

  test('a member changes the keys and bundles they created; a refusal names the other keys', async () => {
    const member = await joined()
    keys['M'] = await createKey(member, 'M')
    keys['N'] = await createKey(member, 'N')
    const mine = await createBundle('mine', member)
    expect((await change('attach', 'MN', { bundle_id: mine }, member)).json.changed).toBe(2)
    expect((await change('declare_secret', 'MN', {}, member)).json.changed).toBe(2)
    const foreignKey = await change('attach', 'MA', { bundle_id: mine }, member)
    expect([foreignKey.status, foreignKey.failure?.details]).toEqual([403, { names: ['A'] }])
    expect((await change('attach', 'M', { bundle_id: app }, member)).status).toBe(403)
    expect((await change('declare_secret', 'MB', {}, member)).failure?.details).toEqual({ names: ['B'] })
    expect((await change('delete', 'M', {}, member)).status).toBe(403)
    await change('attach', 'A', { bundle_id: mine })
    expect((await change('detach', 'AM', { bundle_id: mine }, member)).json.changed).toBe(2)
  })

  test('each key that changes has an event, and the others have none', async () => {
    await change('attach', 'A', { bundle_id: app })
    await change('attach', 'ABC', { bundle_id: app })
    await change('detach', 'BD', { bundle_id: app })
    await change('declare_secret', 'AB')
    await change('delete', 'CD')
    expect(await count('key.deleted')).toBe(2)
    const { json: attached } = await api.call('listAudit', {
      as: owner,
      query: { action: 'bundle.attached' },
    })
    expect(attached.map(({ data }) => data)).toEqual(
      ['C', 'B', 'A'].map((name) => ({ key: { id: keys[name], name }, required: false })),
    )
    expect(await count('bundle.detached')).toBe(2)
    expect(await count('key.declared_secret')).toBe(2)
  })

  test('the bundles that use the keys are listed by name, each with how many it uses', async () => {
    await change('attach', 'ABC', { bundle_id: other })
    await change('attach', 'B', { bundle_id: app })
    const last = await createBundle('a-last')
    await change('attach', 'A', { bundle_id: last })
    const { json } = await api.call('findKeyUses', { as: owner, body: { key_ids: idsOf('ABD') } })
    const created_by = owner.userId
    expect(json.bundles).toEqual([
      { id: last, name: 'a-last', created_by, key_count: 1, may_detach: true },
      { id: app, name: 'app', created_by, key_count: 1, may_detach: true },
      { id: other, name: 'other', created_by, key_count: 2, may_detach: true },
    ])
  })

  test.each([
    [{ action: 'rename', key_ids: ['a'] }, 'action must be attach, detach, delete or declare_secret'],
    [{ action: 'delete', key_ids: [] }, `key_ids must be 1 to ${LIMITS.batchKeys} ids of keys`],
    [
      { action: 'delete', key_ids: Array.from({ length: LIMITS.batchKeys + 1 }, (_, index) => `${index}`) },
      `key_ids must be 1 to ${LIMITS.batchKeys} ids of keys`,
    ],
    [{ action: 'delete', key_ids: ['a', 'a'] }, 'key_ids must name each key once'],
    [{ action: 'attach', key_ids: ['a'] }, 'bundle_id must be the id of a bundle'],
  ])('%o is 400', async (body, error) => {
    expectError(await api.call('changeKeys', { as: owner, body }), 400, error)
  })

  test('batches and deletes of the same keys at once leave no gap and no key behind', async () => {
    await change('attach', 'ABCD', { bundle_id: app })
    await change('attach', 'DCBA', { bundle_id: other })
    const answers = await Promise.all([
      change('delete', 'AB'),
      api.call('deleteKey', { as: owner, params: { key_id: keys['C'] ?? '' } }),
      change('detach', 'DCBA', { bundle_id: other }),
      change('declare_secret', 'D'),
      change('attach', 'D', { bundle_id: other }),
    ])
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect(answers[0]?.status).toBe(200)
    expect([await library(), await namesIn(app)]).toEqual(['D', 'D'])
    expect(await namesIn(other)).toMatch(/^D?$/)
  })
})
