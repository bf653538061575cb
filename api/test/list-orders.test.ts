import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../plumbing/test/until.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith } from './approval-client.ts'
import { DepositClient, propose } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { fetchValues, newMachine } from './machine-client.ts'
import { ReturningClient } from './returning-client.ts'

const MADE = ['m', 'z', 'a']
const BY_NAME = ['a', 'm', 'z']
const OLDEST_FIRST = ['m', 'z', 'a']
const NEWEST_FIRST = ['a', 'z', 'm']
const MINUTE = 60_000

const created = (entries: { action: string; target: { name: string | null } }[]) =>
  entries.filter(({ action }) => action === 'bundle.created').map(({ target }) => target.name)

/** What is made one minute after the other, by its name, and how a list shows it. */
describe.each(oneDatabase)('the order of lists on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let nowMs = Date.now()
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now: () => new Date(nowMs) })
  })
  afterAll(() => api.close())

  const each = async (make: (name: string) => Promise<unknown>) => {
    owner = await api.newOwner()
    for (const name of MADE) {
      nowMs += MINUTE
      await make(name)
    }
  }
  const store = (bundle: string, values: Record<string, string>) => {
    const entries = Object.entries(values).map(([name, value]) => ({ name, value }))
    return api.call('importVariables', { as: owner, body: { bundle, entries } })
  }
  const idOf = async (bundle: string) =>
    (await api.call('listBundles', { as: owner, query: { query: bundle } })).json[0]?.id ?? ''
  const approve = async (bundle: string, as = owner) => {
    const client = new ReturningClient(api)
    const requestId = await client.request()
    const choice = { requestId, bundle_id: await idOf(bundle), include_keys: [bundle.toUpperCase()] }
    expect((await approveWith(api, as, choice)).status).toBe(200)
    return { client, requestId }
  }

  test('bundles, by name', async () => {
    await each((name) => api.call('createBundle', { as: owner, body: { name } }))
    const { json } = await api.call('listBundles', { as: owner })
    expect(json.map(({ name }) => name)).toEqual(BY_NAME)
  })

  test('keys, by name', async () => {
    await each((name) => api.call('createKey', { as: owner, body: { name, value: 'v' } }))
    const { json } = await api.call('listKeys', { as: owner })
    expect(json.map(({ name }) => name)).toEqual(BY_NAME)
  })

  test('the bundles of a key, by name', async () => {
    const key = { id: '' }
    await each(async (name) => {
      if (key.id === '')
        key.id = (await api.call('createKey', { as: owner, body: { name: 'K', value: 'v' } })).json.id
      const { id: bundle_id } = (await api.call('createBundle', { as: owner, body: { name } })).json
      await api.call('attachKey', { as: owner, params: { bundle_id, key_id: key.id } })
    })
    const { json } = await api.call('getKey', { as: owner, params: { key_id: key.id } })
    expect(json.bundles.map(({ name }) => name)).toEqual(BY_NAME)
    const [listed] = (await api.call('listKeys', { as: owner, query: { uses: '1' } })).json
    expect(listed?.bundles).toEqual(json.bundles)
  })

  test('the keys of a bundle, as they were attached', async () => {
    const bundle = { id: '' }
    await each(async (name) => {
      if (bundle.id === '')
        bundle.id = (await api.call('createBundle', { as: owner, body: { name: 'b' } })).json.id
      const key = await api.call('createKey', { as: owner, body: { name, value: 'v' } })
      await api.call('attachKey', { as: owner, params: { bundle_id: bundle.id, key_id: key.json.id } })
    })
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })
    expect(json.map(({ name }) => name)).toEqual(OLDEST_FIRST)
  })

  test('machines, by name', async () => {
    await each((name) => api.call('createMachine', { as: owner, body: { name } }))
    const { json } = await api.call('listMachines', { as: owner })
    expect(json.map(({ name }) => name)).toEqual(BY_NAME)
  })

  test('the bundles of a machine, by name', async () => {
    const machine = { id: '' }
    await each(async (name) => {
      if (machine.id === '')
        machine.id = (await api.call('createMachine', { as: owner, body: { name: 'x' } })).json.id
      const { id: bundle_id } = (await api.call('createBundle', { as: owner, body: { name } })).json
      const params = { machine_id: machine.id, bundle_id }
      await api.call('grantBundle', { as: owner, params, body: { scope: 'read' } })
    })
    const { json } = await api.call('getMachine', { as: owner, params: { machine_id: machine.id } })
    expect(json.grants.map(({ bundle }) => bundle.name)).toEqual(BY_NAME)
  })

  test('the tokens of a machine, the oldest first', async () => {
    const machine = { id: '' }
    const made: string[] = []
    await each(async () => {
      if (machine.id === '')
        machine.id = (await api.call('createMachine', { as: owner, body: { name: 'x' } })).json.id
      const params = { machine_id: machine.id }
      made.push((await api.call('createMachineToken', { as: owner, params, body: {} })).json.id)
    })
    const { json } = await api.call('getMachine', { as: owner, params: { machine_id: machine.id } })
    expect(json.tokens.map(({ id }) => id)).toEqual(made)
  })

  test('groups, by name', async () => {
    await each((name) => api.call('createGroup', { as: owner, body: { name, people: [] } }))
    const { json } = await api.call('listGroups', { as: owner })
    expect(json.map(({ name }) => name)).toEqual(BY_NAME)
  })

  test('members, by name', async () => {
    await each(() => joinWorkspace(api, owner, 'member'))
    const names = (await api.call('listMembers', { as: owner })).json.map(({ username }) => username)
    expect(names).toHaveLength(4)
    expect(names).toEqual(names.toSorted())
  })

  test('owners who may accept a proposal, by name', async () => {
    await each(() => joinWorkspace(api, owner, 'owner'))
    const member = await joinWorkspace(api, owner, 'member')
    await store('app', { APP: 'v' })
    const params = { bundle_id: await idOf('app') }
    await api.call('changeBundlePolicy', { as: owner, params, body: { changers: 'owner' } })
    const client = new DepositClient(api)
    const requestId = await client.deposit('app', { APP: 'w' })
    const { json } = await api.call('planDeposit', { as: member, params: { request_id: requestId } })
    expect(json.proposal?.owners).toHaveLength(4)
    expect(json.proposal?.owners).toEqual(json.proposal?.owners.toSorted())
  })

  test('workspaces, by name', async () => {
    await each((name) => api.call('createTenant', { as: owner, body: { name } }))
    const names = (await api.call('listTenants', { as: owner })).json.map(({ name }) => name)
    expect(names.filter((name) => MADE.includes(name))).toEqual(BY_NAME)
  })

  test('invitations, the newest first', async () => {
    await each((name) =>
      api.call('createInvitation', { as: owner, body: { email: `${name}@example.com`, role: 'member' } }),
    )
    const { json } = await api.call('listInvitations', { as: owner })
    expect(json.map(({ email }) => email[0])).toEqual(NEWEST_FIRST)
  })

  test('deliveries, the newest first', async () => {
    await each(async (name) => {
      await store(name, { [name.toUpperCase()]: 'v' })
      await approve(name)
    })
    const { json } = await api.call('listDeliveries', { as: owner })
    expect(json.map(({ bundle }) => bundle.name)).toEqual(NEWEST_FIRST)
  })

  test('the activity, the newest first, of the workspace and of oneself', async () => {
    await each((name) => api.call('createBundle', { as: owner, body: { name } }))
    const query = { action: 'bundle.created' }
    const all = await api.call('listAudit', { as: owner, query })
    expect(all.json.map(({ target }) => target.name)).toEqual(NEWEST_FIRST)
    const own = (await api.call('listOwnAudit', { as: owner })).json
    const bundles = own.filter(({ action }) => action === 'bundle.created')
    expect(bundles.map(({ target }) => target.name)).toEqual(NEWEST_FIRST)
  })

  test('the appended activity, the newest first', async () => {
    await each((name) => api.call('createBundle', { as: owner, body: { name } }))
    await eventually(async () => {
      const { json } = await api.call('listAudit', { as: owner })
      expect(json.every(({ sealed }) => sealed)).toBe(true)
    })
    for (const query of [{}, { action: 'bundle.created' }, { actor: owner.userId }])
      expect(created((await api.call('listAudit', { as: owner, query })).json)).toEqual(NEWEST_FIRST)
  })

  test('the versions of a key, the newest first', async () => {
    const key = { id: '' }
    await each(async (value) => {
      if (key.id === '')
        key.id = (await api.call('createKey', { as: owner, body: { name: 'K', value } })).json.id
      else await api.call('updateKey', { as: owner, params: { key_id: key.id }, body: { value } })
    })
    const { json } = await api.call('listKeyVersions', { as: owner, params: { key_id: key.id } })
    expect(json.map(({ version }) => version)).toEqual([3, 2, 1])
  })

  test('proposals and what waits for a decision, the newest first', async () => {
    let member: Identity | null = null
    await each(async (name) => {
      member ??= await joinWorkspace(api, owner, 'member')
      const key = name.toUpperCase()
      await store(name, { [key]: 'v' })
      await propose(api, member, { bundle: name, values: { [key]: 'w' } })
    })
    const proposals = await api.call('listProposals', { as: owner })
    expect(proposals.json.map(({ bundle }) => bundle.name)).toEqual(NEWEST_FIRST)
    const { json } = await api.call('listWaiting', { as: owner })
    const names = json.map((item) => (item.kind === 'proposal' ? item.proposal.bundle : item.bundle)?.name)
    expect(names).toEqual(NEWEST_FIRST)
  })

  test('requests and proposals wait in one order, the newest first', async () => {
    let member: Identity | null = null
    await each(async (name) => {
      member ??= await joinWorkspace(api, owner, 'member')
      const key = name.toUpperCase()
      await store(name, { [key]: 'v' })
      const params = { bundle_id: await idOf(name) }
      if (name === 'z') await propose(api, member, { bundle: name, values: { [key]: 'w' } })
      else {
        await api.call('changeBundlePolicy', { as: owner, params, body: { approvals_needed: 2 } })
        await approve(name, member)
      }
    })
    const { json } = await api.call('listWaiting', { as: owner })
    expect(json.map(({ kind: what }) => what)).toEqual(['second_approval', 'proposal', 'second_approval'])
    expect(json.map(({ at }) => at)).toEqual(
      json
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    )
  })

  test('webhooks, the oldest first', async () => {
    await each((name) => {
      const body = { url: `https://${name}.example.com/`, events: ['bundle.created'] }
      return api.call('createWebhook', { as: owner, body })
    })
    const { json } = await api.call('listWebhooks', { as: owner })
    expect(json.map(({ url }) => new URL(url).hostname[0])).toEqual(OLDEST_FIRST)
  })

  test('values that a person typed, secrets first, then by name', async () => {
    await each((name) =>
      api.call('createKey', { as: owner, body: { name, value: 'v', is_secret: name !== 'a' } }),
    )
    const { json } = await api.call('listTypedValues', { as: owner, params: { user_id: owner.userId } })
    expect(json.map(({ key }) => key.name)).toEqual(['m', 'z', 'a'])
  })

  test('what a machine holds, secrets first, then by name', async () => {
    await each(async () => undefined)
    await store('b', { Z: 'v', M: 'v', A: 'v' })
    const [key] = (await api.call('listKeys', { as: owner, query: { query: 'A' } })).json
    await api.call('updateKey', { as: owner, params: { key_id: key?.id ?? '' }, body: { is_secret: false } })
    const machine = await newMachine(api, owner)
    const params = { machine_id: machine.id, bundle_id: await idOf('b') }
    await api.call('grantBundle', { as: owner, params, body: { scope: 'deliver' } })
    expect((await fetchValues(api, { token: machine.token, bundle_id: 'b' })).answer.status).toBe(200)
    const { json } = await api.call('listMachineHoldings', { as: owner, params })
    expect(json.map(({ key: { name } }) => name)).toEqual(['M', 'Z', 'A'])
  })

  test('rows of a comparison, by name', async () => {
    await each((name) => store('one', { [name]: 'v' }))
    const id = await idOf('one')
    await store('two', { other: 'v' })
    const query: [string, string][] = [
      ['bundle_id', id],
      ['bundle_id', await idOf('two')],
    ]
    const { json } = await api.call('compareBundles', { as: owner, query })
    expect(json.rows.map(({ name }) => name)).toEqual(['a', 'm', 'other', 'z'])
  })
})
