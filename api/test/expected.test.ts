import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record that two owners edit. `theirs`: what another owner changes first; `mine`: the same field as I want it;
 * `other`: a field that nobody else changes. */
type Edited = {
  readonly read: Fields
  readonly theirs: Fields
  readonly mine: Fields
  readonly other: Fields | null
  readonly save: (body: Fields) => Promise<{ readonly status: number; readonly json: Fields }>
}

async function bundle(api: TestApi, as: Identity): Promise<Edited> {
  const body = { name: `dev/${randomUUID()}`, description: 'before', tags: 'dev' }
  const { json } = await api.call('createBundle', { as, body })
  return {
    read: json,
    theirs: { tags: 'dev,production' },
    mine: { tags: 'web' },
    other: { description: 'after' },
    save: (change) => api.call('updateBundle', { as, params: { bundle_id: json.id }, body: change }),
  }
}

/** A bundle with three keys. @returns where it has one of them */
async function attached(api: TestApi, as: Identity, position: number) {
  const made = await api.call('createBundle', { as, body: { name: `dev/${randomUUID()}` } })
  const bundle_id = made.json.id
  const keyIds: string[] = []
  for (const name of ['K0', 'K1', 'K2']) {
    const key = await api.call('createKey', { as, body: { name, value: 'x' } })
    await api.call('attachKey', { as, params: { bundle_id, key_id: key.json.id }, body: {} })
    keyIds.push(key.json.id)
  }
  return { bundle_id, key_id: keyIds[position] ?? '' }
}

const RECORDS: Readonly<Record<string, (api: TestApi, as: Identity) => Promise<Edited>>> = {
  bundle,
  async key(api, as) {
    const body = { name: `K_${randomUUID().replaceAll('-', '')}`, value: 'x', description: 'before' }
    const { json } = await api.call('createKey', { as, body })
    return {
      read: json,
      theirs: { expires_at: '2030-01-01T00:00:00.000Z' },
      mine: { expires_at: '2031-01-01T00:00:00.000Z' },
      other: { description: 'after' },
      save: (change) => api.call('updateKey', { as, params: { key_id: json.id }, body: change }),
    }
  },
  async machine(api, as) {
    const body = { name: `ci-${randomUUID()}`, audit: true }
    const { json } = await api.call('createMachine', { as, body })
    return {
      read: json,
      theirs: { audit: false },
      mine: { name: `cd-${randomUUID()}`, audit: true },
      other: { description: 'after' },
      save: (change) => api.call('updateMachine', { as, params: { machine_id: json.id }, body: change }),
    }
  },
  async 'name under which a bundle delivers a key'(api, as) {
    const params = await attached(api, as, 0)
    return {
      read: { as: 'K0', required: false },
      theirs: { as: 'THEIRS' },
      mine: { as: 'MINE' },
      other: { required: true },
      save: (body) => api.call('changeAttachment', { as, params, body }),
    }
  },
  async 'place of a key'(api, as) {
    const params = await attached(api, as, 0)
    return {
      read: { order: 0 },
      theirs: { order: 2 },
      mine: { order: 1 },
      other: null,
      save: (body) => api.call('reorderKey', { as, params, body }),
    }
  },
  async 'e-mail of the own account'(api, as) {
    const email = `${randomUUID()}@example.com`
    const password = 'correct horse battery'
    const invited = await api.call('createInvitation', { as, body: { email, role: 'member' } })
    const { json } = await api.call('joinWithAccount', { body: { token: invited.json.token, password } })
    const own = { userId: json.user_id, tenantId: json.joined_tenant_id }
    return {
      read: { email },
      theirs: { email: `theirs-${email}` },
      mine: { email: `mine-${email}` },
      other: null,
      save: (change) => api.call('changeEmail', { as: own, body: { ...change, current_password: password } }),
    }
  },
  async webhook(api, as) {
    const body = { url: 'https://hooks.example.com/old', events: ['bundle.changed'] }
    const { json } = await api.call('createWebhook', { as, body })
    return {
      read: json,
      theirs: { events: ['bundle.changed', 'key.changed'] },
      mine: { events: [] },
      other: { description: 'after' },
      save: (change) => api.call('updateWebhook', { as, params: { webhook_id: json.id }, body: change }),
    }
  },
  async 'rules of a bundle'(api, as) {
    const made = await api.call('createBundle', { as, body: { name: `dev/${randomUUID()}` } })
    const params = { bundle_id: made.json.id }
    const { json } = await api.call('getBundlePolicy', { as, params })
    return {
      read: { ...json.bundle, production: json.production },
      theirs: { assurance: 'local' },
      mine: { assurance: 'compat' },
      other: { production: 'yes' },
      save: (change) => api.call('changeBundlePolicy', { as, params, body: change }),
    }
  },
  async 'rules of a workspace'(api, as) {
    const { json } = await api.call('getTenantPolicy', { as })
    return {
      read: json.workspace,
      theirs: { agents: 'deny' },
      mine: { agents: 'remember' },
      other: { remember_hours: 1 },
      save: (change) => api.call('changeTenantPolicy', { as, body: change }),
    }
  },
  async workspace(api, as) {
    const { json } = await api.call('getMe', { as })
    return {
      read: { name: json.tenant.name },
      theirs: { name: 'theirs' },
      mine: { name: 'mine' },
      other: null,
      save: (body) => api.call('renameTenant', { as, params: { tenant_id: json.tenant.id }, body }),
    }
  },
  async member(api, as) {
    const { userId } = await joinWorkspace(api, as, 'member')
    return {
      read: { role: 'member' },
      theirs: { role: 'owner' },
      mine: { role: 'member' },
      other: null,
      save: (body) => api.call('changeMemberRole', { as, params: { user_id: userId }, body }),
    }
  },
}

const seen = ({ read }: Edited, change: Fields) =>
  Object.fromEntries(Object.keys(change).map((field) => [field, read[field]]))

describe.each(oneDatabase)('changes of what was read, on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())

  describe.each(Object.entries(RECORDS))('%s', (_, create) => {
    test('a field that another person changed is not overwritten, and the answer says what it is now', async () => {
      const edited = await create(api, await api.newOwner())
      expect((await edited.save(edited.theirs)).status).toBe(200)
      const refused = await edited.save({ ...edited.mine, expected: seen(edited, edited.mine) })
      expect(refused).toMatchObject({
        status: 409,
        json: { code: 'changed', details: { fields: Object.keys(edited.theirs), current: edited.theirs } },
      })
      // Nothing of the refused change is stored.
      expect((await edited.save({ ...edited.theirs, expected: edited.theirs })).status).toBe(200)
    })

    test('other fields are saved beside it, and a client that expects nothing is served as before', async () => {
      const edited = await create(api, await api.newOwner())
      await edited.save(edited.theirs)
      const { other, mine } = edited
      if (other !== null) {
        expect((await edited.save({ ...other, expected: seen(edited, other) })).status).toBe(200)
        expect((await edited.save({ ...edited.theirs, expected: edited.theirs })).status).toBe(200)
      }
      expect((await edited.save(mine)).status).toBe(200)
    })

    test('a change that is there already is no conflict: a repeated call succeeds', async () => {
      const edited = await create(api, await api.newOwner())
      const change = { ...edited.theirs, expected: seen(edited, edited.theirs) }
      expect((await edited.save(change)).status).toBe(200)
      expect((await edited.save(change)).status).toBe(200)
    })
  })

  test('a bundle that another owner took from a machine does not return with a change of what it may do', async () => {
    const as = await api.newOwner()
    const machine = await api.call('createMachine', { as, body: { name: 'ci' } })
    const made = await api.call('createBundle', { as, body: { name: 'dev/app' } })
    const params = { machine_id: machine.json.id, bundle_id: made.json.id }
    const grant = (scope: string, before: string | null) =>
      api.call('grantBundle', { as, params, body: { scope, expected: { scope: before } } })
    expect((await grant('read', null)).status).toBe(200)
    await api.call('revokeBundle', { as, params })
    const refused = await grant('deliver', 'read')
    expect([refused.status, refused.failure?.details]).toEqual([
      409,
      { fields: ['scope'], current: { scope: null } },
    ])
    expect((await grant('deliver', null)).status).toBe(200)
    // Another owner gave it already, with fewer rights.
    expect((await grant('read', null)).status).toBe(409)
  })

  test('of two changes at once that expect the same, one wins', async () => {
    const edited = await bundle(api, await api.newOwner())
    const expected = { tags: 'dev' }
    const tags = ['a', 'b', 'c', 'd', 'e', 'f']
    const saved = await Promise.all(tags.map((tag) => edited.save({ tags: tag, expected })))
    const statuses = saved.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
  })
})
