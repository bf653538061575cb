import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const UNKNOWN_ID = 'f'.repeat(32)
const values = {
  PORT: { value: '3000', is_secret: false },
  URL: 'pg://s3cret',
  HOSTILE: '"\'$`\\\n\u202eé😀',
  EMPTY: '',
}

describe.each(oneDatabase)('approving and denying on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let stranger: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], maxPayloadBytes: 1_000 })
    owner = await api.newOwner()
    stranger = await api.newOwner()
    bundle = await newBundle(api, owner, values)
  })
  afterAll(() => api.close())

  const client = () => new ApprovalClient(api)
  const context = (requestId: string) => api.call('getRequestContext', { params: { request_id: requestId } })
  const approve = (requestId: string, body: Record<string, unknown> = {}, as: Identity = owner) =>
    approveWith(api, as, { requestId, bundle_id: bundle.id, include_keys: ['URL'], ...body })
  const deny = (requestId: string) =>
    api.call('denyRequest', { as: owner, params: { request_id: requestId } })

  describe('approve', () => {
    test('seals the chosen values to the client, and delivers them once', async () => {
      const asking = client()
      const id = await asking.asked()
      const approved = await approve(id, { include_keys: Object.keys(values) })
      expect([approved.status, approved.json]).toEqual([200, { ok: true }])
      expect((await context(id)).json.status).toBe('ready')
      const answer = await asking.wait(id)
      expect(asking.opened(answer)).toEqual({
        PORT: '3000',
        URL: values.URL,
        HOSTILE: values.HOSTILE,
        EMPTY: '',
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expectError(await client().wait(id), 404, GONE, 'not_found')
      expectError(await context(id), 404, GONE)
    })

    test('counts a repeated name once', async () => {
      const asking = client()
      const id = await asking.asked()
      expect((await approve(id, { include_keys: ['URL', 'URL'] })).status).toBe(200)
      expect(asking.opened(await asking.wait(id))).toEqual({ URL: values.URL })
    })

    test.each([
      ['an empty choice', { include_keys: [] }, 'include_keys must not be empty'],
      ['no choice', { include_keys: undefined }, 'include_keys required'],
      ['no bundle', { bundle_id: undefined }, 'bundle_id required'],
    ])('answers 400 for %s', async (_, body, message) => {
      expectError(await approve(await client().asked(), body), 400, message, 'invalid')
    })

    test('answers 400 naming the keys that the bundle does not contain, and leaves the request pending', async () => {
      const asking = client()
      const id = await asking.asked()
      await api.call('createKey', { as: owner, body: { name: `LOOSE_${id}`, value: 'x' } })
      const answer = await approve(id, { include_keys: ['URL', 'NOPE', `LOOSE_${id}`] })
      expect(answer.failure).toMatchObject({ code: 'invalid', details: { keys: ['NOPE', `LOOSE_${id}`] } })
      expect(answer.status).toBe(400)
      expect((await approve(id)).status).toBe(200)
    })

    test('answers 401 without a signature', async () => {
      const id = await client().asked()
      const body = { bundle_id: bundle.id, include_keys: ['URL'] }
      expectError(await approveWith(api, undefined, { requestId: id, ...body }), 401, 'Unauthorized')
    })

    test("answers 404 for an unknown request and for another tenant's bundle", async () => {
      expectError(await approve(UNKNOWN_ID), 404, GONE, 'not_found')
      expectError(await approve(await client().asked(), {}, stranger), 404, 'bundle not found', 'not_found')
    })

    test.each([
      ['by themselves', 'x'.repeat(1_000)],
      ['as the client gets them', '\n'.repeat(600)],
    ])('answers 413 when the values are too large %s, and leaves the request pending', async (_, value) => {
      const name = `LARGE_${randomBytes(4).toString('hex')}`
      const large = await newBundle(api, owner, { [name]: value })
      const id = await client().asked()
      const answer = await approve(id, { bundle_id: large.id, include_keys: [name] })
      expectError(answer, 413, 'approval payload exceeds 1000 bytes', 'too_large')
      expect((await context(id)).json.status).toBe('pending')
    })

    test('answers 409 for what is approved already', async () => {
      const id = await client().asked()
      await approve(id)
      expectError(await approve(id), 409, 'Request already approved', 'conflict')
    })

    test('of 20 approvers at once exactly one wins', async () => {
      const asking = client()
      const id = await asking.asked()
      const answers = await Promise.all(Array.from({ length: 20 }, () => approve(id)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
      expect(asking.opened(await asking.wait(id))).toEqual({ URL: values.URL })
    })

    test('a code that was typed wrong is refused, and five end the request', async () => {
      const asking = client()
      const { id, user_code } = (await asking.ask()).json
      const wrong = user_code.startsWith('B') ? 'CCCC-CCCC' : 'BBBB-BBBB'
      const left = []
      for (let n = 0; n < 5; n++) {
        const answer = await approve(id, { user_code: wrong })
        expectError(answer, 400, 'user_code does not match', 'invalid')
        left.push(answer.failure?.details?.['attempts_left'])
      }
      expect(left).toEqual([4, 3, 2, 1, 0])
      expectError(await approve(id, { user_code }), 404, GONE, 'request_denied')
      expectError(await asking.wait(id), 404, GONE, 'request_denied')
    })
  })

  describe('deny', () => {
    test('ends the request for every caller, as request_denied', async () => {
      const asking = client()
      const id = await asking.asked()
      const { status, json } = await deny(id)
      expect([status, json]).toEqual([200, { ok: true }])
      expectError(await asking.wait(id), 404, GONE, 'request_denied')
      expectError(await context(id), 404, GONE, 'request_denied')
      expectError(await approve(id), 404, GONE, 'request_denied')
      expectError(await deny(id), 404, GONE, 'request_denied')
    })

    test('answers 401 without a signature, 404 for an unknown request, 409 for an approved one', async () => {
      const id = await client().asked()
      expectError(await api.call('denyRequest', { params: { request_id: id } }), 401, 'Unauthorized')
      expectError(await deny(UNKNOWN_ID), 404, GONE, 'not_found')
      await approve(id)
      expectError(await deny(id), 409, 'Request already approved', 'conflict')
    })
  })

  test('a payload cannot be stored unless plaintext is allowed for development', async () => {
    const id = await client().asked()
    const answer = await api.call('storePayload', {
      params: { request_id: id },
      body: { ciphertext_base64: 'AAAA' },
    })
    expectError(answer, 403, 'Forbidden: development only', 'forbidden')
  })
})
