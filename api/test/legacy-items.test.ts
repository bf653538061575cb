import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('legacy items, import and export on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let params: { bundle_id: string }
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    params = { bundle_id: (await api.call('createBundle', { as: owner, body: { name: 'b' } })).json.id }
  })

  const upsert = (body: unknown) => api.call('upsertLegacyItem', { as: owner, params, body })
  const importing = (body: unknown) => api.call('importItems', { as: owner, params, body })
  const importEnv = (payload: string) => importing({ format: 'env', payload })
  const exporting = (query: Record<string, string> = {}) =>
    api.call('exportBundle', { as: owner, params, query })
  const items = async () => (await api.call('getBundle', { as: owner, params })).json.items
  const attach = async (name: string, value: string, is_secret: boolean) => {
    const { json } = await api.call('createKey', { as: owner, body: { name, value, is_secret } })
    await api.call('attachKey', { as: owner, params: { ...params, key_id: json.id } })
  }

  test('an item is created, masked when secret, and replaced', async () => {
    expect((await upsert({ key: 'A', value: 'hidden' })).json).toEqual({
      key: 'A',
      value: '*****',
      is_secret: true,
    })
    expect((await upsert({ key: 'A', value: 'shown', is_secret: false })).json.value).toBe('shown')
    expect(await items()).toEqual([
      {
        id: null,
        key_name: null,
        name: 'A',
        key: 'A',
        value: 'shown',
        is_secret: false,
        description: null,
        order: null,
        required: false,
      },
    ])
  })

  test('attached keys come first, and hide a legacy item of their name', async () => {
    await upsert({ key: 'A', value: 'legacy', is_secret: false })
    await upsert({ key: 'B', value: 'legacy', is_secret: false })
    await attach('B', 'attached', false)
    expect((await items()).map(({ name, value }) => `${name}=${value}`)).toEqual(['B=attached', 'A=legacy'])
  })

  test('a deleted item is gone', async () => {
    await upsert({ key: 'A', value: '' })
    const place = { as: owner, params: { ...params, key_name: 'A' } }
    expect((await api.call('deleteLegacyItem', place)).json).toEqual({ ok: true })
    expectError(await api.call('deleteLegacyItem', place), 404, 'Key not found', 'not_found')
    const nowhere = { as: owner, params: { bundle_id: randomUUID(), key_name: 'A' } }
    expectError(await api.call('deleteLegacyItem', nowhere), 404, 'bundle not found')
  })

  test('an import counts what it created and updated, and new entries are secret', async () => {
    await upsert({ key: 'PORT', value: '1', is_secret: false })
    const { json } = await importEnv('# comment\n\nPORT=2\nTOKEN="a b"\nMULTI=\'x\ny\'\n')
    expect(json).toEqual({ ok: true, imported: 2, created: 2, updated: 1 })
    expect((await items()).map(({ name, value, is_secret }) => [name, value, is_secret])).toEqual([
      ['MULTI', '*****', true],
      ['PORT', '2', false],
      ['TOKEN', '*****', true],
    ])
  })

  test('a JSON import takes a map of names to strings', async () => {
    const { json } = await importing({ format: 'json', data: { A: '1', B: '' } })
    expect(json).toEqual({ ok: true, imported: 2, created: 2, updated: 0 })
  })

  test.each([
    [{}, 'format must be env or json'],
    [{ format: 'yaml' }, 'format must be env or json'],
    [{ format: 'env' }, 'payload must be a string of KEY=VALUE lines'],
    [{ format: 'json', data: [] }, 'data must be an object of names to string values'],
    [{ format: 'json', data: { A: 1 } }, 'data must map names to string values'],
  ])('importing %j answers 400 %s', async (body, message) => {
    expectError(await importing(body), 400, message, 'invalid')
  })

  test('a line that cannot be read is named by its number, and nothing is imported', async () => {
    const answer = await importEnv('A=1\n\nexport B=2\n')
    expect(answer.status).toBe(400)
    expect(answer.failure?.details).toEqual({ line: 3 })
    expect(await items()).toEqual([])
  })

  test('a mask is not imported over a secret, attached or legacy', async () => {
    await upsert({ key: 'OLD', value: 'secret' })
    await attach('NEW', 'secret', true)
    const answer = await importEnv('OLD=*****\nNEW=*****\nOTHER=1\n')
    expectError(answer, 400, 'masked values cannot be imported over secrets: NEW, OLD', 'invalid')
    expect(answer.failure?.details).toEqual({ names: ['NEW', 'OLD'] })
    expect((await items()).map(({ name }) => name)).toEqual(['NEW', 'OLD'])
  })

  test('a single item takes no mask over a secret, attached or legacy, and any other', async () => {
    await upsert({ key: 'OLD', value: 'secret' })
    await attach('NEW', 'secret', true)
    await upsert({ key: 'SHOWN', value: 'x', is_secret: false })
    for (const key of ['OLD', 'NEW']) {
      const answer = await upsert({ key, value: '*****', is_secret: false })
      expectError(answer, 400, `a masked value cannot replace a secret: ${key}`, 'invalid')
      expect(answer.failure?.details).toEqual({ names: [key] })
    }
    expect((await items()).find(({ name }) => name === 'OLD')).toMatchObject({ is_secret: true })
    for (const key of ['SHOWN', 'FRESH']) {
      expect((await upsert({ key, value: '*****', is_secret: false })).json.value).toBe('*****')
    }
  })

  test('an export masks secrets and escapes the rest for a shell', async () => {
    await attach('SECRET', 'hidden', true)
    await attach('PLAIN', "it's $HOME", false)
    await upsert({ key: 'PORT', value: '3000', is_secret: false })
    const env = await exporting()
    expect(env.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(env.text).toBe("SECRET=*****\nPLAIN='it'\\''s $HOME'\nPORT=3000\n")
    const json = await exporting({ format: 'json' })
    expect(json.json).toEqual({ SECRET: '*****', PLAIN: "it's $HOME", PORT: '3000' })
  })

  test('a name that no shell can assign is named, JSON takes it', async () => {
    await attach('1ST', 'v', false)
    const answer = await exporting({ format: 'env' })
    expect(answer.status).toBe(400)
    expect(answer.failure?.details).toEqual({ names: ['1ST'] })
    expect((await exporting({ format: 'json' })).json).toEqual({ '1ST': 'v' })
  })

  test('reveal is refused where the server is not set to show values', async () => {
    expectError(await exporting({ reveal: '1' }), 403, 'Forbidden: reveal is not allowed', 'forbidden')
    expectError(await exporting({ format: 'xml' }), 400, 'format must be env or json', 'invalid')
  })

  test('a revealed export imports into another bundle as it was', async () => {
    const dev = await startTestApi(kind, { devAllowPlaintext: true })
    const as = await dev.newOwner()
    const bundles = await Promise.all(
      ['a', 'b'].map(async (name) => (await dev.call('createBundle', { as, body: { name } })).json.id),
    )
    const [from = '', to = ''] = bundles
    const data = {
      QUOTES: `'"`,
      TWO_LINES: 'a\nb\r\n',
      EMPTY: '',
      SHELL: '$(x) `y` \\ !',
      LONG: 'x'.repeat(5_000),
    }
    await dev.call('importItems', { as, params: { bundle_id: from }, body: { format: 'json', data } })
    const reveal = { reveal: '1' }
    const { text } = await dev.call('exportBundle', { as, params: { bundle_id: from }, query: reveal })
    await dev.call('importItems', { as, params: { bundle_id: to }, body: { format: 'env', payload: text } })
    const query = { ...reveal, format: 'json' }
    expect((await dev.call('exportBundle', { as, params: { bundle_id: to }, query })).json).toEqual(data)
    await dev.close()
  })

  test('ten thousand entries are imported, one more is refused whole', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `K${index}=${index}\n`).join('')
    expect((await importEnv(lines)).json).toMatchObject({ created: 10_000, updated: 0 })
    expectError(await importEnv(`${lines}ONE_MORE=1`), 400, 'an import must hold at most 10000 entries')
  })

  test('an unknown bundle is not found', async () => {
    const place = { as: owner, params: { bundle_id: randomUUID() } }
    expectError(await api.call('exportBundle', place), 404, 'bundle not found')
    const body = { format: 'json', data: {} }
    expectError(await api.call('importItems', { ...place, body }), 404, 'bundle not found')
    expectError(
      await api.call('upsertLegacyItem', { ...place, body: { key: 'A', value: '' } }),
      404,
      'bundle not found',
    )
  })
})
