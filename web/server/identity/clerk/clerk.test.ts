import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PERSON, RecordingApi, sendJson } from '../../../test/recording-api.ts'
import { startTestWeb } from '../../../test/start-test-web.ts'
import { TestBrowser } from '../../../test/test-browser.ts'
import type { Web } from '../../main.ts'
import { accountPortal } from './clerk.ts'

const PUBLIC_URL = 'https://keyferry.example.com'
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

let keys: KeyPair
let otherKeys: KeyPair
let pem: string
let api: RecordingApi
let provider: Server
let issuer: string
let web: Web
let nowMs: number
let served: { keys: unknown[]; calls: string[]; isDown: boolean; verification: string }

beforeAll(async () => {
  const options = { extractable: true }
  ;[keys, otherKeys] = await Promise.all([
    generateKeyPair('RS256', options),
    generateKeyPair('RS256', options),
  ])
  pem = await exportSPKI(keys.publicKey)
})

beforeEach(async () => {
  nowMs = Date.now()
  served = {
    keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'first', alg: 'RS256' }],
    calls: [],
    isDown: false,
    verification: 'verified',
  }
  provider = createServer((request, response) => {
    served.calls.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim())
    if (served.isDown) return response.destroy()
    if (request.url === '/.well-known/jwks.json') return sendJson(response, 200, { keys: served.keys })
    const email_addresses = [
      { id: 'old', email_address: 'old@example.com' },
      { id: 'new', email_address: 'sam@example.com', verification: { status: served.verification } },
    ]
    return sendJson(response, 200, { primary_email_address_id: 'new', email_addresses })
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const address = provider.address()
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  api = new RecordingApi()
  await start({ jwtKey: pem })
})

afterEach(async () => {
  provider.closeAllConnections()
  provider.close()
  await Promise.all([web.close(), api.close()])
})

async function start({
  jwtKey,
  secretKey = 'sk_test_1',
}: {
  jwtKey: string | null
  secretKey?: string | null
}) {
  const own = { issuer, jwtKey, publishableKey: 'pk_test_1', secretKey, apiUrl: issuer }
  const identity = { mode: 'clerk', ...own, authorizedParties: [PUBLIC_URL] } as const
  const settings = { identity, publicUrl: PUBLIC_URL, identityWebhookSecret: null }
  web = await startTestWeb(api.calls.length === 0 ? await api.listen().catch(() => '') : '', settings, {
    now: () => nowMs,
  })
}

async function restart(options: Parameters<typeof start>[0]): Promise<void> {
  await Promise.all([web.close(), api.close()])
  api = new RecordingApi()
  await start(options)
}

type Change = {
  claims?: Record<string, unknown>
  header?: Partial<JWTHeaderParameters>
  key?: Parameters<SignJWT['sign']>[0]
}

const seconds = () => Math.floor(nowMs / 1_000)

async function token({ claims = {}, header = {}, key = keys.privateKey }: Change = {}): Promise<string> {
  const times = { iat: seconds(), nbf: seconds() - 10, exp: seconds() + 60 }
  const honest = { iss: issuer, sub: 'user_2aXf', sid: 'sess_1', azp: PUBLIC_URL, ...times }
  const payload = Object.fromEntries(
    Object.entries({ ...honest, ...claims }).filter(([, value]) => value !== null),
  )
  return await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'first', ...header }).sign(key)
}

const call = (cookie: string) => fetch(`${web.address}/api/v1/keys`, { headers: { cookie } })
const statusOf = async (text: string) => (await call(`__session=${text}`)).status

function altered(text: string, part: 0 | 1 | 2, change: (json: string) => string): string {
  const parts = text.split('.')
  parts[part] = Buffer.from(change(Buffer.from(parts[part] ?? '', 'base64url').toString())).toString(
    'base64url',
  )
  return parts.join('.')
}

const ensured = (): unknown[] =>
  api.calls.filter(({ path }) => path === '/api/v1/users/ensure').map(({ body }) => JSON.parse(String(body)))

describe('the honest token', () => {
  test('lets its person in, provisioned with the e-mail that the provider knows', async () => {
    expect(await statusOf(await token())).toBe(200)
    expect(api.forwarded.at(-1)?.headers['x-user-id']).toBe(PERSON.user_id)
    expect(ensured()).toEqual([
      {
        idp_user_id: 'user_2aXf',
        email: 'sam@example.com',
        email_verified: true,
        as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ])
  })

  test('of a person who follows an invitation says which', async () => {
    const headers = { cookie: `__session=${await token()}`, 'keyferry-invitation': 'AbC-1_' }
    expect((await fetch(`${web.address}/api/v1/keys`, { headers })).status).toBe(200)
    expect(ensured()).toMatchObject([{ invitation: 'AbC-1_' }])
  })

  test('of a new person changes nothing of what was just made', async () => {
    api.ensure = (response) => sendJson(response, 200, { ...PERSON, created: true })
    expect(await statusOf(await token())).toBe(200)
    expect(api.forwarded.map(({ method }) => method)).toEqual(['GET'])
  })

  test('an e-mail that the provider has not verified is not verified here', async () => {
    served.verification = 'unverified'
    await statusOf(await token())
    expect(ensured()).toMatchObject([{ email: 'sam@example.com', email_verified: false }])
  })

  test('for an e-mail in the token that is not verified, the provider says which is', async () => {
    await statusOf(await token({ claims: { email: 'kim@example.com' } }))
    expect(ensured()).toMatchObject([{ email: 'sam@example.com', email_verified: true }])
  })

  test('an e-mail in the token is verified only when the token says so', async () => {
    await restart({ jwtKey: pem, secretKey: null })
    const email = 'kim@example.com'
    await statusOf(await token({ claims: { email } }))
    await statusOf(await token({ claims: { email, email_verified: true, sid: 'sess_2' } }))
    expect(ensured()).toMatchObject([
      { email, email_verified: false },
      { email, email_verified: true },
    ])
  })

  test('of one session provisions once, of the next again', async () => {
    for (const sid of ['sess_1', 'sess_1', 'sess_2', 'sess_1'])
      await statusOf(await token({ claims: { sid } }))
    expect(api.calls.filter(({ path }) => path === '/api/v1/users/ensure')).toHaveLength(2)
  })

  test('that carries the e-mail needs no key to the provider', async () => {
    await restart({ jwtKey: pem, secretKey: null })
    expect(await statusOf(await token())).toBe(403)
    expect(await statusOf(await token({ claims: { email: 'kim@example.com' } }))).toBe(200)
    expect(served.calls).toEqual([])
  })

  test('is checked without the network when there is a key', async () => {
    await statusOf(await token())
    served.isDown = true
    expect(await statusOf(await token({ claims: { iat: seconds() + 1 } }))).toBe(200)
    expect(served.calls.filter((line) => line.includes('jwks'))).toEqual([])
  })
})

describe('with the key set of the issuer', () => {
  beforeEach(async () => await restart({ jwtKey: null }))

  test('the set is fetched once, and outlives an outage', async () => {
    expect(await statusOf(await token())).toBe(200)
    served.isDown = true
    expect(await statusOf(await token({ claims: { iat: seconds() + 1 } }))).toBe(200)
    expect(served.calls.filter((line) => line.includes('jwks'))).toHaveLength(1)
  })

  test('a key that is none of it is refused', async () => {
    expect(await statusOf(await token({ key: otherKeys.privateKey }))).toBe(401)
    expect(await statusOf(await token({ key: otherKeys.privateKey, header: { kid: 'second' } }))).toBe(401)
  })
})

describe('a token that is not honest is refused', () => {
  const mutations: readonly (readonly [string, () => Promise<string>])[] = [
    ['no token', async () => ''],
    ['not a token', async () => 'x'],
    ['a token of two parts', async () => (await token()).split('.').slice(0, 2).join('.')],
    ['another key', () => token({ key: otherKeys.privateKey })],
    [
      'a changed subject',
      async () => altered(await token(), 1, (json) => json.replace('user_2aXf', 'user_2aXg')),
    ],
    [
      'a changed expiry',
      async () => altered(await token(), 1, (json) => json.replace(/"exp":\d+/, '"exp":9999999999')),
    ],
    ['a changed signature', async () => (await token()).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    ['no signature', async () => (await token()).replace(/[^.]+$/, '')],
    ['alg none', async () => altered(await token(), 0, () => '{"alg":"none"}').replace(/[^.]+$/, '')],
    [
      'alg HS256 with the public key as secret',
      () => token({ header: { alg: 'HS256' }, key: Buffer.from(pem) }),
    ],
    ['alg RS512', () => token({ header: { alg: 'RS512' } })],
    ['another issuer', () => token({ claims: { iss: 'https://clerk.attacker.example' } })],
    ['the issuer with a slash', () => token({ claims: { iss: `${issuer}/` } })],
    ['no issuer', () => token({ claims: { iss: null } })],
    ['another authorised party', () => token({ claims: { azp: 'https://attacker.example' } })],
    [
      'an authorised party that begins like ours',
      () => token({ claims: { azp: `${PUBLIC_URL}.attacker.example` } }),
    ],
    ['no authorised party', () => token({ claims: { azp: null } })],
    ['an empty authorised party', () => token({ claims: { azp: '' } })],
    ['no session', () => token({ claims: { sid: null } })],
    ['an empty session', () => token({ claims: { sid: '' } })],
    ['expired', () => token({ claims: { exp: seconds() - 6 } })],
    ['without expiry', () => token({ claims: { exp: null } })],
    ['not yet valid', () => token({ claims: { nbf: seconds() + 7 } })],
    ['without a beginning', () => token({ claims: { nbf: null } })],
    ['an expiry that is text', () => token({ claims: { exp: '9999999999' } })],
    ['no subject', () => token({ claims: { sub: null } })],
    ['a subject of another form', () => token({ claims: { sub: 'org_2aXf' } })],
    ['a subject that is only the prefix', () => token({ claims: { sub: 'user_' } })],
    ['a subject with a blank', () => token({ claims: { sub: 'user_a b' } })],
    ['an unknown critical header', () => token({ header: { crit: ['x'], x: 1 } })],
  ]

  test.each(mutations)('%s', async (_what, mutate) => {
    const text = await mutate().catch(() => 'cannot be made')
    expect(await statusOf(text)).toBe(401)
    expect(api.calls).toEqual([])
  })

  test('two session cookies, even when one is honest', async () => {
    const honest = await token()
    expect((await call(`__session=${honest}; __session=${honest}`)).status).toBe(401)
    expect((await call(`__session=x; __session=${honest}`)).status).toBe(401)
  })

  test('five seconds of a clock that is off are forgiven', async () => {
    expect(await statusOf(await token({ claims: { exp: seconds() - 4 } }))).toBe(200)
    expect(await statusOf(await token({ claims: { nbf: seconds() + 4 } }))).toBe(200)
  })
})

describe('pages of the provider', () => {
  test('a signed-out person is led there from an approval by a page of ours, which keeps the fragment', async () => {
    const answer = await fetch(`${web.address}/approve/7f9c`, { redirect: 'manual' })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('href="/sign-in?return_to=%2Fapprove%2F7f9c"')
  })

  test('sign-in and sign-up lead there, and back to a page of ours', async () => {
    const answer = await fetch(`${web.address}/sign-up?return_to=/approve/7f9c`, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    const target = new URL(answer.headers.get('location') ?? '')
    expect(target.pathname).toBe('/sign-up')
    expect(target.searchParams.get('redirect_url')).toBe(`${PUBLIC_URL}/approve/7f9c`)
  })

  test.each([
    ['https://clerk.example.com', 'https://accounts.example.com'],
    ['https://brave-owl-12.clerk.accounts.dev', 'https://brave-owl-12.accounts.dev'],
  ])('%s → %s', (from, to) => expect(accountPortal(from)).toBe(to))

  test('sign-out ends the session there, and its last token is refused', async () => {
    const honest = await token()
    expect(await statusOf(honest)).toBe(200)
    const headers = { cookie: `__session=${honest}`, origin: PUBLIC_URL }
    const answer = await fetch(`${web.address}/sign-out`, { method: 'POST', headers })
    expect(await answer.json()).toEqual({ ok: true, redirect_to: '/' })
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__session=; Path=\/; Max-Age=0/)
    expect(served.calls).toContain('POST /v1/sessions/sess_1/revoke Bearer sk_test_1')
    expect(await statusOf(honest)).toBe(401)
    expect(await statusOf(await token({ claims: { sid: 'sess_2' } }))).toBe(200)
  })
})

test('the tenant that the person chose is kept in the browser, only for this person', async () => {
  const browser = new TestBrowser()
  browser.setCookie(web.address, '__session', await token())
  const team = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  api.answer = (_call, response) => sendJson(response, 200, { tenant_id: team, name: 't', role: 'member' })
  const headers = { origin: PUBLIC_URL }
  await browser.request(`${web.address}/api/v1/tenants/switch`, { method: 'POST', headers })
  await browser.request(`${web.address}/api/v1/keys`)
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(team)
  browser.setCookie(web.address, '__tenant', `somebody-else.${team}`)
  await browser.request(`${web.address}/api/v1/keys`)
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(PERSON.tenant_id)
})

test('a call is signed for the workspace that it names', async () => {
  const team = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  const headers = { cookie: `__session=${await token()}`, 'keyferry-workspace': team }
  await fetch(`${web.address}/api/v1/keys`, { headers })
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(team)
})
