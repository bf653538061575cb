import { beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, expectFailure, newName, TIME, textOf, UUID } from './client.ts'
import { newPerson, type Running } from './servers.ts'

const KEYS = '/api/v1/keys'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** The keys of the library. */
export function keys(running: Running): void {
  let caller: Caller
  beforeAll(async () => {
    ;({ caller } = await newPerson(running(), running().url))
  })
  const create = (body: object) => caller.post(KEYS, body)
  const newKey = async (body: object = {}): Promise<Answer> =>
    await create({ name: newName('KEY'), value: 'a value', ...body })

  test('a new key is secret, and its value is masked', async () => {
    const name = newName('KEY')
    const answer = await create({ name, value: 'a secret value' })
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({
      id: expect.stringMatching(UUID),
      name,
      value: '*****',
      is_secret: true,
      description: '',
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      used_in_bundles: 0,
    })
  })

  test('a key that is not secret shows its value', async () => {
    const answer = await newKey({ value: ' any\ntext "ä"', is_secret: false, description: 'what for' })
    expect(answer.json).toMatchObject({ value: ' any\ntext "ä"', is_secret: false, description: 'what for' })
  })

  test('a name or value that is missing or invalid is 400', async () => {
    expectFailure(await create({ value: 'x' }), 400, 'Key name is required')
    expectFailure(await create({ name: '', value: 'x' }), 400, 'Key name is required')
    expectFailure(await create({ name: newName('KEY') }), 400, 'Key value is required')
    expectFailure(await create({ name: 'WITH-DASH', value: 'x' }), 400)
    expectFailure(await create({ name: newName('KEY'), value: 1 }), 400)
  })

  test('a name that is taken is 409', async () => {
    const name = newName('KEY')
    expect((await create({ name, value: '1' })).status).toBe(201)
    expectFailure(await create({ name, value: '2' }), 409, 'Key with this name already exists')
  })

  test('the list has every key, and finds names in any case', async () => {
    const [secret, open] = [await newKey(), await newKey({ is_secret: false })]
    const all = await caller.get(KEYS)
    expect([all.status, all.json]).toEqual([200, expect.arrayContaining([secret.json, open.json])])
    const name = textOf(secret, 'name')
    const found = await caller.get(`${KEYS}?query=${name.slice(2).toLowerCase()}`)
    expect([found.status, found.json]).toEqual([200, [secret.json]])
  })

  test('one key says which bundles use it', async () => {
    const key = await newKey()
    const name = newName('team/app')
    const bundle = await caller.post('/api/v1/bundles', { name })
    await caller.post(`/api/v1/bundles/${textOf(bundle, 'id')}/keys/${textOf(key, 'id')}`)
    const got = await caller.get(`${KEYS}/${textOf(key, 'id')}`)
    expect(got.status).toBe(200)
    expect(got.json).toMatchObject({
      ...Object(key.json),
      used_in_bundles: 1,
      bundles: [{ id: textOf(bundle, 'id'), name }],
    })
  })

  test('a value is revealed in development mode only', async () => {
    const key = await newKey()
    expectFailure(await caller.get(`${KEYS}/${textOf(key, 'id')}?reveal=1`), 403)
  })

  test('value, description and mark can be changed, and each of them alone; the name cannot', async () => {
    const key = await newKey()
    const path = `${KEYS}/${textOf(key, 'id')}`
    const described = await caller.put(path, { description: 'new' })
    expect([described.status, described.json]).toMatchObject([200, { description: 'new', value: '*****' }])
    const shown = await caller.put(path, { value: 'changed', is_secret: false, name: 'OTHER' })
    expect([shown.status, shown.json]).toMatchObject([
      200,
      { name: textOf(key, 'name'), value: 'changed', is_secret: false, description: 'new' },
    ])
    expect((await caller.put(path, { is_secret: true })).json).toMatchObject({ value: '*****' })
  })

  test('a deleted key is gone from all bundles', async () => {
    const key = await newKey()
    const bundle = await caller.post('/api/v1/bundles', { name: newName('app') })
    const attached = `/api/v1/bundles/${textOf(bundle, 'id')}/keys`
    await caller.post(`${attached}/${textOf(key, 'id')}`)
    const path = `${KEYS}/${textOf(key, 'id')}`
    expect(await caller.delete(path)).toMatchObject({ status: 200, json: { ok: true } })
    expect(await caller.get(attached)).toMatchObject({ status: 200, json: [] })
    expectFailure(await caller.get(path), 404, 'Key not found')
  })

  test('an unknown key is 404', async () => {
    const path = `${KEYS}/${UNKNOWN}`
    for (const answer of [
      await caller.get(path),
      await caller.put(path, { value: 'x' }),
      await caller.delete(path),
    ])
      expectFailure(answer, 404, 'Key not found')
  })
}
