import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { ComposedLibrary } from './composed-library.ts'
import { approveDeposit, bundleValues, DepositClient, planOf, storeDeposit } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'

const actionsIn = (json: { action: string }[]) => json.map(({ action }) => action).toSorted()

describe.each(oneDatabase)('names that an import or a deposit removes, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
  })

  const importing = (body: object, as = owner) => api.call('importVariables', { as, body })
  const keysOf = async (bundle_id: string) =>
    (await api.call('listBundleKeys', { as: owner, params: { bundle_id } })).json
  const events = async (limit: number) =>
    (await api.call('listAudit', { as: owner, query: { limit: String(limit) } })).json

  test('a deposit removes names and stores values in one step; keys and other bundles stay', async () => {
    const bundle = await newBundle(api, owner, { OLD: 'old', KEEP: '1', GONE: 'gone' })
    await importing({ bundle: 'other', entries: [{ name: 'OLD', value: 'old' }], share: ['OLD'] })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, { FRESH: 'new' }, { detach: ['GONE', 'OLD'] })
    const plan = await planOf(api, owner, id)
    expect(plan.json.plan).toMatchObject([
      { name: 'FRESH', action: 'create' },
      { name: 'GONE', action: 'detach', shared_total: 0, choices: [] },
      { name: 'OLD', action: 'detach', shared_with: ['other'] },
    ])
    expect((await storeDeposit(api, owner, { client, requestId: id })).status).toBe(200)
    expect((await client.waits(id)).json).toMatchObject({ deposit: { counts: { create: 1, detach: 2 } } })
    expect((await keysOf(bundle.id)).map(({ name, order }) => [name, order])).toEqual([
      ['KEEP', 0],
      ['FRESH', 1],
    ])
    const library = (await api.call('listKeys', { as: owner })).json.map(({ name }) => name)
    expect(library.toSorted()).toEqual(['FRESH', 'GONE', 'KEEP', 'OLD'])
    expect(await bundleValues(api, owner, 'other')).toEqual({ OLD: 'old' })
  })

  test('a deposit may only remove; its events are those of the page', async () => {
    const bundle = await newBundle(api, owner, { A_REMOVED: '1', B_KEPT: '2' })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, {}, { detach: ['A_REMOVED'] })
    await storeDeposit(api, owner, { client, requestId: id })
    const newest = await events(3)
    expect(actionsIn(newest)).toEqual(['bundle.detached', 'deposit.applied', 'deposit.approved'])
    expect(newest.find(({ action }) => action === 'bundle.detached')).toMatchObject({
      data: { key: { name: 'A_REMOVED' } },
    })
    expect(newest.find(({ action }) => action === 'deposit.applied')).toMatchObject({ data: { removed: 1 } })
    expect(newest.find(({ action }) => action === 'deposit.approved')).toMatchObject({
      data: { names: ['A_REMOVED'], removed: 1 },
    })
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ B_KEPT: '2' })
  })

  test('a value that is not secret is shown before it goes, a secret one is not', async () => {
    const bundle = await newBundle(api, owner, {
      HIDDEN: 'old-secret',
      OPEN: { value: 'info', is_secret: false },
    })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, {}, { detach: ['HIDDEN', 'OPEN'] })
    const plan = await planOf(api, owner, id)
    expect(plan.json.plan.map(({ old_value }) => old_value)).toEqual([undefined, 'info'])
    expect(plan.text).not.toContain('old-secret')
  })

  test('a name that the bundle does not deliver is an error of the plan that names it', async () => {
    const bundle = await newBundle(api, owner, { HERE: '1' })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, {}, { detach: ['HERE', 'NOT_HERE'] })
    const plan = await planOf(api, owner, id)
    expect([plan.status, plan.failure?.error]).toEqual([
      400,
      `the bundle ${bundle.name} does not deliver the names to remove: NOT_HERE`,
    ])
    expect((await planOf(api, owner, await client.deposit('no/such', {}, { detach: ['HERE'] }))).status).toBe(
      400,
    )
    expect((await api.call('listBundles', { as: owner, query: { query: 'no/such' } })).json).toEqual([])
  })

  test('an added name makes a sealed deposit invalid', async () => {
    const bundle = await newBundle(api, owner, { TARGET: '1' })
    const client = new DepositClient(api)
    const body = await client.body(bundle.name, { HARMLESS: '1' })
    const changed = { ...body, deposit: { ...body.deposit, detach: ['TARGET'] } }
    const id = await new DepositClient(api).asked(changed)
    expect((await planOf(api, owner, id)).failure?.code).toBe('deposit_damaged')
  })

  test('a name twice, no name at all, and more than 1,000 are refused', async () => {
    const client = new DepositClient(api)
    const refused = async (values: Record<string, string>, detach: string[]) =>
      (await new DepositClient(api).ask(await client.body('dev/app', values, { detach }))).status
    expect(await refused({ A: '1' }, ['A'])).toBe(400)
    expect(await refused({}, ['A', 'A'])).toBe(400)
    expect(await refused({}, [])).toBe(400)
    expect(
      await refused(
        { A: '1' },
        Array.from({ length: 1_000 }, (_, index) => `N${index}`),
      ),
    ).toBe(400)
    expect((await importing({ bundle: 'dev/app', entries: [] })).status).toBe(400)
  })

  test('a name that was removed after the plan was shown makes a new plan', async () => {
    const bundle = await newBundle(api, owner, { RACED: '1', STAYS: '2' })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, { ADDED: '1' }, { detach: ['RACED'] })
    const { plan_id } = (await planOf(api, owner, id)).json
    await importing({ bundle: 'other', entries: [{ name: 'RACED', value: '1' }], share: ['RACED'] })
    const params = { request_id: id }
    const stale = await api.call('approveDeposit', { as: owner, params, body: { plan_id, release: 'code' } })
    expect(stale.failure?.code).toBe('plan_changed')
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ RACED: '1', STAYS: '2' })
  })

  test('a held removal removes nothing until the approval returns', async () => {
    const bundle = await newBundle(api, owner, { HELD_NAME: '1', STAYS: '2' })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, {}, { detach: ['HELD_NAME'] })
    const held = await approveDeposit(api, owner, { requestId: id, release: 'code' })
    expect((await keysOf(bundle.id)).map(({ name }) => name)).toEqual(['HELD_NAME', 'STAYS'])
    await client.release(id, secretOf(held.json))
    expect((await keysOf(bundle.id)).map(({ name }) => name)).toEqual(['STAYS'])
  })

  test('a member removes names only from a bundle that they created', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const bundle = await newBundle(api, owner, { OWNED: '1' })
    const removing = { bundle: bundle.name, entries: [], detach: ['OWNED'] }
    expect((await importing(removing, member)).status).toBe(403)
    await importing({ bundle: 'theirs', entries: [{ name: 'MINE', value: '1' }] }, member)
    const own = await importing({ bundle: 'theirs', entries: [], detach: ['MINE'] }, member)
    expect([own.status, own.json.plan[0]?.action]).toEqual([200, 'detach'])
  })

  test('an inline item is not removed: it has to be converted first', async () => {
    const bundle = await newBundle(api, owner, {})
    const params = { bundle_id: bundle.id }
    await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'INLINE', value: '1' } })
    const refused = await importing({ bundle: bundle.name, entries: [], detach: ['INLINE'] })
    expect([refused.status, refused.failure?.error]).toEqual([
      409,
      'the bundle has inline items: convert them into keys first: INLINE',
    ])
  })

  test('a composed value that loses a part is not called the same', async () => {
    const bundle = await newBundle(api, owner, { PART: 'db' })
    const made = await api.call('createKey', {
      as: owner,
      body: { name: 'COMPOSED', value: 'http://${PART}', is_template: true },
    })
    const params = { bundle_id: bundle.id, key_id: made.json.id }
    await api.call('attachKey', { as: owner, params, body: {} })
    const entries = [{ name: 'COMPOSED', value: 'http://db' }]
    const whole = await importing({ bundle: bundle.name, entries, dry_run: true })
    expect(whole.json.plan[0]?.action).toBe('same')
    const broken = await importing({ bundle: bundle.name, entries, detach: ['PART'], dry_run: true })
    expect(broken.json.plan.map(({ action }) => action)).toEqual(['kept', 'detach'])
  })

  test('the plan names what the bundle cannot compose without a removed name', async () => {
    const library = new ComposedLibrary(api, owner)
    const name = 'prod/app'
    const bundle = await library.bundle(name)
    await library.has(bundle, 'PASSWORD', 's3cret')
    await library.has(bundle, 'ADDRESS', 'pg://${PASSWORD}', { is_template: true })
    const removing = { bundle: name, detach: ['PASSWORD'], dry_run: true }
    const { json } = await importing({ ...removing, entries: [] })
    expect(json.plan).toMatchObject([{ name: 'PASSWORD', action: 'detach', breaks: ['ADDRESS'] }])
    const entries = [{ name: 'ADDRESS', value: 'pg://other' }]
    const written = await importing({ ...removing, entries, replace: ['ADDRESS'] })
    expect(written.json.plan.map(({ action, breaks }) => [action, breaks])).toEqual([
      ['update', undefined],
      ['detach', undefined],
    ])
    const both = await importing({ ...removing, entries: [], detach: ['PASSWORD', 'ADDRESS'] })
    expect(both.json.plan.map(({ breaks }) => breaks)).toEqual([undefined, undefined])
  })
})
