import { freePort } from '@keyferry/plumbing/free-port'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ODD_CLIENT, type Oddities, OddProvider } from '../../../test/odd-provider.ts'
import { RecordingApi } from '../../../test/recording-api.ts'
import { startTestWeb } from '../../../test/start-test-web.ts'
import { TestBrowser } from '../../../test/test-browser.ts'
import type { Web } from '../../main.ts'

let provider: OddProvider
let api: RecordingApi
let web: Web
let nowMs = Date.now()
const logged: string[] = []

beforeAll(async () => {
  provider = await OddProvider.start(await freePort())
  api = new RecordingApi()
  const identity = { mode: 'oidc', issuer: provider.issuer, ...ODD_CLIENT, trustsEmail: false } as const
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
  web = await startTestWeb(await api.listen(), { identity }, { now: () => nowMs, log })
})

afterAll(async () => {
  await Promise.all([web.close(), provider.close(), api.close()])
})

// The server caches what it knows of the provider for an hour.
beforeEach(() => {
  nowMs += 2 * 60 * 60 * 1_000
  logged.length = 0
})

/** Sign in with a provider that behaves in this way. */
async function signIn(odd: Oddities): Promise<{ status: number; url: string; text: string }> {
  provider.odd = odd
  return await new TestBrowser().open(`${web.address}/sign-in`, {
    stopBefore: (url) => url === `${web.address}/`,
  })
}

const isHome = (url: string) => url === `${web.address}/`
const isSignedIn = (page: { url: string }) => isHome(page.url)

describe('a client secret with - _ . ~ works', () => {
  test.each<[string, Oddities]>([
    ['in the body', { discovery: { token_endpoint_auth_methods_supported: ['client_secret_post'] } }],
    ['with Basic, decoded', {}],
    ['with Basic, taken as it is', { takesBasicAsItIs: true }],
  ])('%s', async (_how, odd) => {
    expect(isSignedIn(await signIn(odd))).toBe(true)
  })

  test('in the body where the provider offers both', async () => {
    const methods = ['client_secret_basic', 'client_secret_post']
    const discovery = { token_endpoint_auth_methods_supported: methods }
    expect(isSignedIn(await signIn({ discovery, takesBasicAsItIs: true }))).toBe(true)
  })
})

test.each([301, 404] as const)(
  'a discovery document that needs a slash at its end is found (%i without it)',
  async (discoveryStatus) => {
    expect(isSignedIn(await signIn({ discoveryStatus }))).toBe(true)
  },
)

test.each([
  ['empty', ''],
  ['blank', ' '],
  ['too long', 's'.repeat(256)],
  ['with a line break', 'sam\nsam'],
  ['with a zero byte', 'sam\0'],
  ['with a character that reorders text', 'sam\u202e'],
  ['with an invisible character', 'sam\u200b'],
  ['with a lone surrogate', 'sam\ud800'],
  ['with a blank at its end', 'sam '],
])('a subject that is %s is refused', async (_what, sub) => {
  const before = api.calls.length
  const page = await signIn({ claims: { sub } })
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('(unusable_subject)')])
  expect(api.calls).toHaveLength(before)
})

test.each(['cn=Sam Jürgens,ou=dev', 's'.repeat(255), '0'])('the subject %j signs in', async (sub) => {
  expect(isSignedIn(await signIn({ claims: { sub, azp: ODD_CLIENT.clientId } }))).toBe(true)
})

describe('an e-mail address', () => {
  test('is verified only by the statement that it is in', async () => {
    const discovery = { userinfo_endpoint: `${provider.issuer}/userinfo` }
    const claims = { email: undefined, email_verified: true }
    await signIn({ discovery, claims, userInfo: { sub: 'sam', email: 'owner@example.com' } })
    const ensured = api.calls.findLast(({ path }) => path === '/api/v1/users/ensure')
    expect(JSON.parse(String(ensured?.body))).toMatchObject({
      email: 'owner@example.com',
      email_verified: false,
    })
  })

  test.each(['sam@bücher.example', 'jürgen@example.com', 'sam@例え.テスト'])(
    '%s is accepted',
    async (email) => {
      expect(isSignedIn(await signIn({ claims: { email } }))).toBe(true)
    },
  )

  test.each([false, 'False', '0', 0])(
    'that the provider says is not verified (%j) signs nobody in',
    async (email_verified) => {
      const page = await signIn({ claims: { email_verified } })
      expect([page.status, page.text]).toEqual([400, expect.stringContaining('Confirm your e-mail address')])
    },
  )

  test.each(['', 'root@localhost', 'sam'])('%j gives a page that says what to do', async (email) => {
    const page = await signIn({ claims: { email } })
    expect([page.status, page.text]).toEqual([400, expect.stringMatching(/, then sign in again\./)])
  })
})

test('a name of the provider keeps nobody out, because Keyferry does not read it', async () => {
  await signIn({ claims: { name: `${'s'.repeat(254)}😀\0` } })
  const ensured = api.calls.findLast(({ path }) => path === '/api/v1/users/ensure')
  expect(JSON.parse(String(ensured?.body))).not.toHaveProperty('name')
})

const PAST = Math.floor(Date.now() / 1_000) - 3_600
const invalidClient = { status: 401, body: { error: 'invalid_client' } }

describe('the page and the log name the reason', () => {
  test.each<[string, number, Oddities]>([
    ['wrong_client_secret', 400, { tokenAnswer: invalidClient }],
    ['wrong_client_secret', 400, { tokenAnswer: { status: 401, body: '<h1>No</h1>' } }],
    ['code_refused', 400, { tokenAnswer: { status: 400, body: { error: 'invalid_grant' } } }],
    ['provider_error', 400, { tokenAnswer: { status: 500, body: '' } }],
    ['unsupported_algorithm', 400, { algorithm: 'HS256' }],
    [
      'unsupported_algorithm',
      400,
      { algorithm: 'HS256', discovery: { id_token_signing_alg_values_supported: ['HS256'] } },
    ],
    ['expired_token', 400, { claims: { exp: PAST, iat: PAST - 60 } }],
    ['wrong_issuer', 400, { claims: { iss: 'https://other.example.com' } }],
    ['wrong_audience', 400, { claims: { aud: 'another client' } }],
    ['wrong_audience', 400, { claims: { azp: 'another client' } }],
    ['wrong_audience', 400, { claims: { azp: '' } }],
    ['wrong_audience', 400, { claims: { azp: [ODD_CLIENT.clientId] } }],
    ['wrong_nonce', 400, { claims: { nonce: 'another' } }],
    ['wrong_signature', 400, { publishesOtherKey: true }],
    ['unusable_discovery', 503, { discovery: { authorization_endpoint: undefined } }],
    ['unusable_discovery', 503, { discovery: { token_endpoint: 'not an address' } }],
    ['unusable_discovery', 503, { discovery: { issuer: 'https://other.example.com' } }],
    ['unusable_discovery', 503, { discovery: { issuer: 42 } }],
  ])('%s', async (reason, status, odd) => {
    const page = await signIn(odd)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(`(${reason})`)])
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ reason, msg: 'sign-in failed' })
    expect(logged.join()).not.toContain(ODD_CLIENT.clientSecret)
  })

  test('a discovery document of another issuer is logged with both issuers', async () => {
    await signIn({ discovery: { issuer: 'https://other.example.com' } })
    const [issuer, found_issuer] = [provider.issuer, 'https://other.example.com']
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ reason: 'unusable_discovery', found_issuer })
    expect(String(JSON.parse(logged[0] ?? '').issuer).replace(/\/$/, '')).toBe(issuer)
  })

  test('provider_unreachable', async () => {
    const port = new URL(provider.issuer).port
    await provider.close()
    const page = await signIn({})
    provider = await OddProvider.start(Number(port))
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('(provider_unreachable)')])
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ reason: 'provider_unreachable' })
  })
})

test('a time of the sign-in that is a text is refused, and the log names it', async () => {
  provider.odd = { claims: { auth_time: String(Math.floor(nowMs / 1_000)) } }
  const page = await new TestBrowser().open(`${web.address}/sign-in?return_to=/account`)
  expect(page.status).toBe(400)
  expect(logged.join()).toContain('auth_time')
})

test('a sign-in again must be new, where the provider says when it was; otherwise a page says so', async () => {
  const browser = new TestBrowser()
  provider.odd = {}
  const signedIn = async (path: string) =>
    await browser.open(web.address + path, { stopBefore: (url) => url === `${web.address}/account` })
  const again = '/sign-in?again=1&return_to=/account'
  await signedIn('/sign-in?return_to=/account')
  provider.odd = { claims: { auth_time: Math.floor(nowMs / 1_000) - 60 } }
  const { status, text } = await signedIn(again)
  expect([status, text]).toEqual([400, expect.stringContaining('SIGN_IN_AGAIN_SECONDS. (not_asked_again)')])
  const session = await browser.request(`${web.address}/session`)
  expect(await session.json()).toMatchObject({ signed_in: true })
  provider.odd = { claims: { auth_time: Math.floor(nowMs / 1_000) } }
  expect((await signedIn(again)).url).toBe(`${web.address}/account`)
})
