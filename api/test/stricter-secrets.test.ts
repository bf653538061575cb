import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newMachine, type TestMachine } from './machine-client.ts'

// A bundle with rules contains a secret and a public value, and a bundle for machines shares both.
describe.each(oneDatabase)('secrets that machines get under weaker rules on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let machine: TestMachine
  let ruled: string
  let shared: string
  let secret: string
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    machine = await newMachine(api, owner)
    ruled = await newBundle()
    shared = await newBundle()
    secret = await newKey('SECRET')
    const open = await newKey('HOST', false)
    for (const key_id of [secret, open]) {
      await attach(ruled, key_id)
      await attach(shared, key_id, { as: `IN_${key_id.slice(-4)}` })
    }
    await rule(ruled, { approvers: 'owner' })
  })

  const newNamed = async () =>
    (await api.call('createBundle', { as: owner, body: { name: randomUUID() } })).json
  const newBundle = async () => (await newNamed()).id
  const newKey = async (name: string, is_secret = true) =>
    (await api.call('createKey', { as: owner, body: { name, value: name, is_secret } })).json.id
  const attach = async (bundle_id: string, key_id: string, body = {}) =>
    (await api.call('attachKey', { as: owner, params: { bundle_id, key_id }, body })).json
  const rule = (bundle_id: string, body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body })
  const grant = async (bundle_id: string, scope = 'deliver') => {
    const params = { machine_id: machine.id, bundle_id }
    return (await api.call('grantBundle', { as: owner, params, body: { scope } })).json
  }
  const stricterIn = async (bundle_id: string) =>
    (await api.call('getBundlePolicy', { as: owner, params: { bundle_id } })).json.stricter
  const asked = async (bundle_id: string) => {
    const body = { key_ids: [secret], bundle_id }
    return (await api.call('findKeyUses', { as: owner, body })).json.stricter
  }

  test('a bundle that would contain copies names them, with machines or without', async () => {
    const body = { key_ids: [secret], bundle_id: shared }
    const found = async () => (await api.call('findKeyUses', { as: owner, body })).json
    expect(await found()).toMatchObject({ stricter: [], weaker: ['SECRET'] })
    await rule(shared, { approvers: 'owner' })
    expect(await found()).toMatchObject({ stricter: [], weaker: [] })
  })

  test('a grant names them, and the rules of the bundle do before it', async () => {
    const names = [`IN_${secret.slice(-4)}`]
    expect(await stricterIn(shared)).toEqual(names)
    expect(await grant(shared, 'read')).toEqual({ ok: true, stricter: [] })
    expect(await grant(shared)).toEqual({ ok: true, stricter: names })
    expect(await stricterIn(ruled)).toEqual([])
    expect((await grant(ruled)).stricter).toEqual([])
    await rule(shared, { approvers: 'owner' })
    expect([await stricterIn(shared), (await grant(shared)).stricter]).toEqual([[], []])
  })

  test('an attachment to a bundle of a machine names them, and so does the question before it', async () => {
    const [granted, free] = [await newBundle(), await newBundle()]
    await grant(granted)
    expect([await asked(granted), await asked(free)]).toEqual([['SECRET'], []])
    expect((await attach(free, secret)).stricter).toEqual([])
    expect(await attach(granted, secret)).toEqual({ ok: true, message: 'key attached', stricter: ['SECRET'] })
    expect((await attach(granted, await newKey('OWN'))).stricter).toEqual([])
  })

  test('another key in the place of one names it', async () => {
    const granted = await newBundle()
    await grant(granted)
    const [own, next] = [await newKey('OWN'), await newKey('NEXT')]
    await attach(granted, own)
    const replace = async (key_id: string, to: object) =>
      (await api.call('changeAttachment', { as: owner, params: { bundle_id: granted, key_id }, body: to }))
        .json
    expect(await replace(own, { key_id: next })).toEqual({ ok: true, stricter: [] })
    expect(await replace(next, { key_id: secret })).toEqual({ ok: true, stricter: ['SECRET'] })
    expect(await replace(secret, { required: true })).toEqual({ ok: true, stricter: [] })
  })

  test('an import that shares them names them in its plan and when it is done', async () => {
    const [granted, free] = [await newNamed(), await newNamed()]
    await grant(granted.id)
    const entries = [{ name: 'SECRET', value: 'other' }]
    const bring = async (bundle: string, how: object) =>
      (await api.call('importVariables', { as: owner, body: { bundle, entries, ...how } })).json.stricter
    expect(await bring(granted.name, { share: ['SECRET'], dry_run: true })).toEqual(['SECRET'])
    expect(await bring(granted.name, { own: ['SECRET'], dry_run: true })).toEqual([])
    expect(await bring(granted.name, { share: ['SECRET'] })).toEqual(['SECRET'])
    expect(await bring(free.name, { share: ['SECRET'] })).toEqual([])
  })

  test('a copy that comes under weaker rules leaves their names in the audit log', async () => {
    const name = `IN_${secret.slice(-4)}`
    const source = (await api.call('getBundle', { as: owner, params: { bundle_id: shared } })).json.name
    const duplicate = async (bundle_id: string, body: object) =>
      (
        await api.call('duplicateBundle', {
          as: owner,
          params: { bundle_id },
          body: { name: randomUUID(), ...body },
        })
      ).json.id
    const recorded = async (
      target: string,
      action: 'bundle.split' | 'bundle.imported' | 'bundle.duplicated',
    ) => {
      const { json } = await api.call('listAudit', { as: owner, query: { target, action } })
      return json.map(({ data }) => data['weaker'])
    }
    const duplicated = [
      await duplicate(shared, { own: [name] }),
      await duplicate(shared, { values: { [name]: 'other' } }),
      await duplicate(shared, {}),
      await duplicate(ruled, { own: ['SECRET'] }),
    ]
    const seen = await Promise.all(duplicated.map((id) => recorded(id, 'bundle.duplicated')))
    expect(seen).toEqual([[['SECRET']], [undefined], [undefined], [undefined]])

    const imported = await newNamed()
    const entries = [{ name, from: source }]
    for (const own of [[name], []])
      await api.call('importVariables', { as: owner, body: { bundle: imported.name, entries, own } })
    expect(await recorded(imported.id, 'bundle.imported')).toEqual([['SECRET']])

    const split = { as: owner, params: { bundle_id: shared, key_id: secret } }
    await api.call('splitKey', { ...split, body: {} })
    expect(await recorded(shared, 'bundle.split')).toEqual([['SECRET']])
    await rule(duplicated[2] ?? '', { approvers: 'owner' })
    await api.call('splitKey', {
      as: owner,
      params: { ...split.params, bundle_id: duplicated[2] ?? '' },
      body: {},
    })
    expect(await recorded(duplicated[2] ?? '', 'bundle.split')).toEqual([undefined])
  })

  test('several keys at once: the secrets among them that have stricter rules', async () => {
    const granted = await newBundle()
    await grant(granted)
    const batch = { key_ids: [secret, await newKey('OWN')], bundle_id: granted }
    const change = async (action: string) =>
      (await api.call('changeKeys', { as: owner, body: { ...batch, action } })).json
    expect(await change('attach')).toEqual({ changed: 2, unchanged: 0, stricter: ['SECRET'] })
    expect((await change('detach')).stricter).toEqual([])
  })
})

test.each(oneDatabase)(
  'a copy under a rule that the server makes anyway leaves no name in the log on %s',
  async (kind) => {
    const api = await startTestApi(kind, { approvalAssurance: 'bound' })
    const as = await api.newOwner()
    const newBundle = async () =>
      (await api.call('createBundle', { as, body: { name: randomUUID() } })).json.id
    const [ruled, plain] = [await newBundle(), await newBundle()]
    const { json: key } = await api.call('createKey', { as, body: { name: 'SECRET', value: 'v' } })
    for (const bundle_id of [ruled, plain])
      await api.call('attachKey', { as, params: { bundle_id, key_id: key.id }, body: {} })
    const recorded = async (rules: Record<string, unknown>) => {
      await api.call('changeBundlePolicy', { as, params: { bundle_id: ruled }, body: rules })
      const body = { name: randomUUID(), own: ['SECRET'] }
      const { json } = await api.call('duplicateBundle', { as, params: { bundle_id: plain }, body })
      const query = { target: json.id, action: 'bundle.duplicated' } as const
      return (await api.call('listAudit', { as, query })).json[0]?.data['weaker']
    }
    expect(await recorded({ assurance: 'bound' })).toBeUndefined()
    expect(await recorded({ approvers: 'owner' })).toEqual(['SECRET'])
    await api.close()
  },
)
