import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { fetchValues, grant, newMachine } from './machine-client.ts'

describe.each(oneDatabase)('splitting a shared key, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let dev: string
  let prod: string
  let url: string
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    dev = await newBundle('dev/app')
    prod = await newBundle('prod/app')
    url = await newKey('URL', { value: 'shared url', description: 'the database' })
    for (const bundle of [dev, prod]) {
      await attach(bundle, await newKey(`FIRST_${bundle.slice(-4)}`))
      await attach(bundle, url, { as: 'DB', required: true })
      await attach(bundle, await newKey(`LAST_${bundle.slice(-4)}`))
    }
  })

  const newBundle = async (name: string) =>
    (await api.call('createBundle', { as: owner, body: { name } })).json.id
  const newKey = async (name: string, body: object = {}) =>
    (await api.call('createKey', { as: owner, body: { name, value: name, ...body } })).json.id
  const attach = (bundle_id: string, key_id: string, body?: object) =>
    api.call('attachKey', { as: owner, params: { bundle_id, key_id }, body })
  const split = (bundle_id: string, key_id: string, body?: unknown) =>
    api.call('splitKey', { as: owner, params: { bundle_id, key_id }, body })
  const keyOf = async (key_id: string) =>
    (await api.call('getKey', { as: owner, params: { key_id }, query: { reveal: '1' } })).json
  const delivered = async (bundle_id: string) => {
    const query = { format: 'json', reveal: '1' }
    return (await api.call('exportBundle', { as: owner, params: { bundle_id }, query })).json
  }
  const duplicate = (body: unknown, as = owner) =>
    api.call('duplicateBundle', { as, params: { bundle_id: dev }, body })
  const itemsOf = async (bundle_id: string) =>
    (await api.call('getBundle', { as: owner, params: { bundle_id } })).json.items
  const holdersOf = async (key_id: string) =>
    (await api.call('listHolders', { as: owner, params: { key_id } })).json.map((holder) => ({
      id: holder.id,
      version: holder.version,
      current: holder.is_current,
    }))
  const given = async (bundleId: string) => {
    const machine = await newMachine(api, owner)
    await grant(api, owner, { machine, bundle: { id: bundleId } })
    const { answer } = await fetchValues(api, { token: machine.token, bundle_id: bundleId })
    expect(answer.status).toBe(200)
    return machine.id
  }
  const keyCount = async () =>
    (await api.call('listKeys', { as: owner, query: { limit: '1' } })).headers.get('x-total-count')

  test('one call gives the copy its own value, description and lifetime', async () => {
    const lifetime = { expires_at: '2030-01-31T12:00:00.000Z', rotate_after_days: 30 }
    const { json } = await split(prod, url, { value: 'mine', description: 'of prod', ...lifetime })
    expect(json).toMatchObject({ description: 'of prod', version: 2, ...lifetime })
    expect(await keyOf(json.id)).toMatchObject({ value: 'mine' })
    expect(await keyOf(url)).toMatchObject({ description: 'the database', expires_at: null })
  })

  describe('who was given the value by this bundle', () => {
    test('holds an older value of its own key; who got it elsewhere does not', async () => {
      const inProd = await given(prod)
      await given(dev)
      const { json } = await split(prod, url, { value: 'mine' })
      expect(await holdersOf(json.id)).toEqual([{ id: inProd, version: 1, current: false }])
      expect(await holdersOf(url)).toHaveLength(2)
      const stale = (await api.call('listStaleKeys', { as: owner })).json
      expect(stale).toMatchObject([{ id: json.id, holders: 1 }])
    })

    test('holds the current value of a copy with the same value', async () => {
      const inProd = await given(prod)
      const { json } = await split(prod, url)
      expect(await holdersOf(json.id)).toEqual([{ id: inProd, version: 1, current: true }])
    })

    test('… also if an import gives the bundle its own value', async () => {
      const inProd = await given(prod)
      const body = { bundle: 'prod/app', entries: [{ name: 'DB', value: 'new' }] }
      const { json } = await api.call('importVariables', { as: owner, body })
      expect(json.plan).toMatchObject([{ action: 'own' }])
      expect(await holdersOf(json.plan[0]?.key_id ?? '')).toEqual([
        { id: inProd, version: 1, current: false },
      ])
    })
  })

  test('a split copies value, mark and description, and delivers the copy in the same place', async () => {
    const [before, devBefore] = [await delivered(prod), await itemsOf(dev)]
    const { status, json } = await split(prod, url)
    expect(status).toBe(201)
    expect(json).toMatchObject({
      name: 'PROD_APP_DB',
      value: '*****',
      is_secret: true,
      description: 'the database',
      used_in_bundles: 1,
      created_by: owner.userId,
    })
    const items = await itemsOf(prod)
    expect(items[1]).toMatchObject({ id: json.id, name: 'DB', key_name: 'PROD_APP_DB', required: true })
    expect(items.map(({ order }) => order)).toEqual([0, 1, 2])
    expect(await delivered(prod)).toEqual(before)
    expect(await itemsOf(dev)).toEqual(devBefore)
  })

  test('with a value, one call changes it here only', async () => {
    const before = await delivered(dev)
    const { json } = await split(prod, url, { value: 'only here', is_secret: false, key_name: 'PROD_URL' })
    expect(json).toMatchObject({ name: 'PROD_URL', value: 'only here', is_secret: false })
    expect(await delivered(prod)).toMatchObject({ DB: 'only here' })
    expect(await delivered(dev)).toEqual(before)
    expect(await keyOf(url)).toMatchObject({ value: 'shared url', is_secret: true, used_in_bundles: 1 })
  })

  test('a taken library name gets a number', async () => {
    await newKey('PROD_APP_DB')
    expect((await split(prod, url)).json.name).toBe('PROD_APP_DB_2')
  })

  test('a taken key_name is 409 and changes nothing', async () => {
    const [before, count] = [await itemsOf(prod), await keyCount()]
    const refused = await split(prod, url, { key_name: 'URL' })
    expectError(refused, 409, 'Key with this name already exists', 'conflict')
    expect(await itemsOf(prod)).toEqual(before)
    expect(await keyCount()).toBe(count)
  })

  test('a library name that is too long is 400 and says where to give one', async () => {
    const long = await newBundle('b'.repeat(255))
    await attach(long, url)
    const refused = await split(long, url)
    expect(refused.status).toBe(400)
    expect(refused.failure?.error).toContain('choose a shorter one for URL with key_name')
    expect((await split(long, url, { key_name: 'SHORT' })).status).toBe(201)
  })

  test('the mask is no new value for a secret', async () => {
    expectError(
      await split(prod, url, { value: '*****' }),
      400,
      'a masked value cannot replace a secret: URL',
    )
  })

  test.each([
    [{ key_name: 'A B' }, 'key_name may hold only letters, digits and _'],
    [{ key_name: '' }, 'key_name must be a key name'],
    [{ value: 5 }, 'value must be a string'],
    [{ is_secret: 'no' }, 'is_secret must be true or false'],
  ])('splitting with %j is 400', async (body, message) => {
    expectError(await split(prod, url, body), 400, message, 'invalid')
  })

  test('what is unknown or not attached is 404', async () => {
    expectError(await split(randomUUID(), url), 404, 'bundle not found')
    expectError(await split(prod, randomUUID()), 404, 'Key not found')
    expectError(await split(prod, await newKey('LOOSE')), 404, 'Key not found')
  })

  test('of several splits at once one gives the bundle its own key', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => split(prod, url)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(3)
    expect(await keyCount()).toBe('6')
  })

  describe('a duplicate', () => {
    test('shares what is not named, and copies what is', async () => {
      const { status, json } = await duplicate({ name: 'staging/app', own: ['DB'] })
      expect(status).toBe(201)
      expect(await delivered(json.id)).toEqual(await delivered(dev))
      const [items, before] = [await itemsOf(json.id), await itemsOf(dev)]
      expect(items[1]).toMatchObject({ name: 'DB', key_name: 'STAGING_APP_DB', required: true, order: 1 })
      expect([items[0], items[2]]).toEqual([before[0], before[2]])
      await api.call('updateKey', {
        as: owner,
        params: { key_id: items[1]?.id ?? '' },
        body: { value: 'new' },
      })
      expect(await delivered(dev)).toMatchObject({ DB: 'shared url' })
    })

    test('gives a copy the requested library name', async () => {
      const key_names = { DB: 'STAGING_URL' }
      const { json } = await duplicate({ name: 'staging/app', own: ['DB'], key_names })
      expect((await itemsOf(json.id))[1]).toMatchObject({ name: 'DB', key_name: 'STAGING_URL' })
    })

    test('that cannot be made whole is not made', async () => {
      const unknown = await duplicate({ name: 'staging/app', own: ['DB', 'URL', 'NO'] })
      expectError(unknown, 400, 'own names keys that the bundle does not deliver: URL, NO', 'invalid')
      expect(unknown.failure?.details).toEqual({ field: 'own', names: ['URL', 'NO'] })
      const own = (await itemsOf(dev)).map(({ name }) => name)
      const taken = await duplicate({ name: 'staging/app', own, key_names: { DB: 'URL' } })
      expectError(taken, 409, 'Key with this name already exists', 'conflict')
      const long = await duplicate({ name: 's'.repeat(255), own })
      expect([long.status, long.failure?.details]).toEqual([400, { names: [own[0]] }])
      expect(long.failure?.error).toContain('with key_names')
      expect((await api.call('listBundles', { as: owner })).json).toHaveLength(2)
      expect(await keyCount()).toBe('5')
    })

    test.each([
      [{ own: 'DB' }, 'own must be an array of key names'],
      [{ own: [5] }, 'own must be key names'],
      [{ key_names: { DB: 'A B' } }, 'key_name may hold only letters, digits and _'],
      [{ key_names: 'DB' }, 'key_names must be an object of key names'],
    ])('with %j is 400', async (body, message) => {
      expectError(await duplicate({ name: 'staging/app', ...body }), 400, message, 'invalid')
    })

    test('with copies is for owners: otherwise a member could read a secret by copying it', async () => {
      const email = `${randomUUID()}@example.com`
      const made = await api.call('ensureUser', {
        body: { idp_user_id: `user_${randomUUID()}`, email, email_verified: true },
      })
      const own = { userId: made.json.user_id, tenantId: made.json.tenant_id }
      const invitation = await api.call('createInvitation', { as: owner, body: { email, role: 'member' } })
      const { token } = invitation.json
      await api.call('acceptInvitation', { as: own, body: { token } })
      const member = { userId: own.userId, tenantId: owner.tenantId }
      expect((await duplicate({ name: 'mine/app' }, member)).status).toBe(201)
      const refused = await duplicate({ name: 'staging/app', own: ['DB'] }, member)
      expectError(refused, 403, 'Forbidden: owner role required', 'forbidden')
    })
  })
})
