import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/storage/base/database.ts'
import { type CallParts, expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'

type Entries = Record<string, string>

const entriesOf = (values: Entries) => Object.entries(values).map(([name, value]) => ({ name, value }))

describe.each(oneDatabase)('imports on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
  })

  const rule = async (bundle: string, body: object) => {
    const params = { bundle_id: await bundleId(bundle) }
    expect((await api.call('changeBundlePolicy', { as: owner, params, body })).status).toBe(200)
  }
  const versionsOf = async (key_id: string) =>
    (await api.call('listKeyVersions', { as: owner, params: { key_id } })).json

  const importing = (bundle: string, values: Entries, options: object = {}, as: Identity = owner) =>
    api.call('importVariables', { as, body: { bundle, entries: entriesOf(values), ...options } })
  const actions = async (bundle: string, values: Entries, options: object = {}) => {
    const { json, failure } = await importing(bundle, values, options)
    expect(failure).toBeNull()
    return Object.fromEntries(json.plan.map(({ name, action }) => [name, action]))
  }
  const bundleId = async (name: string) => {
    const { json } = await api.call('listBundles', { as: owner, query: { query: name } })
    return json.find((bundle) => bundle.name === name)?.id ?? ''
  }
  const delivered = async (name: string): Promise<unknown> => {
    const params = { bundle_id: await bundleId(name) }
    return (await api.call('exportBundle', { as: owner, params, query: { format: 'json', reveal: '1' } }))
      .json
  }
  const keyNames = async () => (await api.call('listKeys', { as: owner })).json.map(({ name }) => name)
  const expectRefused = ({ status, failure }: Awaited<ReturnType<typeof importing>>) =>
    expect([status, failure?.code]).toEqual([400, 'invalid'])
  const library = async () => ({
    keys: (await api.call('listKeys', { as: owner })).json,
    bundles: (await api.call('listBundles', { as: owner })).json,
  })

  test('a new bundle gets new keys in the order of the file, secret unless they are said to be public', async () => {
    const entries = [
      { name: 'B', value: '1' },
      { name: 'A', value: '2', is_secret: false },
    ]
    const { json } = await api.call('importVariables', { as: owner, body: { bundle: 'dev/app', entries } })
    expect(json.plan.map(({ action }) => action)).toEqual(['create', 'create'])
    const params = { bundle_id: json.bundle_id ?? '' }
    expect((await api.call('listBundleKeys', { as: owner, params })).json).toMatchObject([
      { name: 'B', key_name: 'B', is_secret: true, order: 0 },
      { name: 'A', key_name: 'A', is_secret: false, value: '2', order: 1 },
    ])
  })

  test('a plan reads no secret that is of another size than the entry, so many long ones cost nothing', async () => {
    await importing('dev/app', { A: 'x'.repeat(60_000) })
    const place = api.settings.databaseUrl ?? join(api.settings.dataDir, 'keyferry.db')
    const database = await openDatabase(place)
    const ofTenant = database.query.updateTable('keys').where('tenant_id', '=', owner.tenantId)
    // What is read now is refused as damaged; its size is as before.
    await ofTenant.set({ description: 'edited', is_secret: 1, value_version: 2 }).execute()
    await database.close()
    const planned = (length: number) =>
      importing('dev/app', { A: 'y'.repeat(length) }, { dry_run: true }).then(({ status }) => status)
    expect(await planned(59_999)).toBe(200)
    expect(await planned(60_000)).toBe(500)
  })

  test('another environment shares equal values and gets its own keys for the others', async () => {
    const dev = { DATABASE_URL: 'dev-db', SENTRY_DSN: 'dsn', PORT: '3000' }
    await importing('dev/app', dev)
    const before = await delivered('dev/app')
    const staging = { DATABASE_URL: 'prod-db', SENTRY_DSN: 'dsn', REGION: 'eu' }
    const { json } = await importing('staging/app', staging)
    expect(json.plan).toMatchObject([
      {
        name: 'DATABASE_URL',
        action: 'own',
        key_name: 'STAGING_APP_DATABASE_URL',
        shared_with: ['dev/app'],
        shared_total: 1,
      },
      { name: 'SENTRY_DSN', action: 'share', key_name: 'SENTRY_DSN', shared_with: ['dev/app'] },
      { name: 'REGION', action: 'create', key_name: 'REGION', shared_total: 0, choices: [] },
    ])
    expect(await delivered('staging/app')).toEqual(staging)
    expect(await delivered('dev/app')).toEqual(before)
  })

  const firstIn = (bundle: string, is_secret: boolean) =>
    importing(bundle, {}, { entries: [{ name: 'A', value: '1', is_secret }] })
  const ruled = async (name: string, production: 'yes' | 'no') => {
    const { json } = await api.call('createBundle', { as: owner, body: { name } })
    const params = { bundle_id: json.id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { production } })
  }

  describe('an equal value is shared within one application', () => {
    test.each<[string, string, boolean, string]>([
      ['dev/app', 'staging/app', true, 'share'],
      ['dev/app', 'prod/app', true, 'own'],
      ['prod/app', 'dev/app', true, 'own'],
      ['prod/eu/app', 'prod/us/app', true, 'share'],
      ['dev/app', 'prod/app', false, 'share'],
      ['dev/shop', 'dev/app', true, 'own'],
      ['dev/shop', 'dev/app', false, 'own'],
      ['shop', 'app', false, 'own'],
      ['app', 'dev/app', false, 'own'],
    ])('from %s into %s, secret %j: %s', async (from, into, isSecret, action) => {
      await firstIn(from, isSecret)
      const entries = [{ name: 'A', value: '1', is_secret: isSecret }]
      expect(await actions(into, {}, { entries, dry_run: true })).toEqual({ A: action })
      expect(await actions(into, { A: '1' }, { share: ['A'] })).toEqual({ A: 'share' })
      expect(await actions(into, { A: '1' })).toEqual({ A: 'same' })
    })

    test('what an owner says of a bundle counts, and every bundle that contains the secret', async () => {
      await firstIn('dev/app', true)
      await ruled('live/app', 'yes')
      await api.call('createBundle', { as: owner, body: { name: 'qa/app', tags: 'production' } })
      await ruled('prod/app', 'no')
      expect(await actions('live/app', { A: '1' }, { dry_run: true })).toEqual({ A: 'own' })
      expect(await actions('qa/app', { A: '1' }, { dry_run: true })).toEqual({ A: 'own' })
      expect(await actions('prod/app', { A: '1' })).toEqual({ A: 'share' })
      expect(await actions('live/app', { A: '1' }, { share: ['A'] })).toEqual({ A: 'share' })
      expect(await actions('staging/app', { A: '1' })).toEqual({ A: 'own' })
    })

    test('a plan and a bundle say which secret production and another environment deliver', async () => {
      const both = {
        entries: [
          { name: 'A', value: '1' },
          { name: 'PUBLIC', value: '2', is_secret: false },
        ],
      }
      // More bundles than a plan names; the one for production comes last.
      const others = [1, 2, 3, 4, 5, 6].map((number) => `dev${number}/app`)
      for (const name of ['dev/app', ...others]) await importing(name, {}, { ...both, share: [] })
      const crossing = async (into: string, how: object) =>
        (await importing(into, {}, { ...both, dry_run: true, ...how })).json.plan.map(
          ({ crosses }) => crosses,
        )
      expect(await crossing('dev9/app', { share: ['A'] })).toEqual([undefined, undefined])
      expect(await crossing('prod/app', {})).toEqual([undefined, undefined])
      const { json } = await importing('prod/app', {}, { ...both, share: ['A'] })
      expect(json.plan).toMatchObject([{ name: 'A', action: 'share', crosses: true }, { name: 'PUBLIC' }])
      expect(json.plan[1]).not.toHaveProperty('crosses')
      expect(await crossing('dev9/app', { share: ['A'] })).toEqual([true, undefined])
      expect(await crossing('dev/app', { own: ['A'] })).toEqual([undefined, undefined])
      const shared = async () => {
        const params = { bundle_id: json.bundle_id ?? '' }
        return (await api.call('listSharedKeys', { as: owner, params })).json.filter(({ crosses }) => crosses)
      }
      expect(await shared()).toMatchObject([{ key_id: json.plan[0]?.key_id, shared_total: 7 }])
      const params = { bundle_id: json.bundle_id ?? '' }
      await api.call('changeBundlePolicy', { as: owner, params, body: { production: 'no' } })
      expect(await shared()).toEqual([])
      expect(await crossing('dev9/app', { share: ['A'] })).toEqual([undefined, undefined])
    })

    test('a key that no bundle uses is taken, and replace names an equal value without changing it', async () => {
      await api.call('createKey', { as: owner, body: { name: 'A', value: '1' } })
      expect(await actions('dev/app', { A: '1' })).toEqual({ A: 'share' })
      expect(await actions('prod/shop', { A: '1' }, { replace: ['A'] })).toEqual({ A: 'share' })
    })
  })

  test('the same import again writes nothing', async () => {
    await importing('dev/app', { A: '1', B: '2' })
    await importing('prod/app', { A: '1', B: '3' })
    const before = await library()
    expect(await actions('prod/app', { A: '1', B: '3' })).toEqual({ A: 'same', B: 'same' })
    expect(await library()).toEqual(before)
  })

  test('a key that only this bundle uses is updated', async () => {
    await importing('dev/app', { A: '1' })
    expect(await actions('dev/app', { A: '2' })).toEqual({ A: 'update' })
    expect([await delivered('dev/app'), await keyNames()]).toEqual([{ A: '2' }, ['A']])
  })

  test('a shared key that differs is split, in its place and with its mark', async () => {
    await importing('dev/app', { A: '1', B: '2' })
    await importing('staging/app', { A: '1', B: '2' })
    expect(await actions('staging/app', { A: 'x' })).toEqual({ A: 'own' })
    expect(await delivered('staging/app')).toEqual({ A: 'x', B: '2' })
    expect(await delivered('dev/app')).toEqual({ A: '1', B: '2' })
    const params = { bundle_id: await bundleId('staging/app') }
    expect((await api.call('listBundleKeys', { as: owner, params })).json).toMatchObject([
      { name: 'A', key_name: 'STAGING_APP_A', order: 0 },
      { name: 'B', key_name: 'B', order: 1 },
    ])
  })

  test.each([[['A']], ['all']])('replace %j changes a shared key for every bundle', async (replace) => {
    await importing('dev/app', { A: '1' })
    await importing('staging/app', { A: '1' })
    const { json } = await importing('staging/app', { A: 'x' }, { replace })
    expect(json.plan).toMatchObject([{ action: 'replace', shared_with: ['dev/app'] }])
    expect(await delivered('dev/app')).toEqual({ A: 'x' })
  })

  test('share uses the key that exists and leaves its value', async () => {
    await importing('dev/app', { A: '1' })
    expect(await actions('prod/app', { A: 'x' }, { share: ['A'] })).toEqual({ A: 'share' })
    expect(await delivered('prod/app')).toEqual({ A: '1' })
    expect(await actions('prod/app', { A: 'x' }, { share: ['A'] })).toEqual({ A: 'kept' })
    await importing('own/app', { OWN: '1' })
    const { failure } = await importing('own/app', { OWN: '2' }, { share: ['OWN'] })
    const error = 'share is not possible, because the bundle has its own key: detach the key first: OWN'
    expect(failure).toMatchObject({ error, code: 'invalid', details: { names: ['OWN'] } })
  })

  test('own makes a key although the value is equal', async () => {
    await importing('dev/app', { A: '1', B: '2' })
    expect(await actions('staging/app', { A: '1', B: '2' }, { own: ['A'] })).toEqual({ A: 'own', B: 'share' })
    expect(await actions('staging/app', { A: '1', B: '2' }, { own: ['A', 'B'] })).toEqual({
      A: 'same',
      B: 'own',
    })
    expect(await keyNames()).toEqual(['A', 'B', 'STAGING_APP_A', 'STAGING_APP_B'])
  })

  test('a key that the bundle delivers under another name is not used twice', async () => {
    await importing('dev/app', { A: '1' })
    const dev = await bundleId('dev/app')
    const [key] = (await api.call('listKeys', { as: owner })).json
    const params = { bundle_id: dev, key_id: key?.id ?? '' }
    await api.call('changeAttachment', { as: owner, params, body: { as: 'B' } })
    expect(await actions('dev/app', { A: '1' })).toEqual({ A: 'create' })
    expect(await delivered('dev/app')).toEqual({ B: '1', A: '1' })
    expect(await keyNames()).toEqual(['A', 'DEV_APP_A'])
    expect(await actions('staging/app', { A: '1', B: '1' })).toEqual({ A: 'share', B: 'create' })
    expect(await delivered('staging/app')).toEqual({ A: '1', B: '1' })
  })

  test('where several keys are delivered under a name, key_names chooses the one to share', async () => {
    await importing('dev/app', { A: '1' })
    await importing('prod/app', { A: '2' })
    const [key] = (await api.call('listKeys', { as: owner, query: { query: 'PROD' } })).json
    const other = await api.call('createBundle', { as: owner, body: { name: 'qa/app' } })
    const params = { bundle_id: other.json.id, key_id: key?.id ?? '' }
    await api.call('attachKey', { as: owner, params, body: { as: 'B' } })
    await importing('x', { B: '3' })
    const answer = await importing('staging/app', { B: 'x' }, { share: ['B'] })
    const message =
      'several keys are delivered under this name: choose one of PROD_APP_A, X_B with key_names: B'
    expectError(answer, 400, message, 'invalid')
    const choice = { share: ['B'], key_names: { B: 'PROD_APP_A' } }
    expect(await actions('staging/app', { B: 'x' }, choice)).toEqual({ B: 'share' })
    expect(await delivered('staging/app')).toEqual({ B: '2' })
  })

  test('a taken library name gets a number, and key_names chooses another', async () => {
    await api.call('createKey', { as: owner, body: { name: 'PROD_APP_A', value: 'other' } })
    await importing('dev/app', { A: '1', A_3: '1', B: '1' })
    const key_names = { B: 'PROD_APP_A_2' }
    const { json } = await importing('prod/app', { A: '2', A_3: '2', B: '2' }, { key_names })
    const names = json.plan.map(({ key_name }) => key_name)
    expect(names).toEqual(['PROD_APP_A_3', 'PROD_APP_A_3_2', 'PROD_APP_A_2'])
    for (const [key, name] of [
      ['PROD_APP_A_2', 'A'],
      ['QA_B', 'B'],
    ] as const) {
      const answer = await importing('qa/app', { A: '3', B: '3' }, { key_names: { A: 'QA_B', [name]: key } })
      const message = `the library has a key ${key}: choose another name for ${name} with key_names`
      expectError(answer, 409, message, 'name_taken')
    }
  })

  test('a library name that is too long asks for another', async () => {
    const name = 'A'.repeat(250)
    await importing('dev/app', { [name]: '1' })
    const answer = await importing('prod/app', { [name]: '2' })
    expect([answer.status, answer.failure?.details]).toMatchObject([400, { names: [name] }])
    expect(answer.failure?.error).toMatch(/choose a shorter one for A+ with key_names$/)
    expect(await bundleId('prod/app')).toBe('')
  })

  test('a mask keeps what the bundle delivers, and is refused where there is nothing to keep', async () => {
    await importing('dev/app', { A: '1', B: '2' })
    expect(await actions('dev/app', { A: '*****', B: 'x' })).toEqual({ A: 'kept', B: 'update' })
    expect(await delivered('dev/app')).toEqual({ A: '1', B: 'x' })
    const answer = await importing('dev/app', { A: 'y', C: '*****', D: '*****' })
    expect([answer.status, answer.failure?.details]).toEqual([400, { names: ['C', 'D'] }])
    expect(await delivered('dev/app')).toEqual({ A: '1', B: 'x' })
  })

  test('a dry run writes nothing, and its plan is carried out while it is true', async () => {
    await importing('dev/app', { A: '1' })
    const before = await library()
    const dry = await importing('prod/app', { A: '2' }, { dry_run: true })
    expect([dry.json.bundle_id, dry.json.plan[0]?.action]).toEqual([null, 'own'])
    expect(await library()).toEqual(before)
    const done = await importing('prod/app', { A: '2' }, { plan_id: dry.json.plan_id })
    expect([done.status, await delivered('prod/app')]).toEqual([200, { A: '2' }])
  })

  test('a plan that is no longer true changes nothing', async () => {
    await importing('dev/app', { A: '1' })
    const { plan_id } = (await importing('dev/app', { A: '2', B: '1' }, { dry_run: true })).json
    await importing('staging/app', { A: '1' })
    const answer = await importing('dev/app', { A: '2', B: '1' }, { plan_id })
    const message = 'the library changed after this import was planned: plan it again'
    expectError(answer, 409, message, 'plan_changed')
    expect(await delivered('dev/app')).toEqual({ A: '1' })
  })

  test.each<[string, object, string]>([
    [
      'a name twice',
      {
        entries: [
          { name: 'A', value: '' },
          { name: 'A', value: '' },
        ],
      },
      'an entry is given twice: A',
    ],
    ['two choices', { own: ['A'], share: ['A'] }, 'choose only one of own, share and replace: A'],
    ['an unknown name', { replace: ['Z'] }, 'own, share, replace and key_names must name entries: Z'],
    ['nothing to share', { share: ['A'] }, 'there is no key to share: leave these out of share: A'],
    ['no entries', { entries: [] }, 'entries must not be empty'],
    ['no list', { entries: 'A=1' }, 'entries must be a list of names and values'],
  ])('%s is refused', async (_, body, message) => {
    const call: CallParts = { as: owner, body: { bundle: 'x', entries: [{ name: 'A', value: '' }], ...body } }
    expectError(await api.call('importVariables', call), 400, message, 'invalid')
    expect(await bundleId('x')).toBe('')
  })

  test('a variable may have the name of a property of JavaScript objects', async () => {
    expect(await actions('dev/app', { constructor: '1', toString: '2' })).toEqual({
      constructor: 'create',
      toString: 'create',
    })
  })

  test('a legacy item is converted first', async () => {
    const { json } = await api.call('createBundle', { as: owner, body: { name: 'dev/app' } })
    const params = { bundle_id: json.id }
    await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'A', value: '1' } })
    const message = 'the bundle has inline items: convert them into keys first: A'
    expectError(await importing('dev/app', { A: '2' }), 409, message, 'conflict')
  })

  describe('into several bundles', () => {
    const NAME = 'NEW_URL'
    const adding = (entry: object, more: object[], options: object = {}, as = owner) =>
      api.call('importVariables', {
        as,
        body: { bundle: 'dev/shop', entries: [{ name: NAME, ...entry }], also: more, ...options },
      })
    const into = (bundle: string, entry: object, options: object = {}) => ({
      bundle,
      entries: [{ name: NAME, ...entry }],
      ...options,
    })

    test('a variable gets its own value in one, and the key of another in a third', async () => {
      const { json } = await adding({ value: 'dev' }, [
        into('prod/shop', { value: 'prod' }, { own: [NAME] }),
        into('staging/shop', { from: 'dev/shop' }),
      ])
      expect(json.plan).toMatchObject([{ action: 'create', key_name: NAME }])
      expect(json.also).toMatchObject([
        { plan: [{ action: 'own', key_name: 'PROD_SHOP_NEW_URL' }] },
        { plan: [{ action: 'share', key_name: NAME, shared_with: ['dev/shop'] }] },
      ])
      expect(await delivered('prod/shop')).toEqual({ [NAME]: 'prod' })
      expect(await delivered('staging/shop')).toEqual({ [NAME]: 'dev' })
    })

    test('all of it or nothing: a later refusal takes back what came before', async () => {
      const before = await library()
      const refused = await adding({ value: 'dev' }, [into('staging/shop', { from: 'no/bundle' })])
      expectRefused(refused)
      expect(refused.failure?.error).toContain(NAME)
      expect(await library()).toEqual(before)
    })

    test('has one plan, of which each import knows what those before it make, and which changes nothing', async () => {
      const before = await library()
      const also = [into('staging/shop', { value: 'one' }), into('prod/shop', { value: 'two' })]
      const { json } = await adding({ value: 'one' }, also, { dry_run: true })
      expect([json, ...(json.also ?? [])].map(({ plan }) => plan[0]?.action)).toEqual([
        'create',
        'share',
        'own',
      ])
      expect(await library()).toEqual(before)
      expect((await adding({ value: 'one' }, also, { plan_id: 'x' })).failure?.code).toBe('plan_changed')
      const { plan_id } = json
      expect((await adding({ value: 'one' }, also, { plan_id })).status).toBe(200)
      expect(await delivered('prod/shop')).toEqual({ [NAME]: 'two' })
    })

    test('a plan is void when any of its bundles has changed', async () => {
      await adding({ value: 'dev' }, [into('prod/shop', { value: 'prod' }, { own: [NAME] })])
      const also = [into('prod/shop', { value: 'new prod' })]
      const { plan_id } = (await adding({ value: 'new' }, also, { dry_run: true })).json
      await importing('prod/shop', { [NAME]: 'since' })
      expect((await adding({ value: 'new' }, also, { plan_id })).failure?.code).toBe('plan_changed')
      expect(await delivered('prod/shop')).toEqual({ [NAME]: 'since' })
    })
  })

  const takeFrom = (options: object = {}, as = owner, bundle = 'prod/app') =>
    api.call('importVariables', {
      as,
      body: { bundle, entries: [{ name: 'A', from: 'dev/app' }], ...options },
    })

  describe('from another bundle', () => {
    test('a copy has the value, mark and description, and changes no more with the other', async () => {
      await importing('dev/app', { A: 'planted-a' })
      const [key] = (await api.call('listKeys', { as: owner })).json
      const key_id = key?.id ?? ''
      await api.call('updateKey', { as: owner, params: { key_id }, body: { description: 'the first' } })
      const { json, text } = await takeFrom({ own: ['A'] })
      expect(json.plan).toMatchObject([{ action: 'own', key_name: 'PROD_APP_A', is_secret: true }])
      expect(text).not.toContain('planted')
      await api.call('updateKey', { as: owner, params: { key_id }, body: { value: 'new' } })
      expect(await delivered('prod/app')).toEqual({ A: 'planted-a' })
      const copy = (await api.call('listKeys', { as: owner })).json.find(({ name }) => name === 'PROD_APP_A')
      expect(copy).toMatchObject({ description: 'the first', is_secret: true })
    })

    test('a composed value stays composed in a copy', async () => {
      await importing('dev/app', { HOST: 'dev', B: 'x' })
      const body = { name: 'A', value: 'https://${HOST}', is_template: true, is_secret: false }
      const { json } = await api.call('createKey', { as: owner, body })
      const params = { bundle_id: await bundleId('dev/app'), key_id: json.id }
      await api.call('attachKey', { as: owner, params })
      await importing('prod/app', { HOST: 'prod' })
      await takeFrom({ own: ['A'] })
      expect(await delivered('prod/app')).toEqual({ HOST: 'prod', A: 'https://prod' })
    })

    test('without own it is the same key; the same again changes nothing', async () => {
      await importing('dev/app', { A: 'x'.repeat(5_000) })
      expect((await takeFrom()).json.plan).toMatchObject([{ action: 'share', key_name: 'A' }])
      expect((await takeFrom()).json.plan).toMatchObject([{ action: 'same', key_name: 'A' }])
    })

    test('a copy of the value that the bundle has makes it as secret as it is there', async () => {
      const entries = [{ name: 'A', value: '1', is_secret: false }]
      for (const bundle of ['dev/app', 'prod/app'])
        await api.call('importVariables', { as: owner, body: { bundle, entries, own: ['A'] } })
      expect((await takeFrom({ own: ['A'] })).json.plan).toMatchObject([{ action: 'same', is_secret: false }])
      const params = { bundle_id: await bundleId('dev/app') }
      const [key] = (await api.call('listBundleKeys', { as: owner, params })).json
      const change = { params: { key_id: key?.id ?? '' }, body: { is_secret: true } }
      await api.call('updateKey', { as: owner, ...change })
      expect((await takeFrom({ own: ['A'] })).json.plan).toMatchObject([
        { action: 'update', is_secret: true },
      ])
      expect((await takeFrom({ own: ['A'] })).json.plan).toMatchObject([{ action: 'same', is_secret: true }])
    })

    test('is refused where the bundle has the key under another name, and where both or neither is given', async () => {
      await importing('dev/app', { A: '1' })
      const [key] = (await api.call('listKeys', { as: owner })).json
      const key_id = key?.id ?? ''
      await importing('prod/app', { B: '2' })
      const params = { bundle_id: await bundleId('prod/app'), key_id }
      await api.call('attachKey', { as: owner, params, body: { as: 'OTHER' } })
      const message = 'the bundle in from has no such key, or this bundle has it under another name: A'
      expectError(await takeFrom(), 400, message, 'invalid')
      const entries = (entry: object) =>
        api.call('importVariables', {
          as: owner,
          body: { bundle: 'x/y', entries: [{ name: 'A', ...entry }] },
        })
      expectRefused(await entries({}))
      expectRefused(await entries({ from: 'dev/app', value: '1' }))
    })
  })

  test('of two imports of one bundle at the same time both are whole', async () => {
    const files = [1, 2].map((file) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`K${n}`, `${file}`])),
    )
    const answers = await Promise.all(files.map((file) => importing('dev/app', file)))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(files).toContainEqual(await delivered('dev/app'))
  })

  describe('of a member', () => {
    let member: Identity
    beforeEach(async () => {
      member = await joinWorkspace(api, owner, 'member')
    })

    test('creates keys, and gains no access to keys of others', async () => {
      await importing('dev/app', { A: '1' })
      const { json } = await importing('mine', { A: '1', B: '2' }, {}, member)
      expect(json.plan.map(({ action }) => action)).toEqual(['own', 'create'])
      expect((await importing('mine', { A: '1', B: '2' }, {}, member)).status).toBe(200)
      const again = await importing('mine', { A: 'x' }, {}, member)
      expect(again.json.plan.map(({ action }) => action)).toEqual(['update'])
      const [key] = again.json.plan
      const params = { key_id: key?.key_id ?? '' }
      await api.call('updateKey', { as: owner, params, body: { value: 'of an owner' } })
      const refused = await importing('mine', { A: 'y' }, { dry_run: true }, member)
      expectError(refused, 403, 'Forbidden: owner role required', 'forbidden')
    })

    test('changes what the rules of a bundle of others let members change, and learns no equal secret', async () => {
      await importing('dev/app', { A: '1' })
      const rules = { params: { bundle_id: await bundleId('dev/app') }, body: { changers: 'member' } }
      await api.call('changeBundlePolicy', { as: owner, ...rules })
      const versions = async () => {
        const { json } = await importing('dev/app', { A: '1' }, {}, member)
        const params = { key_id: json.plan[0]?.key_id ?? '' }
        return (await api.call('listKeyVersions', { as: member, params })).json.length
      }
      expect(await versions()).toBe(2)
      const isPublic = { entries: [{ name: 'A', value: '1', is_secret: false }], dry_run: true }
      const shown = await api.call('importVariables', {
        as: member,
        body: { bundle: 'dev/app', ...isPublic },
      })
      expect(shown.status).toBe(200)
      await importing('dev/app', { A: '3' })
      const others = await api.call('importVariables', {
        as: member,
        body: { bundle: 'dev/app', ...isPublic },
      })
      expectError(others, 403, 'Forbidden: owner role required', 'forbidden')
    })

    test('learns no secret of others by guessing, in a duplicate of their bundle', async () => {
      await importing('dev/app', { A: '1' })
      const duplicate = { params: { bundle_id: await bundleId('dev/app') }, body: { name: 'mine' } }
      const { json: mine } = await api.call('duplicateBundle', { as: member, ...duplicate })
      const text = { name: 'T', value: '${A}', is_template: true, is_secret: false }
      const { json: template } = await api.call('createKey', { as: member, body: text })
      const params = { bundle_id: mine.id, key_id: template.id }
      expect((await api.call('attachKey', { as: member, params })).status).toBe(201)
      for (const guess of ['1', '2']) {
        const answer = await importing('mine', { A: guess }, { dry_run: true }, member)
        expectError(answer, 403, 'Forbidden: owner role required', 'forbidden')
        const composed = await importing('mine', { T: guess }, { dry_run: true }, member)
        expect(composed.json.plan).toMatchObject([{ action: 'kept' }])
      }
    })

    test.each<[string, string, object]>([
      ['shares', 'mine', { share: ['A'] }],
      ['replaces', 'mine', { replace: ['A'] }],
      ['imports into a bundle of others', 'dev/app', {}],
    ])('never %s', async (_, bundle, options) => {
      await importing('dev/app', { A: '1' })
      const answer = await importing(bundle, { A: '2' }, options, member)
      expectError(answer, 403, 'Forbidden: owner role required', 'forbidden')
      expect(await delivered('dev/app')).toEqual({ A: '1' })
    })

    test('a member takes only what they may put into another bundle', async () => {
      await importing('dev/app', { A: 'of the owner' })
      const take = (entry: object, options: object = {}) =>
        api.call('importVariables', {
          as: member,
          body: { bundle: 'mine/app', entries: [entry], ...options },
        })
      const others = { name: 'A', from: 'dev/app' }
      for (const options of [{}, { own: ['A'] }]) {
        expectError(await take(others, options), 403, 'Forbidden: owner role required', 'forbidden')
      }
      await importing('mine/dev', { B: 'my own' }, {}, member)
      const { json } = await take({ name: 'B', from: 'mine/dev' })
      expect(json.plan).toMatchObject([{ action: 'share', key_name: 'B' }])
    })

    const promoting = (options: object = {}, as = member, entry: object = {}) =>
      api.call('importVariables', {
        as,
        body: {
          bundle: 'prod/app',
          entries: [{ name: 'A', from: 'staging/app', ...entry }],
          own: ['A'],
          ...options,
        },
      })

    describe('who promotes a secret that they may not show', () => {
      beforeEach(async () => {
        await importing('staging/app', { A: 'planted-new', T: 'x' })
        await importing('prod/app', { A: 'planted-old' })
        for (const bundle of ['staging/app', 'prod/app']) await rule(bundle, { changers: 'member' })
      })

      const OWNERS = 'Forbidden: owner role required'

      test('copies it, sees it nowhere, and it stays a value of the person who set it', async () => {
        const { json, text } = await promoting()
        expect(json.plan).toMatchObject([{ name: 'A', action: 'update', is_secret: true }])
        expect(text).not.toContain('planted')
        expect(await delivered('prod/app')).toEqual({ A: 'planted-new' })
        const key_id = json.plan[0]?.key_id ?? ''
        expect(await versionsOf(key_id)).toMatchObject([
          { version: 2, how: 'import', set_by: { id: owner.userId } },
          { version: 1 },
        ])
        const shown = await api.call('updateKey', {
          as: member,
          params: { key_id },
          body: { is_secret: false },
        })
        expectError(shown, 403, OWNERS, 'forbidden')
        const query = { target: await bundleId('prod/app'), action: 'bundle.imported' } as const
        const [event] = (await api.call('listAudit', { as: owner, query })).json
        expect(event).toMatchObject({
          actor: { id: member.userId },
          target: { name: 'prod/app' },
          data: { names: ['A'], copied: ['A from staging/app'] },
        })
      })

      test('copies the value that was planned, and no newer one', async () => {
        const { plan_id } = (await promoting({ dry_run: true })).json
        await importing('staging/app', { A: 'planted-newer' })
        const late = await promoting({ plan_id })
        expect([late.status, late.failure?.code]).toEqual([409, 'plan_changed'])
      })

      test('learns nothing from a guess: an equal value is a new version too', async () => {
        const guessed = await importing('prod/app', { A: 'planted-new' }, {}, member)
        expect((await promoting({ dry_run: true })).json.plan).toMatchObject([{ action: 'update' }])
        expect((await promoting()).status).toBe(200)
        expect(await versionsOf(guessed.json.plan[0]?.key_id ?? '')).toHaveLength(3)
      })

      test.each([
        { approvers: 'owner' },
        { approvals_needed: 2 },
        { assurance: 'bound' },
        { agents: 'deny' },
      ])('needs rules that are at least as strict: %j', async (rules) => {
        await rule('staging/app', rules)
        expectError(await promoting(), 403, OWNERS, 'forbidden')
        expect(await delivered('prod/app')).toEqual({ A: 'planted-old' })
        await rule('prod/app', rules)
        expect((await promoting()).status).toBe(200)
      })

      test('needs what each bundle demands that contains the secret, and as few who may change it', async () => {
        await rule('staging/app', { changers: 'setter' })
        expectError(await promoting(), 403, OWNERS, 'forbidden')
        await rule('staging/app', { changers: 'member' })
        expect((await promoting({ dry_run: true })).status).toBe(200)
        const entries = [{ name: 'A', from: 'staging/app' }]
        await api.call('importVariables', { as: owner, body: { bundle: 'qa/other', entries } })
        await rule('qa/other', { approvers: 'owner' })
        expectError(await promoting(), 403, OWNERS, 'forbidden')
      })

      test('needs to be able to get it by an approval where machines get the values', async () => {
        const { json } = await api.call('createMachine', { as: owner, body: { name: 'ci' } })
        const params = { machine_id: json.id, bundle_id: await bundleId('prod/app') }
        await api.call('grantBundle', { as: owner, params, body: { scope: 'deliver' } })
        expect((await promoting()).status).toBe(200)
        for (const bundle of ['staging/app', 'prod/app']) await rule(bundle, { approvers: 'owner' })
        expectError(await promoting(), 403, OWNERS, 'forbidden')
      })

      test('marks no copy of it as public, also over a value that was', async () => {
        const shown = await promoting({}, member, { is_secret: false })
        expectError(shown, 400, 'a promoted secret stays secret: leave out is_secret: A', 'invalid')
        const entries = [{ name: 'A', value: 'open', is_secret: false }]
        await api.call('importVariables', { as: owner, body: { bundle: 'prod/app', entries } })
        expect((await promoting()).json.plan).toMatchObject([{ is_secret: true }])
      })

      test('copies no composed value, and nothing that the bundle lacks or must not change', async () => {
        const absent = await promoting({ bundle: 'prod/app', own: ['T'] }, member, { name: 'T' })
        expectError(absent, 403, OWNERS, 'forbidden')
        const [key] = (await importing('staging/app', { A: 'planted-new' })).json.plan
        const text = { value: '${T}', is_template: true }
        await api.call('updateKey', { as: owner, params: { key_id: key?.key_id ?? '' }, body: text })
        const composed = await promoting()
        expectRefused(composed)
        expect(composed.failure?.error).toContain('composed')
        await importing('staging/app', { A: 'planted-new' }, { replace: ['A'] })
        await rule('prod/app', { changers: 'owner' })
        expectError(await promoting(), 403, OWNERS, 'forbidden')
        await rule('prod/app', { changers: 'member' })
        const key_id = (await promoting({ dry_run: true })).json.plan[0]?.key_id ?? ''
        await api.call('updateKey', { as: owner, params: { key_id }, body: text })
        const over = await promoting()
        expectRefused(over)
        expect(over.failure?.error).toContain('composed')
      })
    })

    test('a promoted value gives neither its setter nor who promotes it a right', async () => {
      const setter = await joinWorkspace(api, owner, 'member')
      await importing('staging/app', { A: 'of the setter' }, {}, setter)
      await importing('prod/app', { A: 'planted-old' }, { own: ['A'] }, member)
      await importing('setter/app', { B: 'x' }, {}, setter)
      const promoted = await promoting()
      expect(promoted.json.plan).toMatchObject([{ action: 'update' }])
      const key_id = promoted.json.plan[0]?.key_id ?? ''
      const change = (as: Identity, body: object) => api.call('updateKey', { as, params: { key_id }, body })
      for (const as of [setter, member]) {
        const shown = await api.call('getKey', { as, params: { key_id } })
        expect(shown.json).toMatchObject({ may_change: false, may_show: false })
        expect(shown.json.value_set_by.id).toBe(setter.userId)
        for (const body of [{ value: 'evil' }, { is_secret: false }])
          expectError(await change(as, body), 403, 'Forbidden: owner role required', 'forbidden')
      }
      const body = { action: 'attach', key_ids: [key_id], bundle_id: await bundleId('setter/app') } as const
      expect((await api.call('changeKeys', { as: setter, body })).status).toBe(403)
      expect((await change(owner, { value: 'next' })).status).toBe(200)
    })

    test('an owner promotes under weaker rules what they could approve', async () => {
      await importing('staging/app', { A: 'new' })
      await importing('prod/app', { A: 'old' })
      const params = { bundle_id: await bundleId('staging/app') }
      const people = (ids: string[]) =>
        api.call('changeBundlePolicy', {
          as: owner,
          params,
          body: { approvers: 'named', people: ids },
        })
      const taking = () =>
        api.call('importVariables', {
          as: owner,
          body: { bundle: 'prod/app', entries: [{ name: 'A', from: 'staging/app' }], own: ['A'] },
        })
      expect((await people([member.userId])).status).toBe(200)
      const refused = await taking()
      expect([refused.status, refused.failure?.code]).toEqual([403, 'forbidden'])
      expect(refused.failure?.error).toContain('at least as strict')
      await people([member.userId, owner.userId])
      expect((await taking()).json.plan).toMatchObject([{ action: 'update' }])
      expect(await delivered('prod/app')).toEqual({ A: 'new' })
    })
  })
})
