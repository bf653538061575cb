import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../plumbing/test/until.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { faultyDatabase } from './faulty-database.ts'
import { Faults } from './faulty-requests.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const LIFETIME_MS = 300_000

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

describe.each(oneDatabase)('an approval that never returns, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })
  afterAll(() => api.close())
  beforeEach(() => {
    skippedMs = 0
  })

  const held = async (release: 'loopback' | 'code') => {
    const client = new ReturningClient(api)
    const requestId = await client.request()
    const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'], release }
    return { client, requestId, secret: secretOf((await approveWith(api, owner, choice)).json) }
  }
  const newest = async () => (await api.call('listDeliveries', { as: owner })).json[0]
  const alarms = async () =>
    (await api.call('listAudit', { as: owner })).json.filter(
      ({ action }) => action === 'delivery.not_released',
    )

  test('ends with one alarm once its request has expired, and not before', async () => {
    const { requestId } = await held('loopback')
    skippedMs = LIFETIME_MS - 60_000
    await api.sweep()
    expect(await newest()).toMatchObject({ state: 'held' })
    skippedMs = LIFETIME_MS
    await api.sweep()
    expect(await newest()).toMatchObject({ state: 'void' })
    expect((await api.call('getRequestContext', { params: { request_id: requestId } })).status).toBe(404)
    await api.sweep()
    const found = await alarms()
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ target: { id: bundle.id }, data: { reason: 'expired' } })
  })

  test('ends even behind a hundred overdue rows that no server wrote', async () => {
    const before = (await alarms()).length
    const { requestId } = await held('loopback')
    const file = new DatabaseSync(`${api.settings.dataDir}/keyferry.db`, { timeout: PATIENCE_MS })
    const row = file.prepare('select * from requests where id = ?').get(requestId) ?? {}
    const columns = Object.keys(row)
    const insert = file.prepare(
      `insert into requests (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    )
    const overdueMs = Number(row['expires_at_ms']) - 1_000
    for (let index = 0; index < 100; index++)
      insert.run(...Object.values({ ...row, id: `!${index}`, expires_at_ms: overdueMs }))
    file.close()
    skippedMs = LIFETIME_MS
    await api.sweep()
    await api.sweep()
    expect(await newest()).toMatchObject({ state: 'void' })
    expect(await alarms()).toHaveLength(before + 1)
  })

  test('is no alarm if it returned in time and its request expired later', async () => {
    const before = (await alarms()).length
    const { client, requestId, secret } = await held('code')
    expect((await client.release(requestId, secret)).status).toBe(200)
    expect(client.opened(await client.waits(requestId))).toEqual({ URL: 'pg://s3cret' })
    await expect.poll(newest).toMatchObject({ state: 'collected' })
    skippedMs = LIFETIME_MS
    await api.sweep()
    expect(await newest()).toMatchObject({ state: 'collected' })
    expect(await alarms()).toHaveLength(before)
  })
})

describe('the first of two approvals', () => {
  const faults = new Faults()
  let api: TestApi
  let owner: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi('sqlite', {
      trustProxy: ['127.0.0.1'],
      now,
      aroundDatabase: (database) => faultyDatabase(database, faults),
    })
    owner = await api.newOwner()
    await joinWorkspace(api, owner, 'member')
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
    const params = { bundle_id: bundle.id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { approvals_needed: 2 } })
  })
  afterAll(() => api.close())

  const firstHeld = async () => {
    const client = new ReturningClient(api)
    const requestId = await client.request()
    const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'], release: 'code' }
    return { client, requestId, secret: secretOf((await approveWith(api, owner, choice)).json) }
  }
  const newest = async () => (await api.call('listAudit', { as: owner })).json[0]
  const alarm = (reason: string) => ({
    action: 'delivery.not_released',
    actor: { id: owner.userId },
    target: { kind: 'bundle', id: bundle.id, name: bundle.name },
    data: { names: ['URL'], reason },
  })

  test('raises an alarm if it never returns until its request expires', async () => {
    await firstHeld()
    expect(await newest()).toMatchObject({ action: 'delivery.first_approved' })
    skippedMs += LIFETIME_MS
    await api.sweep()
    expect(await newest()).toMatchObject(alarm('expired'))
  })

  test('raises an alarm with the third wrong code', async () => {
    const { client, requestId } = await firstHeld()
    for (const code of ['000 001', '000 002', '000 003']) await client.release(requestId, code)
    await expect.poll(newest).toMatchObject(alarm('wrong_code'))
  })

  test('raises none if it returned, and only the second person is missing', async () => {
    const { client, requestId, secret } = await firstHeld()
    // The return and its event are one transaction, whose reply the database loses.
    faults.next('after')
    expect((await client.release(requestId, secret)).status).toBe(503)
    expect((await client.release(requestId, secret)).status).toBe(409)
    skippedMs += LIFETIME_MS
    await api.sweep()
    const { json } = await api.call('listAudit', { as: owner })
    const actions = json.map(({ action }) => action)
    expect(actions.slice(0, 2)).toEqual(['request.returned', 'delivery.first_approved'])
  })
})
