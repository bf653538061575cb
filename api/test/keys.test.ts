import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(databases)('keys on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const create = (body: unknown, as = owner) => api.call('createKey', { as, body })
  const get = (key_id: string, query = {}) => api.call('getKey', { as: owner, params: { key_id }, query })
  const update = (key_id: string, body: unknown) =>
    api.call('updateKey', { as: owner, params: { key_id }, body })

  test('a key is secret unless said otherwise, and its value masked', async () => {
    const { status, json } = await create({ name: 'TOKEN', value: 'hidden' })
    expect(status).toBe(201)
    expect(json).toMatchObject({ value: '*****', is_secret: true, description: '', used_in_bundles: 0 })
    expect((await get(json.id)).json).toEqual({ ...json, bundles: [] })
  })

  test.each([
    { value: 'shown', is_secret: false },
    { value: '${HOST}:${PORT}/${HOST}', is_template: true, is_secret: false },
    { value: 'old soon', rotate_after_days: 30, expires_at: '2027-01-31T12:00:00Z', description: 'why' },
  ])('a creation of %j answers what a read does', async (fields) => {
    const { json } = await create({ name: `C${randomUUID().replaceAll('-', '')}`, ...fields })
    expect((await get(json.id)).json).toEqual({ ...json, bundles: [] })
  })

  test.each(['', ' blanks ', 'line\nline\r\n', '\u{feff}"quotes\'$`\\', 'ünïcode \u{1f511}'])(
    'the value %j is kept byte for byte',
    async (value) => {
      const { json } = await create({ name: `V${randomUUID().replaceAll('-', '')}`, value, is_secret: false })
      expect(json.value).toBe(value)
      expect((await get(json.id)).json.value).toBe(value)
    },
  )

  test('a value of 64 KiB is kept, one byte more is refused', async () => {
    expect((await create({ name: 'BIG', value: 'é'.repeat(32_768) })).status).toBe(201)
    expectError(
      await create({ name: 'BIGGER', value: `${'é'.repeat(32_768)}a` }),
      400,
      'value must be at most 65536 bytes of UTF-8',
    )
  })

  test.each([
    [{}, 'Key name is required'],
    [{ name: 'A' }, 'Key value is required'],
    [{ name: 'A', value: 1 }, 'Key value is required'],
    [{ name: 'A-B', value: '' }, 'Key name may hold only letters, digits and _'],
    [{ name: 'A', value: 'a\0' }, 'value must not contain NUL: an environment variable cannot hold it'],
    [{ name: 'A', value: '\ud800' }, 'value must be well-formed Unicode (it has a lone surrogate)'],
    [{ name: 'A', value: '', is_secret: 'yes' }, 'is_secret must be true or false'],
  ])('creating %j answers 400 %s', async (body, message) => {
    expectError(await create(body), 400, message, 'invalid')
  })

  test('a second key of one name is a conflict', async () => {
    await create({ name: 'TWICE', value: '' })
    expectError(
      await create({ name: 'TWICE', value: '' }),
      409,
      'Key with this name already exists',
      'conflict',
    )
  })

  test('an update changes what it names and nothing else', async () => {
    const key = (await create({ name: 'CHANGES', value: 'one', is_secret: false })).json
    const described = (await update(key.id, { description: 'why' })).json
    expect(described).toEqual({ ...key, description: 'why', updated_at: described.updated_at })
    expect((await update(key.id, { value: 'two' })).json).toMatchObject({ value: 'two', description: 'why' })
    expect((await update(key.id, { is_secret: true })).json.value).toBe('*****')
    expect((await update(key.id, { is_secret: false, name: 'OTHER' })).json).toMatchObject({
      name: 'CHANGES',
      value: 'two',
    })
  })

  test('writing the mask back does not replace the secret', async () => {
    const key = (await create({ name: 'HIDDEN', value: 'secret' })).json
    for (const change of [key, { value: '*****' }, { value: '*****', is_secret: false }]) {
      const answer = await update(key.id, change)
      expectError(answer, 400, 'a masked value cannot replace a secret: HIDDEN', 'invalid')
      expect(answer.failure?.details).toEqual({ names: ['HIDDEN'] })
    }
    expect((await get(key.id)).json).toMatchObject({ is_secret: true, updated_at: key.updated_at })
    const unknown = await api.call('updateKey', {
      as: owner,
      params: { key_id: randomUUID() },
      body: { value: '*****' },
    })
    expectError(unknown, 404, 'Key not found')
  })

  test('where nothing is hidden the mask is a value like any other', async () => {
    const key = (await create({ name: 'STARS', value: 'x', is_secret: false })).json
    expect((await update(key.id, { value: '*****' })).status).toBe(200)
    expect((await create({ name: 'NEW_STARS', value: '*****' })).status).toBe(201)
  })

  test('of concurrent updates one value wins as a whole', async () => {
    const key = (await create({ name: 'CONTENDED', value: 'v', is_secret: false })).json
    const values = Array.from({ length: 20 }, (_, index) => `value ${index}`)
    const answers = await Promise.all(values.map((value) => update(key.id, { value })))
    expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200))
    expect(values).toContain((await get(key.id)).json.value)
  })

  test('reveal is refused where the server is not set to show values', async () => {
    const key = (await create({ name: 'REVEALED', value: 'v' })).json
    expectError(await get(key.id, { reveal: '1' }), 403, 'Forbidden: reveal is not allowed', 'forbidden')
    expect((await get(key.id, { reveal: '0' })).status).toBe(200)
    expectError(await get(key.id, { reveal: 'yes' }), 400, 'reveal must be 0 or 1')
  })

  test('an unknown key is not found by any method', async () => {
    const params = { key_id: randomUUID() }
    expectError(await api.call('getKey', { as: owner, params }), 404, 'Key not found', 'not_found')
    expectError(await api.call('updateKey', { as: owner, params, body: {} }), 404, 'Key not found')
    expectError(await api.call('deleteKey', { as: owner, params }), 404, 'Key not found')
  })

  test('a list has the bundles that use each key, if asked for', async () => {
    const body = { bundle: 'dev/app', entries: [{ name: 'USED', value: '1' }] }
    const { json } = await api.call('importVariables', { as: owner, body })
    const key_id = json.plan[0]?.key_id ?? ''
    const bundle = await api.call('createBundle', { as: owner, body: { name: 'prod/app' } })
    const params = { bundle_id: bundle.json.id, key_id }
    await api.call('attachKey', { as: owner, params, body: { as: 'RENAMED' } })
    const listed = async (query: Record<string, string>) =>
      (await api.call('listKeys', { as: owner, query })).json.find(({ id }) => id === key_id)?.bundles
    expect(await listed({ uses: '1' })).toEqual([
      { id: json.bundle_id, name: 'dev/app', as: 'USED' },
      { id: bundle.json.id, name: 'prod/app', as: 'RENAMED' },
    ])
    expect(await listed({})).toBeUndefined()
  })

  test('a server set to show values reveals a secret', async () => {
    const dev = await startTestApi(kind, { devAllowPlaintext: true })
    const as = await dev.newOwner()
    const key = (await dev.call('createKey', { as, body: { name: 'SHOWN', value: 'plain' } })).json
    const answer = await dev.call('getKey', { as, params: { key_id: key.id }, query: { reveal: '1' } })
    expect(answer.json.value).toBe('plain')
    await dev.close()
  })
})

describe.each(oneDatabase)('many keys on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())

  test('a list of 1,200 keys comes whole, in order, with its total', async () => {
    const as = await api.newOwner()
    const names = Array.from({ length: 1_200 }, (_, index) => `K${String(index).padStart(4, '0')}`)
    for (let from = 0; from < names.length; from += 50) {
      await Promise.all(
        names.slice(from, from + 50).map((name) => api.call('createKey', { as, body: { name, value: '' } })),
      )
    }
    const all = await api.call('listKeys', { as })
    expect(all.json.map(({ name }) => name)).toEqual(names)
    expect(all.headers.get('x-total-count')).toBe('1200')
    const found = await api.call('listKeys', { as, query: { query: 'k11', limit: '3', offset: '2' } })
    expect(found.json.map(({ name }) => name)).toEqual(['K1102', 'K1103', 'K1104'])
    expect(found.headers.get('x-total-count')).toBe('100')
  })
})
