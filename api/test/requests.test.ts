import { randomBytes } from 'node:crypto'
import { userCode } from '@keyferry/crypto/user-code'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const UNKNOWN_ID = 'f'.repeat(32)
const LOW_ORDER = ['00', '01', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'].map(
  (hex) => Buffer.from(hex.padEnd(64, '0'), 'hex').toString('base64'),
)

const values = {
  PORT: { value: '3000', is_secret: false },
  URL: 'pg://s3cret',
  HOSTILE: '"\'$`\\\n\u202eé😀',
  EMPTY: '',
}

describe.each(databases)('approval requests on %s', (kind) => {
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
  const list = (requestId: string, as?: Identity) =>
    api.call('listRequestBundles', { as, params: { request_id: requestId } })
  const get = (requestId: string, bundleId: string, as?: Identity) =>
    api.call('getRequestBundle', { as, params: { request_id: requestId, bundle_id: bundleId } })

  describe('create', () => {
    test('answers 201 with id, page, interval, lifetime and the check code', async () => {
      const asking = client()
      const { status, json } = await asking.ask()
      expect(status).toBe(201)
      expect(json).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        verification_uri_complete: `/approve/${json.id}`,
        interval: 3,
        expires_in: 300,
        assurance: 'compat',
        user_code: userCode(json.id, asking.keyPair.publicKey),
      })
    })

    test.each([
      ['without padding', (key: string) => key.replaceAll('=', '')],
      ['url-safe', (key: string) => key.replaceAll('+', '-').replaceAll('/', '_')],
    ])('takes a public key %s, and shows it in standard base64', async (_, respelt) => {
      const asking = client()
      const id = await asking.asked({ client_pubkey: respelt(asking.publicKey) })
      expect((await context(id)).json.cli_pubkey).toBe(asking.publicKey)
    })

    test.each([undefined, '', 5])('answers 400 for a public key that is %j', async (key) => {
      expectError(await client().ask({ client_pubkey: key }), 400, 'client_pubkey required', 'invalid')
    })

    test.each(['AAAA', '!'.repeat(44), randomBytes(31).toString('base64'), ...LOW_ORDER])(
      'answers 400 for the public key %s, to which nothing can be sealed safely',
      async (key) => {
        const message = 'client_pubkey must be base64 of 32 bytes, and not a low-order point'
        expectError(await client().ask({ client_pubkey: key }), 400, message, 'invalid')
      },
    )

    test.each([
      [{ format: 'csv' }],
      [{ template_keys: 'PORT' }],
      [{ template_keys: [5] }],
      [{ bundle_id: 5 }],
      [{ poll_challenge: 'short' }],
      [{ poll_challenge: 5 }],
      [{ meta: 'laptop' }],
      [{ meta: { hostname: 5 } }],
      [{ meta: { hostname: 'a\u001b[2J' } }],
      [{ meta: { command: 'x'.repeat(201) } }],
      [{ meta: { user: 'half \ud83d' } }],
      [{ bundle_id: '' }],
      [{ bundle_id: 'dev\u001b[2Japp' }],
      [{ bundle_id: 'dev/\u202eppa' }],
      [{ bundle_id: '\udead' }],
      [{ template_keys: ['PORT', 'a\u0000b'] }],
      [{ template_keys: ['PORT', '\u2066PORT'] }],
      [{ template_keys: ['\ud800'] }],
      [{ template_keys: ['x'.repeat(256)] }],
      [{ template_keys: Array.from({ length: 1_001 }, () => 'A') }],
    ])('answers 400 for %j', async (body) => {
      const answer = await client().ask(body)
      expect([answer.status, answer.failure?.code]).toEqual([400, 'invalid'])
    })

    test('ignores fields that it does not know', async () => {
      expect((await client().ask({ extra: 1, meta: { shoe_size: 44 } })).status).toBe(201)
    })

    test('answers 429 to the eleventh call in a minute, with every header', async () => {
      const asking = client()
      const begunSeconds = Date.now() / 1_000
      const answers = []
      for (let n = 0; n < 11; n++) answers.push(await asking.ask())
      expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(201), 429])
      expect(answers[0]?.headers.get('x-ratelimit-remaining')).toBe('9')
      const refused = answers[10]
      if (refused) expectError(refused, 429, 'Too many requests', 'too_many')
      expect(refused?.headers.get('x-ratelimit-limit')).toBe('10')
      expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0')
      const reset = Number(refused?.headers.get('x-ratelimit-reset'))
      expect(reset).toBeGreaterThan(begunSeconds + 50)
      expect(reset).toBeLessThan(Date.now() / 1_000 + 61)
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    })
  })

  describe('context', () => {
    test('shows what was asked and who asks', async () => {
      const asking = client()
      const body = { bundle_id: bundle.name, template_keys: ['PORT', 'NOPE'], format: 'fish' }
      const meta = { hostname: 'laptop', command: 'npm run dev' }
      const asked = await asking.ask({ ...body, meta }, { 'user-agent': 'keyferry/9' })
      const { status, json } = await context(asked.json.id)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        cli_pubkey: asking.publicKey,
        suggested_bundle_id: bundle.name,
        template_keys: ['PORT', 'NOPE'],
        requester_meta: { ...meta, ip: asking.address, user_agent: 'keyferry/9', format: 'fish' },
        status: 'pending',
        user_code: asked.json.user_code,
      })
      const lifetime = Date.parse(json.expires_at) - Date.parse(json.requester_meta.requested_at)
      expect(lifetime).toBe(300_000)
    })

    test('a user agent is kept short and without control characters, and shows where it was changed', async () => {
      const asked = await client().ask({}, { 'user-agent': `tab\tand\u009b${'x'.repeat(300)}` })
      const { user_agent } = (await context(asked.json.id)).json.requester_meta
      expect(user_agent).toMatch(/^tab\ufffdand\ufffdx+…$/)
      expect(user_agent).toHaveLength(200)
    })

    test('shows null and an empty list where nothing was suggested', async () => {
      const { json } = await context(await client().asked())
      expect(json).toMatchObject({ suggested_bundle_id: null, template_keys: [] })
    })

    test('claims do not replace what the server saw', async () => {
      const asking = client()
      const meta = { ip: '1.2.3.4', user_agent: 'x', requested_at: 'never', format: 'y', user: 'sam\u202e' }
      const { json } = await context(await asking.asked({ meta }))
      expect(json.requester_meta).toMatchObject({ ip: asking.address, format: 'sh', user: 'sam\u202e' })
      expect(Date.parse(json.requester_meta.requested_at)).toBeGreaterThan(0)
    })

    test('answers 404 for an unknown and for a malformed id', async () => {
      expectError(await context(UNKNOWN_ID), 404, GONE, 'not_found')
      expectError(await context('%00'), 404, GONE, 'not_found')
      const as = await api.newOwner()
      for (const request_id of [UNKNOWN_ID, 'x'])
        expectError(await api.call('denyRequest', { as, params: { request_id } }), 404, GONE, 'not_found')
    })
  })

  describe('bundles for the approver', () => {
    test("lists the approver's bundles, and no other tenant's", async () => {
      const id = await client().asked()
      expect((await list(id, owner)).json).toEqual([
        { id: bundle.id, name: bundle.name, description: 'for a test' },
      ])
      expect((await list(id, stranger)).json).toEqual([])
    })

    test('shows the entries of a bundle in order, every value masked', async () => {
      const { status, json } = await get(await client().asked(), bundle.id, owner)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        id: bundle.id,
        name: bundle.name,
        description: 'for a test',
        assurance: 'compat',
        may_approve: true,
        why_not: null,
        release: [],
        release_required: false,
        approvals_needed: 1,
        first_approval: null,
        items: Object.entries(values).map(([key, value]) => ({
          key,
          key_name: key,
          value: '*****',
          is_secret: typeof value === 'string',
          description: key,
          required: false,
          due: null,
          version: 1,
          changed_by: expect.any(String),
        })),
      })
    })

    test('answers 401 without a signature', async () => {
      const id = await client().asked()
      expectError(await list(id), 401, 'Unauthorized')
      expectError(await get(id, bundle.id), 401, 'Unauthorized')
    })

    test('answers 404 for an unknown request, and for a bundle that is unknown or of another tenant', async () => {
      const id = await client().asked()
      expectError(await list(UNKNOWN_ID, owner), 404, GONE)
      expectError(await get(UNKNOWN_ID, bundle.id, owner), 404, GONE)
      const unknown = await get(id, '00000000-0000-4000-8000-000000000000', owner)
      expectError(unknown, 404, 'bundle not found')
      expect((await get(id, bundle.id, stranger)).text).toBe(unknown.text)
    })
  })
})
