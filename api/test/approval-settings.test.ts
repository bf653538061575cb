import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const MIB = 1_048_576
const POLL_MS = 3_000

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

test('a check code counts however it was typed', async () => {
  const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'] })
  const owner = await api.newOwner()
  const { id: bundle_id } = await newBundle(api, owner, { URL: 'pg://s3cret' })
  const { id: requestId, user_code } = (await new ApprovalClient(api).ask()).json
  const typed = ` ${user_code.toLowerCase().replace('-', ' ')} `
  const approving = { requestId, bundle_id, include_keys: ['URL'], user_code: typed }
  expect((await approveWith(api, owner, approving)).status).toBe(200)
  await api.close()
})

describe('with a bound on open requests', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi('sqlite', { maxLiveRequests: 2, trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())

  test('a request beyond it is 503 with Retry-After, and the open ones go on', async () => {
    const client = new ApprovalClient(api)
    await client.asked()
    const open = await client.asked()
    const refused = await new ApprovalClient(api).ask()
    expectError(refused, 503, 'too many open requests: try again in a minute', 'unavailable')
    expect(refused.headers.get('retry-after')).toBe('60')
    const context = await api.call('getRequestContext', { params: { request_id: open } })
    expect(context.json.status).toBe('pending')
  })
})

const filled = (bytes: number) => ({ ignored: 'x'.repeat(bytes) })

test('a new request may be 32 KiB, and any other body may be larger', async () => {
  const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'] })
  const client = new ApprovalClient(api)
  expect((await client.ask(filled(32 * 1_024 - 200))).status).toBe(201)
  expectError(await client.ask(filled(32 * 1_024)), 413, 'request body too large', 'too_large')
  const as = await api.newOwner()
  expect((await api.call('createBundle', { as, body: { name: 'a', ...filled(64 * 1_024) } })).status).toBe(
    201,
  )
  await api.close()
})

describe('with plaintext allowed for development', () => {
  let api: TestApi
  beforeAll(async () => {
    const sizes = { maxPayloadBytes: 24 * MIB, maxBodyBytes: 48 * MIB }
    api = await startTestApi('sqlite', { devAllowPlaintext: true, now, trustProxy: ['127.0.0.1'], ...sizes })
  })
  afterAll(() => api.close())

  const store = (requestId: string, ciphertext_base64: unknown) =>
    api.call('storePayload', { params: { request_id: requestId }, body: { ciphertext_base64 } })

  test('a payload is delivered as it was stored', async () => {
    const client = new ApprovalClient(api)
    const id = await client.asked()
    expect((await store(id, 'c2VhbGVk')).json).toEqual({ ok: true })
    expect((await client.wait(id)).json).toEqual({ status: 'ready', ciphertext_base64: 'c2VhbGVk' })
  })

  test('a payload answers 400, 404, 409 and 413 where it must', async () => {
    const id = await new ApprovalClient(api).asked()
    expectError(await store(id, 'no base64!'), 400, 'ciphertext_base64 must be base64', 'invalid')
    expectError(await store('f'.repeat(32), 'AAAA'), 404, GONE, 'not_found')
    const large = Buffer.alloc(24 * MIB + 49).toString('base64')
    expectError(await store(id, large), 413, `approval payload exceeds ${24 * MIB} bytes`, 'too_large')
    await store(id, 'AAAA')
    expectError(await store(id, 'AAAA'), 409, 'Request already approved', 'conflict')
  })

  test('a ciphertext whose connection breaks on the way is delivered to the next caller, whole', async () => {
    const client = new ApprovalClient(api)
    const id = await client.asked()
    const ciphertext = Buffer.alloc(20 * MIB, 7).toString('base64')
    await store(id, ciphertext)

    const { port, hostname } = new URL(api.address)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /api/v1/requests/${id}/wait HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [head] = await once(socket, 'data')
    expect(String(head)).toContain('HTTP/1.1 200')
    socket.destroy()

    skippedMs += POLL_MS
    expect((await client.wait(id)).json).toEqual({ status: 'ready', ciphertext_base64: ciphertext })
    expectError(await new ApprovalClient(api).wait(id), 404, GONE)
  })
})

describe('at the end of its lifetime', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi('sqlite', { now, trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())

  test('a wait ends with 404 at the moment of expiry, and everything after it answers 404', async () => {
    const owner = await api.newOwner()
    const client = new ApprovalClient(api)
    const asked = await client.ask()
    const params = { request_id: asked.json.id }
    skippedMs += asked.json.expires_in * 1_000 - 2_000
    const other = new ApprovalClient(api)
    const laterId = await other.asked()
    // It is far from its expiry, and waits for 30 seconds.
    let hasEnded = false
    const later = other.wait(laterId).finally(() => {
      hasEnded = true
    })
    await api.untilWaiting()
    expectError(await client.wait(asked.json.id), 404, GONE, 'request_expired')
    expect(hasEnded).toBe(false)
    expectError(await api.call('getRequestContext', { params }), 404, GONE, 'request_expired')
    expectError(await api.call('denyRequest', { as: owner, params }), 404, GONE, 'request_expired')
    await api.call('denyRequest', { as: owner, params: { request_id: laterId } })
    await later
  })
})
