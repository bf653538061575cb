import { join } from 'node:path'
import { digestOf } from '@keyferry/crypto/digest'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AroundRequests } from '../src/requesting.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { databases, type Identity, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { DepositClient } from './deposit-client.ts'
import { unwrapped } from './faulty-requests.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

/** A program that writes into the database, without the root key. */
describe.each(databases)('a writer of the requests, on %s', (kind) => {
  let api: TestApi
  let rows: Database
  let owner: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    rows = await openDatabaseOf(api)
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })
  afterAll(async () => {
    await rows.close()
    await api.close()
  })
  let client: ReturningClient
  let stolen: ReturningClient
  let id: string
  let other: string
  let secret: string
  // A person approves one request; the writer wants the values for another.
  beforeEach(async () => {
    client = new ReturningClient(api)
    stolen = new ReturningClient(api)
    id = await client.request(['loopback'])
    other = await stolen.request(['loopback'])
    secret = secretOf(await approved(id))
  })

  const approved = async (request_id: string) => {
    const body = { bundle_id: bundle.id, include_keys: ['URL'], release: 'loopback' }
    const { status, json } = await api.call('encryptFromBundle', { as: owner, params: { request_id }, body })
    expect(status).toBe(200)
    return json
  }
  const rowOf = (of: string) =>
    rows.query.selectFrom('requests').selectAll().where('id', '=', of).executeTakeFirstOrThrow()
  const set = async (of: string, columns: Partial<Awaited<ReturnType<typeof rowOf>>>) => {
    await rows.single((query) => query.updateTable('requests').set(columns).where('id', '=', of).execute())
  }
  const PAST_SERVER = { status: 500, json: { code: 'internal' } }

  test('an approval that nobody gave is refused', async () => {
    const { state, payload, payload_hash, payload_bytes, approvers } = await rowOf(id)
    await set(other, { state, payload, payload_hash, payload_bytes, approvers })
    expect(await stolen.release(other, secret)).toMatchObject(PAST_SERVER)
    expect(await stolen.waits(other)).toMatchObject(PAST_SERVER)
    expect(api.log()).toContain('RowNotWrittenByServer')
  })

  test('so is one with the MAC of another request', async () => {
    const { id: _, request: _request, ...rest } = await rowOf(id)
    await set(other, rest)
    expect(await stolen.release(other, secret)).toMatchObject(PAST_SERVER)
  })

  test.each([
    ['the key that values are sealed to', async () => ({ request: (await rowOf(other)).request })],
    ['the time until it counts', async () => ({ expires_at_ms: (await rowOf(id)).expires_at_ms + 60_000 })],
    ['its version', async () => ({ version: (await rowOf(id)).version + 1 })],
    ['its state', async () => ({ state: (await rowOf(id)).state.replace('URL', 'URI') })],
  ])('a change of %s is refused', async (_, changed) => {
    await set(id, await changed())
    expect(await client.release(id, secret)).toMatchObject(PAST_SERVER)
  })

  test('what the writer seals to the client is not delivered', async () => {
    await client.release(id, secret)
    const { payload } = await rowOf(id)
    await set(id, { payload: Buffer.from(`${payload}`, 'base64').subarray(1).toString('base64') })
    expect(await client.waits(id)).toMatchObject(PAST_SERVER)
  })

  test('a row without a MAC is no request', async () => {
    await set(id, { mac: null })
    expect((await client.release(id, secret)).status).toBe(500)
    expect((await api.call('listWaiting', { as: owner })).status).toBe(200)
  })

  test('what the server wrote counts', async () => {
    await client.release(id, secret)
    expect(client.opened(await client.waits(id))).toEqual({ URL: 'pg://s3cret' })
  })
})

test('a box that a writer swaps while it is read is not taken for the deposit', async () => {
  let isSwapped = false
  let rows: Database | null = null
  const set = (columns: object, id: string) =>
    rows?.single((query) => query.updateTable('requests').set(columns).where('id', '=', id).execute())
  const aroundRequests: AroundRequests = ({ requests, together }) => ({
    together,
    requests: {
      ...unwrapped(requests),
      async box(id, nowMs) {
        const columns = rows?.query.selectFrom('requests').select(['payload', 'payload_hash'])
        const before = await columns?.where('id', '=', id).executeTakeFirst()
        const payload = `${before?.payload} `
        if (isSwapped) await set({ payload, payload_hash: digestOf(payload) }, id)
        try {
          return await requests.box(id, nowMs)
        } finally {
          await set({ ...before }, id)
        }
      },
    },
  })
  const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], aroundRequests })
  rows = await openDatabase(join(api.settings.dataDir, 'keyferry.db'))
  const client = new DepositClient(api)
  const params = { request_id: await client.deposit('test/app', { URL: 'x' }) }
  expect((await api.call('getRequestContext', { params })).json.deposit).not.toBeNull()
  isSwapped = true
  expect((await api.call('getRequestContext', { params })).status).toBe(500)
  await rows.close()
  await api.close()
})
