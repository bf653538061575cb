import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'
import { fetchValues, grant, newMachine } from './machine-client.ts'

const PAST = '2020-01-01T00:00:00.000Z'

function cell(bundle_id: string, state: string, key_id: string | null, key_name: string | null) {
  return { bundle_id, state, key_id, key_name }
}

const rights = (is: boolean) => ({ may_change: is, may_show: is, may_detach: is })

describe.each(oneDatabase)('comparing bundles on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let dev: string
  let prod: string
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    dev = await newBundle('dev/app')
    prod = await newBundle('prod/app')
  })

  const newBundle = async (name: string) =>
    (await api.call('createBundle', { as: owner, body: { name } })).json.id
  const newKey = async (name: string) =>
    (await api.call('createKey', { as: owner, body: { name, value: 'v' } })).json.id
  const attach = (bundle_id: string, key_id: string, as?: string) =>
    api.call('attachKey', { as: owner, params: { bundle_id, key_id }, body: { as } })
  const addItem = (bundle_id: string, key: string) =>
    api.call('upsertLegacyItem', { as: owner, params: { bundle_id }, body: { key, value: 'v' } })
  const compare = (...ids: string[]) =>
    api.call('compareBundles', { as: owner, query: ids.map((id) => ['bundle_id', id]) })
  const statesOf = async (...ids: string[]) => {
    const { json } = await compare(...ids)
    return Object.fromEntries(json.rows.map(({ name, cells }) => [name, cells.map(({ state }) => state)]))
  }

  test('a row for each name and a cell for each bundle, in the order asked for', async () => {
    const [url, prodUrl, log] = [await newKey('URL'), await newKey('PROD_URL'), await newKey('LOG')]
    await attach(dev, url)
    await attach(prod, prodUrl, 'URL')
    for (const bundle of [dev, prod]) await attach(bundle, log)
    await attach(dev, await newKey('DEBUG'))
    const { status, json } = await compare(prod, dev)
    expect(status).toBe(200)
    expect(json.rows.map(({ name }) => name)).toEqual(['DEBUG', 'LOG', 'URL'])
    expect(json.rows[1]?.cells).toEqual([cell(prod, 'shared', log, 'LOG'), cell(dev, 'shared', log, 'LOG')])
    expect(json.rows[2]?.cells).toEqual([
      cell(prod, 'own', prodUrl, 'PROD_URL'),
      cell(dev, 'own', url, 'URL'),
    ])
    expect(json.rows[0]?.cells[0]).toEqual(cell(prod, 'missing', null, null))
  })

  test('of three bundles, two share and one has its own', async () => {
    const staging = await newBundle('staging/app')
    const shared = await newKey('URL')
    for (const bundle of [dev, staging]) await attach(bundle, shared)
    await attach(prod, await newKey('PROD_URL'), 'URL')
    expect(await statesOf(dev, staging, prod)).toEqual({ URL: ['shared', 'shared', 'own'] })
    expect(await statesOf(dev, prod)).toEqual({ URL: ['own', 'own'] })
  })

  test('one key under two names is no shared name', async () => {
    const key = await newKey('URL')
    await attach(dev, key)
    await attach(prod, key, 'OTHER')
    expect(await statesOf(dev, prod)).toEqual({ URL: ['own', 'missing'], OTHER: ['missing', 'own'] })
  })

  test("a legacy item is its bundle's own, unless a key hides it", async () => {
    const key = await newKey('URL')
    for (const bundle of [dev, prod]) {
      await attach(bundle, key)
      await addItem(bundle, 'OLD')
    }
    await addItem(dev, 'URL')
    expect(await statesOf(dev, prod)).toEqual({ URL: ['shared', 'shared'], OLD: ['own', 'own'] })
  })

  const factsOf = async (as: Identity, ...ids: string[]) => {
    const query = ids.map((id): [string, string] => ['bundle_id', id])
    const { json } = await api.call('compareBundles', { as, query: [...query, ['facts', '1']] })
    return Object.fromEntries(json.rows.map(({ name, cells }) => [name, cells.map(({ facts }) => facts)]))
  }

  test('with facts, a cell says what a member may know of its value, and do with it', async () => {
    const body = { name: 'OPEN', value: 'shown', is_secret: false, description: 'where to', expires_at: PAST }
    const { id: open } = (await api.call('createKey', { as: owner, body })).json
    const secret = await newKey('HIDDEN')
    for (const key of [open, secret]) await attach(dev, key)
    await attach(prod, open)
    await addItem(dev, 'OLD')
    const member = await joinWorkspace(api, owner, 'member')
    const set_by = expect.objectContaining({ id: owner.userId })
    const known = { version: 1, set_by, set_at: expect.any(String), older_holders: 0, missing_parts: [] }
    const { OPEN, HIDDEN, OLD } = await factsOf(member, dev, prod)
    expect(OPEN?.[1]).toEqual({
      ...known,
      ...rights(false),
      value: 'shown',
      is_secret: false,
      description: 'where to',
      expires_at: PAST,
      due: 'expired',
      used_in_bundles: 2,
      required: false,
      order: 0,
    })
    const hidden = {
      value: '*****',
      is_secret: true,
      description: '',
      used_in_bundles: 1,
      required: false,
      order: 1,
    }
    const mine = { ...known, ...hidden, ...rights(true), expires_at: null, due: null }
    expect(HIDDEN).toEqual([{ ...mine, ...rights(false) }, undefined])
    expect(OLD).toEqual([undefined, undefined])
    expect((await factsOf(owner, dev))['HIDDEN']).toEqual([mine])
  })

  test('with facts, a template shows its text and what it lacks, and a long value is left out', async () => {
    const newPublic = async (name: string, value: string, is_template = false) =>
      (await api.call('createKey', { as: owner, body: { name, value, is_secret: false, is_template } })).json
        .id
    await attach(dev, await newPublic('URL', 'db://${USER}@${HOST}', true))
    await attach(dev, await newPublic('HOST', 'h'.repeat(4 * 1024 + 1)))
    const { URL, HOST } = await factsOf(owner, dev)
    expect(URL).toMatchObject([{ value: 'db://${USER}@${HOST}', missing_parts: ['USER'] }])
    expect(HOST).toMatchObject([{ value: null, is_secret: false }])
  })

  test('with facts, a cell counts holders of older values, and a change names them', async () => {
    const key_id = await newKey('TOKEN')
    await attach(dev, key_id)
    const machine = await newMachine(api, owner)
    await grant(api, owner, { machine, bundle: { id: dev } })
    await fetchValues(api, { token: machine.token, bundle_id: dev })
    const change = { as: owner, params: { key_id }, body: { value: 'two' } }
    const holder = { kind: 'machine', id: machine.id, version: 1 }
    const older_holders = { total: 1, first: [expect.objectContaining(holder)] }
    expect((await api.call('updateKey', { ...change, query: { facts: '1' } })).json).toMatchObject({
      older_holders,
    })
    expect((await factsOf(owner, dev))['TOKEN']).toMatchObject([{ older_holders: 1 }])
    expect((await api.call('updateKey', { ...change, body: { value: 'three' } })).json).not.toHaveProperty(
      'older_holders',
    )
    const split = {
      as: owner,
      params: { bundle_id: dev, key_id },
      body: { value: 'four' },
      query: { facts: '1' },
    }
    expect((await api.call('splitKey', split)).json).toMatchObject({ version: 4, older_holders })
    const restore = { as: owner, params: { key_id }, body: { version: 1 }, query: { facts: '1' } }
    expect((await api.call('restoreKeyVersion', restore)).json).toMatchObject({ version: 4, older_holders })
  })

  test('empty bundles have no rows', async () => {
    expect((await compare(dev, prod)).json).toEqual({ rows: [] })
  })

  test("an unknown bundle is 404, another tenant's too", async () => {
    const stranger = await api.newOwner()
    const foreign = await api.call('createBundle', { as: stranger, body: { name: 'dev/app' } })
    for (const id of [randomUUID(), foreign.json.id])
      expectError(await compare(dev, id), 404, 'bundle not found', 'not_found')
  })

  test('2 to 20 different bundles are compared', async () => {
    const count = 'bundle_id must be given 2 to 20 times'
    expectError(await compare(), 400, count, 'invalid')
    expectError(await compare(dev), 400, count, 'invalid')
    expectError(await compare(...Array.from({ length: 21 }, () => randomUUID())), 400, count)
    expectError(await compare(dev, dev), 400, 'bundle_id must name each bundle once')
    const more = await Promise.all(Array.from({ length: 18 }, (_, index) => newBundle(`b${index}`)))
    expect((await compare(dev, prod, ...more)).status).toBe(200)
  })
})
