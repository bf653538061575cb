import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, startTestApi, type TestApi } from './api.ts'

describe.each(databases)('attachments on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle_id: string
  let keys: Record<string, string>
  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    bundle_id = (await api.call('createBundle', { as: owner, body: { name: 'bundle' } })).json.id
    keys = {}
    for (const name of ['A', 'B', 'C', 'D']) {
      keys[name] = (await api.call('createKey', { as: owner, body: { name, value: name } })).json.id
    }
  })

  const place = (name: string) => ({ bundle_id, key_id: keys[name] ?? '' })
  const attach = (name: string, body?: unknown) =>
    api.call('attachKey', { as: owner, params: place(name), body })
  const move = (name: string, order: unknown) =>
    api.call('reorderKey', { as: owner, params: place(name), body: { order } })
  const names = async () => {
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id } })
    expect(json.map(({ order }) => order)).toEqual(json.map((_, index) => index))
    return json.map(({ name }) => name).join('')
  }

  test('attaching appends, answers 201 and says so', async () => {
    const answer = await attach('A')
    expect([answer.status, answer.json]).toEqual([201, { ok: true, message: 'key attached', stricter: [] }])
    await attach('B', {})
    expect(await names()).toBe('AB')
  })

  test('attaching with an order inserts there, beyond the end it appends', async () => {
    for (const name of ['A', 'B']) await attach(name)
    await attach('C', { order: 1, required: true })
    await attach('D', { order: 99 })
    expect(await names()).toBe('ACBD')
    const { json } = await api.call('getBundle', { as: owner, params: { bundle_id } })
    expect(json.items[1]).toMatchObject({
      id: keys['C'],
      name: 'C',
      key: 'C',
      value: '*****',
      required: true,
    })
  })

  test.each([
    ['A', 2, 'BCAD'],
    ['D', 0, 'DABC'],
    ['B', 1, 'ABCD'],
    ['C', 0, 'CABD'],
    ['B', 99, 'ACDB'],
  ])('moving %s to %i gives %s', async (name, order, expected) => {
    for (const each of ['A', 'B', 'C', 'D']) await attach(each)
    expect((await move(name, order)).json).toEqual({ ok: true })
    expect(await names()).toBe(expected)
  })

  test.each([-1, 1.5, '1', null, undefined])('the order %j is 400', async (order) => {
    await attach('A')
    expectError(await move('A', order), 400, 'order must be a whole number from 0', 'invalid')
  })

  test('detaching closes the gap and leaves the key', async () => {
    for (const name of ['A', 'B', 'C']) await attach(name)
    expect((await api.call('detachKey', { as: owner, params: place('B') })).json).toEqual({ ok: true })
    expect(await names()).toBe('AC')
    expect((await api.call('getKey', { as: owner, params: place('B') })).status).toBe(200)
    expectError(await api.call('detachKey', { as: owner, params: place('B') }), 404, 'Key not found')
  })

  test('deleting a key closes the gap in every bundle', async () => {
    for (const name of ['A', 'B', 'C']) await attach(name)
    await api.call('deleteKey', { as: owner, params: place('A') })
    expect(await names()).toBe('BC')
  })

  test("deleting a stranger's key moves nothing", async () => {
    for (const name of ['A', 'B']) await attach(name)
    const stranger = await api.newOwner()
    expectError(await api.call('deleteKey', { as: stranger, params: place('A') }), 404, 'Key not found')
    expect(await names()).toBe('AB')
    expect((await api.call('listKeys', { as: stranger })).headers.get('x-total-count')).toBe('0')
  })

  test('attaching twice is a conflict, also concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => attach('A')))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expectError(await attach('A'), 409, 'Key already attached to bundle', 'conflict')
    expect(await names()).toBe('A')
  })

  test('concurrent changes leave the positions dense', async () => {
    for (const name of ['A', 'B']) await attach(name)
    await Promise.all([attach('C', { order: 0 }), attach('D', { order: 1 }), move('A', 1), move('B', 0)])
    expect((await names()).split('').toSorted().join('')).toBe('ABCD')
    const detach = (name: string) => api.call('detachKey', { as: owner, params: place(name) })
    await Promise.all([detach('A'), api.call('deleteKey', { as: owner, params: place('C') }), move('D', 0)])
    expect(await names()).toBe('DB')
  })

  test('whether a key is required can be changed, and its place stays', async () => {
    for (const name of ['A', 'B']) await attach(name)
    const body = { required: true }
    const answer = await api.call('changeAttachment', { as: owner, params: place('A'), body })
    expect([answer.status, answer.json]).toEqual([200, { ok: true, stricter: [] }])
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id } })
    expect(json.map(({ name, order, required }) => [name, order, required])).toEqual([
      ['A', 0, true],
      ['B', 1, false],
    ])
    const missing = await api.call('changeAttachment', { as: owner, params: place('A'), body: {} })
    expectError(missing, 400, 'as, required or key_id must be given')
  })

  test('a new value counts in every bundle at once', async () => {
    const second = (await api.call('createBundle', { as: owner, body: { name: 'second' } })).json.id
    await attach('A')
    await api.call('attachKey', { as: owner, params: { bundle_id: second, key_id: keys['A'] ?? '' } })
    await api.call('updateKey', { as: owner, params: place('A'), body: { value: 'new', is_secret: false } })
    for (const params of [{ bundle_id }, { bundle_id: second }]) {
      expect((await api.call('getBundle', { as: owner, params })).json.items[0]?.value).toBe('new')
    }
    const { json } = await api.call('getKey', { as: owner, params: place('A') })
    expect(json).toMatchObject({ used_in_bundles: 2, bundles: [{ name: 'bundle' }, { name: 'second' }] })
  })

  test('unknown bundles and keys are not found', async () => {
    const noBundle = { ...place('A'), bundle_id: randomUUID() }
    const noKey = { ...place('A'), key_id: randomUUID() }
    for (const name of ['attachKey', 'detachKey'] as const) {
      expectError(await api.call(name, { as: owner, params: noBundle }), 404, 'bundle not found')
      expectError(await api.call(name, { as: owner, params: noKey }), 404, 'Key not found')
    }
    const body = { order: 0 }
    expectError(await api.call('reorderKey', { as: owner, params: noBundle, body }), 404, 'bundle not found')
    expectError(await api.call('reorderKey', { as: owner, params: noKey, body }), 404, 'Key not found')
    const change = { required: true }
    for (const [params, message] of [
      [noBundle, 'bundle not found'],
      [noKey, 'Key not found'],
    ] as const)
      expectError(await api.call('changeAttachment', { as: owner, params, body: change }), 404, message)
    expectError(await api.call('listBundleKeys', { as: owner, params: noBundle }), 404, 'bundle not found')
  })
})
