import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

const REFUSED = 'Forbidden: owner role required'

describe.each(oneDatabase)('limited write of members on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let mine: { bundle_id: string; key_id: string }
  let theirs: { bundle_id: string; key_id: string }
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
    member = await joined()
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    mine = await madeBy(member)
    theirs = await madeBy(owner)
  })

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

  async function madeBy(as: Identity) {
    const unique = randomUUID().replaceAll('-', '')
    const bundle = await api.call('createBundle', { as, body: { name: unique } })
    const key = await api.call('createKey', { as, body: { name: `K${unique}`, value: 'v' } })
    return { bundle_id: bundle.json.id, key_id: key.json.id }
  }

  const changers = (bundle_id: string, set: string | null) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body: { changers: set } })
  const setValue = (as: Identity, body: Record<string, unknown> = { value: randomUUID() }) =>
    api.call('updateKey', { as, params: mine, body })

  test('a member edits the bundle and the key they created', async () => {
    const bundle = await api.call('updateBundle', { as: member, params: mine, body: { tags: 'a' } })
    expect([bundle.status, bundle.json.tags]).toEqual([200, 'a'])
    const body = { value: 'new', is_secret: false }
    const key = await api.call('updateKey', { as: member, params: mine, body })
    expect([key.status, key.json.value]).toEqual([200, 'new'])
    expect(key.json).toMatchObject({ created_by: member.userId, updated_by: member.userId })
  })

  test('a member attaches their key to their bundle, requires, moves and detaches it', async () => {
    expect((await api.call('attachKey', { as: member, params: mine })).status).toBe(201)
    const required = { as: member, params: mine, body: { required: true } }
    expect((await api.call('changeAttachment', required)).status).toBe(200)
    expect((await api.call('reorderKey', { as: member, params: mine, body: { order: 0 } })).status).toBe(200)
    expect((await api.call('detachKey', { as: member, params: mine })).status).toBe(200)
  })

  test('a member cannot change what another person created', async () => {
    await api.call('attachKey', { as: owner, params: theirs })
    const call = { as: member, params: theirs }
    const refused = [
      await api.call('updateBundle', { ...call, body: { tags: 'a' } }),
      await api.call('updateKey', { ...call, body: { value: 'new' } }),
      await api.call('changeAttachment', { ...call, body: { required: true } }),
      await api.call('reorderKey', { ...call, body: { order: 0 } }),
      await api.call('detachKey', call),
      await api.call('attachKey', { as: member, params: { ...mine, bundle_id: theirs.bundle_id } }),
    ]
    for (const answer of refused) expectError(answer, 403, REFUSED, 'forbidden')
  })

  test("a member cannot attach another person's key, because attaching would give access to its value", async () => {
    const params = { ...mine, key_id: theirs.key_id }
    expectError(await api.call('attachKey', { as: member, params }), 403, REFUSED, 'forbidden')
  })

  describe('after an owner stored the value of a key that a member created', () => {
    let bundleId: string
    beforeEach(async () => {
      const { bundle_id, key_id } = mine
      bundleId = bundle_id
      await api.call('updateKey', {
        as: owner,
        params: mine,
        body: { value: 'the real one', is_secret: true },
      })
      const { json } = await api.call('getKey', { as: member, params: { key_id } })
      expect(json).toMatchObject({
        created_by: member.userId,
        may_change: false,
        may_show: false,
        value: '*****',
      })
    })

    test.each([
      ['says that it is no secret', { is_secret: false }],
      ['sets another value', { value: 'mine' }],
      ['describes it', { description: 'mine' }],
    ])('the member no longer %s', async (_, body) => {
      expectError(await api.call('updateKey', { as: member, params: mine, body }), 403, REFUSED, 'forbidden')
    })

    test('the member attaches it nowhere, alone or with others', async () => {
      expectError(await api.call('attachKey', { as: member, params: mine }), 403, REFUSED, 'forbidden')
      const body = { action: 'attach', bundle_id: bundleId, key_ids: [mine.key_id] }
      expectError(await api.call('changeKeys', { as: member, body }), 403, REFUSED, 'forbidden')
    })

    test('an import that is only planned does not say whether a guess is right', async () => {
      const { name } = (await api.call('getKey', { as: member, params: mine })).json
      await api.call('attachKey', { as: owner, params: mine })
      const bundle = (await api.call('getBundle', { as: member, params: mine })).json.name
      const planned = async (value: string) => {
        const body = { bundle, dry_run: true, entries: [{ name, value }] }
        return await api.call('importVariables', { as: member, body })
      }
      for (const guess of ['the real one', 'another'])
        expectError(await planned(guess), 403, REFUSED, 'forbidden')
    })
  })

  test('a member who sets a value while an owner stores another never makes the stored one public', async () => {
    const stored = () =>
      api.call('updateKey', { as: owner, params: mine, body: { value: 'the real one', is_secret: true } })
    const shown = () => api.call('updateKey', { as: member, params: mine, body: { is_secret: false } })
    await Promise.all([stored(), ...Array.from({ length: 10 }, shown)])
    const { json } = await api.call('getKey', { as: member, params: mine })
    expect([json.value, json.is_secret]).toEqual(['*****', true])
  })

  test('a member deletes neither', async () => {
    expectError(await api.call('deleteBundle', { as: member, params: mine }), 403, REFUSED)
    expectError(await api.call('deleteKey', { as: member, params: mine }), 403, REFUSED)
  })

  test('a member duplicates any bundle, and edits the duplicate', async () => {
    await api.call('attachKey', { as: owner, params: theirs })
    const name = randomUUID().replaceAll('-', '')
    const copy = await api.call('duplicateBundle', { as: member, params: theirs, body: { name } })
    expect([copy.status, copy.json.created_by]).toEqual([201, member.userId])
    const params = { ...theirs, bundle_id: copy.json.id }
    expect((await api.call('detachKey', { as: member, params })).status).toBe(200)
  })

  describe('who may change values, as the bundles say', () => {
    test('owners only: who set a value changes it no longer, not through any other bundle', async () => {
      await api.call('attachKey', { as: member, params: mine })
      await api.call('attachKey', { as: owner, params: { ...mine, bundle_id: theirs.bundle_id } })
      await changers(theirs.bundle_id, 'owner')
      expectError(await setValue(member), 403, REFUSED, 'forbidden')
      expectError(await setValue(member, { is_secret: false }), 403, REFUSED, 'forbidden')
      expect((await api.call('getKey', { as: member, params: mine })).json.may_change).toBe(false)
      await api.call('detachKey', { as: owner, params: { ...mine, bundle_id: theirs.bundle_id } })
      expect((await setValue(member)).status).toBe(200)
    })

    test('members: any member changes the value, and none shows what another set', async () => {
      const other = await joined()
      await api.call('attachKey', { as: member, params: mine })
      expectError(await setValue(other), 403, REFUSED, 'forbidden')
      await changers(mine.bundle_id, 'member')
      expectError(await setValue(other, { is_secret: false }), 403, REFUSED, 'forbidden')
      expectError(await setValue(other, { value: 'x', is_secret: false }), 403, REFUSED, 'forbidden')
      expectError(await setValue(other, { is_template: true }), 403, REFUSED, 'forbidden')
      expect((await api.call('getKey', { as: other, params: mine })).json).toMatchObject({
        may_change: true,
        may_show: false,
      })
      expect((await setValue(other)).status).toBe(200)
      expectError(await setValue(member, { is_secret: false }), 403, REFUSED, 'forbidden')
      const elsewhere = await madeBy(member)
      const params = { ...mine, bundle_id: elsewhere.bundle_id }
      expectError(await api.call('attachKey', { as: member, params }), 403, REFUSED, 'forbidden')
    })

    // Whatever a member may do with a value of another person has the same answer for a right and a wrong guess.
    test.each(['v', 'w'])('members: the guess %s tells nothing', async (value) => {
      await api.call('attachKey', { as: owner, params: theirs })
      const mineToo = { ...theirs, bundle_id: mine.bundle_id }
      await api.call('attachKey', { as: owner, params: mineToo })
      await changers(theirs.bundle_id, 'member')
      await changers(mine.bundle_id, 'member')
      const { name } = (await api.call('getKey', { as: member, params: theirs })).json
      const [shared, fresh] = [
        (await api.call('getBundle', { as: member, params: mine })).json.name,
        randomUUID(),
      ]
      const entries = [{ name, value }]
      const plan = (bundle: string, body = {}) =>
        api.call('importVariables', { as: member, body: { bundle, entries, dry_run: true, ...body } })
      for (const body of [{}, { replace: [name] }, { own: [name] }])
        expectError(await plan(shared, body), 403, REFUSED, 'forbidden')
      expect((await plan(shared, { share: [name] })).json.plan[0]?.action).toBe('kept')
      expect((await plan(fresh)).json.plan[0]?.action).toBe('own')
      await api.call('detachKey', { as: owner, params: mineToo })
      expectError(await plan(shared, { share: [name] }), 403, REFUSED, 'forbidden')
      expect((await plan(shared)).json.plan[0]?.action).toBe('own')

      const set = await api.call('updateKey', { as: member, params: theirs, body: { value } })
      expect(set.json).toMatchObject({ version: 2, value_set_by: { id: member.userId }, value: '*****' })
      const [event] = (await api.call('listAudit', { as: owner })).json
      expect([event?.action, event?.data]).toMatchObject(['key.changed', { version: 2, changed: ['value'] }])
      const again = await api.call('updateKey', { as: member, params: theirs, body: { value } })
      expect(again.json.version).toBe(2)
    })

    test('members: the same text of a value that is no secret changes nothing', async () => {
      await api.call('updateKey', { as: owner, params: theirs, body: { is_secret: false } })
      await api.call('attachKey', { as: owner, params: theirs })
      await changers(theirs.bundle_id, 'member')
      const set = await api.call('updateKey', { as: member, params: theirs, body: { value: 'v' } })
      expect(set.json).toMatchObject({ version: 1, value_set_by: { id: owner.userId } })
    })

    test('the workspace says so for all, and a bundle only more strictly', async () => {
      const ofAll = (set: string | null) =>
        api.call('changeTenantPolicy', { as: owner, body: { changers: set } })
      await ofAll('owner')
      expectError(await setValue(member), 403, REFUSED, 'forbidden')
      const tags = { as: member, params: mine, body: { tags: 'a' } }
      expectError(await api.call('updateBundle', tags), 403, REFUSED, 'forbidden')
      await ofAll('member')
      await api.call('attachKey', { as: member, params: mine })
      await changers(mine.bundle_id, 'setter')
      expectError(await setValue(await joined()), 403, REFUSED, 'forbidden')
      await ofAll(null)
    })
  })

  test('a member lets no secret go from a bundle with rules that another bundle contains', async () => {
    await api.call('attachKey', { as: member, params: mine })
    const other = await madeBy(member)
    await api.call('attachKey', { as: member, params: { ...mine, bundle_id: other.bundle_id } })
    const params = { bundle_id: mine.bundle_id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { approvers: 'owner' } })
    const { name } = (await api.call('getKey', { as: member, params: mine })).json
    const bundle = (await api.call('getBundle', { as: member, params: mine })).json.name
    const refused = [
      await api.call('detachKey', { as: member, params: mine }),
      await api.call('changeKeys', {
        as: member,
        body: { action: 'detach', bundle_id: mine.bundle_id, key_ids: [mine.key_id] },
      }),
      await api.call('changeAttachment', { as: member, params: mine, body: { key_id: other.key_id } }),
      await api.call('importVariables', { as: member, body: { bundle, entries: [], detach: [name] } }),
    ]
    for (const answer of refused) expectError(answer, 403, REFUSED, 'forbidden')
    await api.call('detachKey', { as: owner, params: { ...mine, bundle_id: other.bundle_id } })
    expect((await api.call('detachKey', { as: member, params: mine })).status).toBe(200)
  })

  test('an owner changes what a member created', async () => {
    expect((await api.call('attachKey', { as: owner, params: mine })).status).toBe(201)
    const { json } = await api.call('updateKey', { as: owner, params: mine, body: { value: 'new' } })
    expect(json).toMatchObject({ created_by: member.userId, updated_by: owner.userId })
  })
})
