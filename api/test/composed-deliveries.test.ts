import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'
import { ComposedLibrary, URL_TEMPLATE } from './composed-library.ts'
import { fetchValues, grant, newMachine } from './machine-client.ts'

describe.each(oneDatabase)('delivering composed values on %s', (kind) => {
  let api: TestApi
  let library: ComposedLibrary
  let prod: string
  let url: string
  let password: string
  beforeAll(async () => {
    api = await startTestApi(kind, {
      devAllowPlaintext: true,
      trustProxy: ['127.0.0.1'],
      maxPayloadBytes: 200_000,
    })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    library = new ComposedLibrary(api, await api.newOwner())
    prod = await library.bundle('prod/app')
    url = await library.template('DATABASE_URL', URL_TEMPLATE)
    await library.attach(prod, url)
    password = await library.has(prod, 'DB_PASSWORD', 'p@ss')
    await library.has(prod, 'DB_HOST', 'db.prod', { is_secret: false })
  })

  const approved = async (include_keys: string[]) => {
    const client = new ApprovalClient(api)
    const requestId = await client.asked()
    const answer = await approveWith(api, library.owner, { requestId, bundle_id: prod, include_keys })
    return { client, requestId, answer }
  }
  const deliver = async (names: string[]) => {
    const { client, requestId, answer } = await approved(names)
    expect(answer.failure).toBeNull()
    const ready = await client.wait(requestId)
    return { ready: ready.json, values: client.opened(ready) }
  }
  const offered = async () => {
    const requestId = await new ApprovalClient(api).asked()
    const params = { request_id: requestId, bundle_id: prod }
    const { json } = await api.call('getRequestBundle', { as: library.owner, params })
    return new Map(json.items.map((item) => [item.key, item]))
  }
  const holders = async (key_id: string) =>
    (await api.call('listHolders', { as: library.owner, params: { key_id } })).json

  test('parts go into the value and are not delivered by themselves', async () => {
    const { ready, values } = await deliver(['DATABASE_URL'])
    expect(values).toEqual({ DATABASE_URL: 'postgres://app:p%40ss@db.prod/app' })
    expect(ready).toMatchObject({ versions: [{ name: 'DATABASE_URL', version: 1 }] })
  })

  test('a machine gets the whole value, and becomes a holder of it and of its secret part', async () => {
    const machine = await newMachine(api, library.owner)
    await grant(api, library.owner, { machine, bundle: { id: prod } })
    const wish = { token: machine.token, bundle_id: prod, include_keys: ['DATABASE_URL'] }
    const { answer, values } = await fetchValues(api, wish)
    expect(values).toEqual({ DATABASE_URL: 'postgres://app:p%40ss@db.prod/app' })
    expect(answer.json).toMatchObject({ keys: [{ name: 'DATABASE_URL', version: 1 }], missing_required: [] })
    for (const key of [url, password])
      expect(await holders(key)).toMatchObject([{ kind: 'machine', name: machine.name, version: 1 }])
  })

  test('a chosen part is delivered as well', async () => {
    const { values } = await deliver(['DB_HOST', 'DATABASE_URL'])
    expect(values).toEqual({ DB_HOST: 'db.prod', DATABASE_URL: 'postgres://app:p%40ss@db.prod/app' })
  })

  test('the approval page reads what a value is built from, and what is missing', async () => {
    const parts = ['DB_PASSWORD', 'DB_HOST']
    expect((await offered()).get('DATABASE_URL')).toMatchObject({
      built_from: parts,
      missing_parts: [],
      is_secret: true,
    })
    await api.call('detachKey', { as: library.owner, params: { bundle_id: prod, key_id: password } })
    const items = await offered()
    expect(items.get('DATABASE_URL')).toMatchObject({ built_from: parts, missing_parts: ['DB_PASSWORD'] })
    expect(items.get('DB_HOST')).not.toHaveProperty('built_from')
  })

  test('a missing part refuses the approval and is named; the request stays open', async () => {
    await api.call('detachKey', { as: library.owner, params: { bundle_id: prod, key_id: password } })
    const { answer, client, requestId } = await approved(['DATABASE_URL'])
    expect([answer.status, answer.failure?.details]).toEqual([
      400,
      { names: ['DATABASE_URL'], missing_parts: ['DB_PASSWORD'] },
    ])
    const other = { requestId, bundle_id: prod, include_keys: ['DB_HOST'] }
    expect((await approveWith(api, library.owner, other)).failure).toBeNull()
    expect(client.opened(await client.wait(requestId))).toEqual({ DB_HOST: 'db.prod' })
  })

  test('a template that is not chosen may lack a part', async () => {
    await api.call('detachKey', { as: library.owner, params: { bundle_id: prod, key_id: password } })
    expect((await deliver(['DB_HOST'])).values).toEqual({ DB_HOST: 'db.prod' })
  })

  test('who received a composed value holds its parts, which become stale when they change', async () => {
    await deliver(['DATABASE_URL'])
    await expect.poll(() => holders(password)).toMatchObject([{ version: 1, is_current: true }])
    await library.update(password, { value: 'next' })
    expect(await holders(password)).toMatchObject([{ version: 1, is_current: false }])
    expect(await holders(url)).toMatchObject([{ version: 1, is_current: true }])
    await deliver(['DATABASE_URL'])
    await expect.poll(() => holders(password)).toMatchObject([{ version: 2, is_current: true, times: 2 }])
  })

  test('the record of a delivery tells its parts, and so does the audit log', async () => {
    await deliver(['DATABASE_URL', 'DB_HOST'])
    const [delivery] = (await api.call('listDeliveries', { as: library.owner })).json
    expect(delivery?.keys).toMatchObject([
      { name: 'DATABASE_URL', version: 1, is_part: false },
      { name: 'DB_HOST', version: 1, is_part: false },
      { name: 'DB_PASSWORD', version: 1, is_part: true },
    ])
    await expect
      .poll(async () => (await api.call('listAudit', { as: library.owner })).text)
      .toContain('"parts":[["DB_PASSWORD",1]]')
  })

  test('a part that expired makes the value expired', async () => {
    await library.update(password, { expires_at: '2020-01-01T00:00:00Z' })
    expect((await offered()).get('DATABASE_URL')?.due).toBe('expired')
    expect((await deliver(['DATABASE_URL'])).ready).toMatchObject({ expired: ['DATABASE_URL'] })
  })

  test('composed values that are too large together are refused', async () => {
    await library.has(prod, 'LONG', 'x'.repeat(60_000))
    const names = ['A', 'B', 'C', 'D']
    for (const name of names) await library.attach(prod, await library.template(name, `${name}\${LONG}`))
    expect((await deliver(['A', 'B', 'C'])).values).toMatchObject({ A: `A${'x'.repeat(60_000)}` })
    expect((await approved(names)).answer.status).toBe(413)
  })

  test('a template with a long part stays within the bound of a value', async () => {
    await library.has(prod, 'LONG', '/'.repeat(30_000))
    await library.attach(prod, await library.template('ENCODED', '${LONG|uri}'))
    const { answer } = await approved(['ENCODED'])
    expect([answer.status, answer.failure?.details]).toEqual([400, { names: ['ENCODED'] }])
  })
})
