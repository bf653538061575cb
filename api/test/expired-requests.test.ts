import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const LIFETIME_MS = 300_000
const KNOWN_MS = 15 * 60_000

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

describe('a request whose lifetime has ended', () => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], now })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })
  afterAll(() => api.close())
  beforeEach(() => {
    skippedMs = 0
  })

  const context = (requestId: string) => api.call('getRequestContext', { params: { request_id: requestId } })
  const approve = (requestId: string) =>
    approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys: ['URL'] })
  const deny = (requestId: string) =>
    api.call('denyRequest', { as: owner, params: { request_id: requestId } })

  test('answers 404 request_expired to every call, for 15 minutes', async () => {
    const verifier = generatePollVerifier()
    const asking = new ApprovalClient(api)
    const proof = { 'x-poll-verifier': verifier }
    const id = await asking.asked({ poll_challenge: pollChallenge(verifier) })
    skippedMs = LIFETIME_MS
    expectError(await context(id), 404, GONE, 'request_expired')
    expectError(await approve(id), 404, GONE, 'request_expired')
    expectError(await deny(id), 404, GONE, 'request_expired')
    expectError(await asking.wait(id, proof), 404, GONE, 'request_expired')
    const params = { request_id: id }
    expectError(await api.call('withdrawRequest', { params, headers: proof }), 404, GONE, 'request_expired')
    skippedMs = LIFETIME_MS + KNOWN_MS
    expectError(await context(id), 404, GONE, 'not_found')
  })

  test('is not_found when it was delivered before', async () => {
    const asking = new ApprovalClient(api)
    const id = await asking.asked()
    await approve(id)
    expect((await asking.wait(id)).status).toBe(200)
    await expect.poll(async () => (await context(id)).status).toBe(404)
    skippedMs = LIFETIME_MS
    expectError(await context(id), 404, GONE, 'not_found')
  })
})

describe('an approval that no client has fetched', () => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi('sqlite', { now })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })
  afterAll(() => api.close())

  const approved = async () => {
    const asking = new ApprovalClient(api)
    const id = await asking.asked()
    const choice = { requestId: id, bundle_id: bundle.id, include_keys: ['URL'] }
    expect((await approveWith(api, owner, choice)).status).toBe(200)
    return { asking, id }
  }
  const newest = async () => (await api.call('listDeliveries', { as: owner })).json[0]

  test('is void when its request expires', async () => {
    await approved()
    expect((await newest())?.state).toBe('approved')
    skippedMs += LIFETIME_MS
    await api.sweep()
    expect((await newest())?.state).toBe('void')
    const [event] = (await api.call('listAudit', { as: owner })).json
    expect(event).toMatchObject({ action: 'delivery.void', data: { reason: 'expired' } })
  })

  test('is collected when it was fetched, and stays so', async () => {
    const { asking, id } = await approved()
    expect((await asking.wait(id)).json.status).toBe('ready')
    await expect.poll(newest).toMatchObject({ state: 'collected' })
    skippedMs += LIFETIME_MS
    await api.sweep()
    expect((await newest())?.state).toBe('collected')
  })
})
