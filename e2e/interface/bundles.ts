import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Caller, expectFailure, newName, TIME, textOf, UUID } from './client.ts'
import { newPerson, type Running } from './servers.ts'

const BUNDLES = '/api/v1/bundles'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const DONE = { status: 200, json: { ok: true } }

const idsOf = ({ json }: Answer) => (Array.isArray(json) ? json.map(({ id }) => id) : json)

/** Bundles and what is attached to them. */
export function bundles(running: Running): void {
  let caller: Caller
  beforeAll(async () => {
    ;({ caller } = await newPerson(running(), running().url))
  })
  const create = (body: object) => caller.post(BUNDLES, body)
  const newBundle = async () => textOf(await create({ name: newName('dev/app') }), 'id')

  test('a bundle is created with a description and tags', async () => {
    const name = newName('team-1/app')
    const answer = await create({ name, description: 'what for', tags: 'one,two' })
    expect(answer.status).toBe(201)
    const times = { created_at: expect.stringMatching(TIME), updated_at: expect.stringMatching(TIME) }
    const texts = { name, description: 'what for', tags: expect.anything() }
    expect(answer.json).toMatchObject({ id: expect.stringMatching(UUID), ...texts, ...times })
  })

  test('a name that is missing, invalid or taken is refused', async () => {
    expectFailure(await create({}), 400, 'name required')
    expectFailure(await create({ name: '' }), 400, 'name required')
    expectFailure(await create({ name: 'with blank' }), 400)
    const name = newName('app')
    expect((await create({ name })).status).toBe(201)
    expectFailure(await create({ name }), 409, 'bundle with this name already exists')
  })

  test('the list has no items, finds names in any case, and filters by tag', async () => {
    const [name, tag] = [newName('Dev/App'), newName('tag')]
    const id = textOf(await create({ name, tags: `other,${tag}` }), 'id')
    const all = await caller.get(BUNDLES)
    expect([all.status, all.json]).toMatchObject([
      200,
      expect.arrayContaining([expect.objectContaining({ id, name })]),
    ])
    expect(all.text).not.toContain('"items"')
    for (const query of [`query=${name.toUpperCase()}`, `tag=${tag}`])
      expect(await caller.get(`${BUNDLES}?${query}`)).toMatchObject({ status: 200, json: [{ id, name }] })
    expect(await caller.get(`${BUNDLES}?tag=${newName('none')}`)).toMatchObject({ status: 200, json: [] })
  })

  test('an unknown bundle is 404', async () => {
    const path = `${BUNDLES}/${UNKNOWN}`
    for (const part of ['', '/keys', '/export'])
      expectFailure(await caller.get(path + part), 404, 'bundle not found')
    expectFailure(await caller.delete(path), 404, 'bundle not found')
    expectFailure(
      await caller.post(`${path}/import`, { format: 'env', payload: 'A=1' }),
      404,
      'bundle not found',
    )
  })

  test('a deleted bundle leaves its keys in the library', async () => {
    const [bundle, key] = [await newBundle(), await newKey()]
    await caller.post(`${BUNDLES}/${bundle}/keys/${key}`)
    expect(await caller.delete(`${BUNDLES}/${bundle}`)).toMatchObject(DONE)
    expectFailure(await caller.get(`${BUNDLES}/${bundle}`), 404, 'bundle not found')
    expect(await caller.get(`/api/v1/keys/${key}`)).toMatchObject({
      status: 200,
      json: { used_in_bundles: 0 },
    })
  })

  const newKey = async (body: object = {}) =>
    textOf(await caller.post('/api/v1/keys', { name: newName('KEY'), value: 'a value', ...body }), 'id')

  describe('attached keys', () => {
    test('are listed in order, masked where they are secret', async () => {
      const [bundle, secret, open] = [await newBundle(), await newKey(), await newKey({ is_secret: false })]
      const attached = await caller.post(`${BUNDLES}/${bundle}/keys/${secret}`)
      expect([200, 201]).toContain(attached.status)
      expect(attached.json).toMatchObject({ ok: true })
      await caller.post(`${BUNDLES}/${bundle}/keys/${open}`, { order: 0, required: true })
      const listed = await caller.get(`${BUNDLES}/${bundle}/keys`)
      const name = expect.any(String)
      expect([listed.status, listed.json]).toMatchObject([
        200,
        [
          { id: open, name, value: 'a value', is_secret: false, order: 0 },
          { id: secret, name, value: '*****', is_secret: true, order: 1 },
        ],
      ])
      const got = await caller.get(`${BUNDLES}/${bundle}`)
      const items = [{ value: 'a value' }, { value: '*****', is_secret: true }]
      expect([got.status, got.json]).toMatchObject([200, { id: bundle, items }])
    })

    test('are attached once', async () => {
      const [bundle, key] = [await newBundle(), await newKey()]
      const path = `${BUNDLES}/${bundle}/keys/${key}`
      await caller.post(path)
      expectFailure(await caller.post(path), 409, 'Key already attached to bundle')
      expectFailure(await caller.post(`${BUNDLES}/${UNKNOWN}/keys/${key}`), 404, 'bundle not found')
      expectFailure(await caller.post(`${BUNDLES}/${bundle}/keys/${UNKNOWN}`), 404, 'Key not found')
    })

    test('change their value in every bundle at once', async () => {
      const [one, two, key] = [await newBundle(), await newBundle(), await newKey({ is_secret: false })]
      for (const bundle of [one, two]) await caller.post(`${BUNDLES}/${bundle}/keys/${key}`)
      await caller.put(`/api/v1/keys/${key}`, { value: 'changed' })
      for (const bundle of [one, two])
        expect(await caller.get(`${BUNDLES}/${bundle}/keys`)).toMatchObject({ json: [{ value: 'changed' }] })
    })

    test('are moved', async () => {
      const bundle = await newBundle()
      const [a, b, c] = [await newKey(), await newKey(), await newKey()]
      for (const key of [a, b, c]) await caller.post(`${BUNDLES}/${bundle}/keys/${key}`)
      const move = (key: string, body: object) => caller.put(`${BUNDLES}/${bundle}/keys/${key}/order`, body)
      expect(await move(c, { order: 0 })).toMatchObject(DONE)
      expect(idsOf(await caller.get(`${BUNDLES}/${bundle}/keys`))).toEqual([c, a, b])
      for (const order of [undefined, 'first', -1, 1.5]) expectFailure(await move(a, { order }), 400)
      expectFailure(await move(UNKNOWN, { order: 0 }), 404)
    })

    test('are detached, and stay in the library', async () => {
      const [bundle, key] = [await newBundle(), await newKey()]
      const path = `${BUNDLES}/${bundle}/keys/${key}`
      expectFailure(await caller.delete(path), 404)
      await caller.post(path)
      expect(await caller.delete(path)).toMatchObject(DONE)
      expect(await caller.get(`${BUNDLES}/${bundle}/keys`)).toMatchObject({ status: 200, json: [] })
      expect((await caller.get(`/api/v1/keys/${key}`)).status).toBe(200)
      expectFailure(await caller.delete(`${BUNDLES}/${UNKNOWN}/keys/${key}`), 404, 'bundle not found')
    })
  })
}
