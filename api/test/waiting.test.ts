import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const UNKNOWN_ID = 'f'.repeat(32)
const POLL_MS = 3_000
const values = { URL: 'pg://s3cret' }

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

describe.each(oneDatabase)('waiting on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, values)
  })
  afterAll(() => api.close())

  const client = () => new ApprovalClient(api)
  const approve = (requestId: string, body: Record<string, unknown> = {}) =>
    approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys: ['URL'], ...body })
  const deny = (requestId: string) =>
    api.call('denyRequest', { as: owner, params: { request_id: requestId } })

  test('is woken by the approval', async () => {
    const asking = client()
    const id = await asking.asked()
    const waiting = asking.wait(id)
    await api.untilWaiting()
    await approve(id)
    expect(asking.opened(await waiting)).toEqual({ URL: values.URL })
  })

  test('answers 404 at once when the request is denied during the wait', async () => {
    const asking = client()
    const id = await asking.asked()
    const waiting = asking.wait(id)
    await api.untilWaiting()
    await deny(id)
    expectError(await waiting, 404, GONE, 'request_denied')
  })

  test.each(['agents_denied', 'no_such_bundle'] as const)(
    'a client learns from a denial why no one can approve: %s',
    async (reason) => {
      const asking = client()
      const id = await asking.asked()
      const waiting = asking.wait(id)
      await api.untilWaiting()
      const denial = { as: owner, params: { request_id: id } }
      const wrong = await api.call('denyRequest', { ...denial, query: { reason: 'moon' } })
      expect([wrong.status, wrong.failure?.code]).toEqual([400, 'invalid'])
      expect((await api.call('denyRequest', { ...denial, query: { reason } })).status).toBe(200)
      const answer = await waiting
      expectError(answer, 404, GONE, 'request_denied')
      expect(answer.failure?.details).toEqual({ reason })
      expect((await api.call('denyRequest', denial)).failure?.details).toEqual({ reason })
    },
  )

  test('answers 429 to a call that comes too soon, even while the first waits', async () => {
    const asking = client()
    const id = await asking.asked()
    const first = asking.wait(id)
    await api.untilWaiting()
    const second = await asking.wait(id)
    expectError(second, 429, 'Too many requests', 'too_many')
    expect(second.headers.get('retry-after')).toBe('3')
    expect(second.headers.get('x-ratelimit-limit')).toBe('1')
    await approve(id)
    expect(asking.opened(await first)).toEqual({ URL: values.URL })
  })

  test('carries its rate on successes too', async () => {
    const asking = client()
    const id = await asking.asked()
    await approve(id)
    const { headers } = await asking.wait(id)
    expect(headers.get('x-ratelimit-limit')).toBe('100')
    expect(headers.get('x-ratelimit-remaining')).toBe('99')
  })

  test('answers 400 for an interval that is no number of seconds', async () => {
    const id = await client().asked()
    for (const interval of ['-1', 'x', '1.5']) {
      const answer = await api.call('waitForApproval', { params: { request_id: id }, query: { interval } })
      expect(answer.status).toBe(400)
    }
  })

  test('without the verifier of its challenge a request answers byte for byte as an unknown one', async () => {
    const asking = client()
    const verifier = generatePollVerifier()
    const id = await asking.asked({ poll_challenge: pollChallenge(verifier) })
    await approve(id)
    const unknown = await client().wait(UNKNOWN_ID)
    expectError(unknown, 404, GONE, 'not_found')
    for (const headers of [{}, { 'x-poll-verifier': generatePollVerifier() }, { 'x-poll-verifier': 'x' }]) {
      const refused = await client().wait(id, headers)
      expect([refused.status, refused.text]).toEqual([404, unknown.text])
    }
    const answer = await asking.wait(id, { 'x-poll-verifier': verifier })
    expect(asking.opened(answer)).toEqual({ URL: values.URL })
  })

  test('a wait whose connection breaks leaves the ciphertext for the next', async () => {
    const asking = client()
    const id = await asking.asked()
    const connection = new AbortController()
    const url = `${api.address}/api/v1/requests/${id}/wait`
    const broken = fetch(url, { signal: connection.signal }).catch(() => 'broken')
    await api.untilWaiting()
    connection.abort()
    expect(await broken).toBe('broken')
    await api.untilWaiting(0)
    await approve(id)
    skippedMs += POLL_MS
    expect(asking.opened(await asking.wait(id))).toEqual({ URL: values.URL })
  })
})
