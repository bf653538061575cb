import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from '../../test/identity-provider.ts'
import { PERSON, RecordingApi, sendJson } from '../../test/recording-api.ts'
import { callbackOf as throughProvider } from '../../test/sign-in.ts'
import { freePort, startTestWeb } from '../../test/start-test-web.ts'
import { TestBrowser } from '../../test/test-browser.ts'
import type { Web } from '../main.ts'

let api: RecordingApi
let provider: IdentityProvider
let web: Web
let browser: TestBrowser
let nowMs: number

beforeEach(async () => {
  nowMs = Date.now()
  api = new RecordingApi()
  browser = new TestBrowser()
  await start({})
})

afterEach(async () => {
  await Promise.all([web.close(), provider.close(), api.close()])
})

type StartOptions = Partial<IdentityProviderOptions> & { withSlash?: boolean }

async function start({ withSlash = false, ...options }: StartOptions): Promise<void> {
  const port = await freePort()
  const webUrl = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider({ webUrl, ...options })
  const { issuer, clientId, clientSecret } = provider
  const issuerSetting = withSlash ? `${issuer}/` : issuer
  const identity = { mode: 'oidc', issuer: issuerSetting, clientId, clientSecret } as const
  const listen = { host: '127.0.0.1', port }
  web = await startTestWeb(await api.listen(), { listen, identity, publicUrl: webUrl }, { now: () => nowMs })
}

async function restart(options: StartOptions): Promise<void> {
  await Promise.all([web.close(), provider.close(), api.close()])
  api = new RecordingApi()
  await start(options)
}

const callbackOf = (subject: string, from?: string, change?: (url: string) => string) =>
  throughProvider(browser, {
    webUrl: web.address,
    subject,
    ...(from === undefined ? {} : { from }),
    ...(change ? { change } : {}),
  })

async function signIn(subject = 'sam', from = '/sign-in'): Promise<Response> {
  return await browser.request(await callbackOf(subject, from))
}

const listKeys = () => browser.request(`${web.address}/api/v1/keys`)
const write = (path: string, init: RequestInit = {}) =>
  browser.request(web.address + path, { method: 'POST', headers: { origin: web.address }, ...init })
const ensured = () => api.calls.filter(({ path }) => path === '/api/v1/users/ensure')

describe('sign-in', () => {
  test('a signed-out person is asked to sign in, and a call is refused', async () => {
    const refused = await listKeys()
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { error: 'Unauthorized', code: 'unauthorized' },
    ])
    const page = await browser.request(`${web.address}/approve/7f9c`)
    expect([page.status, page.headers.get('location')]).toEqual([302, '/sign-in?return_to=%2Fapprove%2F7f9c'])
    expect(await (await browser.request(`${web.address}/session`)).json()).toMatchObject({ signed_in: false })
  })

  test('leads through the provider and back to where the person was', async () => {
    const back = await signIn('sam', '/sign-in?return_to=/approve/7f9c')
    expect([back.status, back.headers.get('location')]).toEqual([302, '/approve/7f9c'])
    expect((await listKeys()).status).toBe(200)
    expect(api.forwarded.at(-1)?.headers['x-user-id']).toBe(PERSON.user_id)
    expect(await (await browser.request(`${web.address}/session`)).json()).toMatchObject({ signed_in: true })
  })

  test('provisions the person by issuer and subject, with the e-mail', async () => {
    await signIn('sam')
    const profile: unknown = JSON.parse(String(ensured()[0]?.body))
    expect(profile).toEqual({
      idp_user_id: expect.stringMatching(/^user_[0-9a-f]{64}$/),
      email: 'sam@example.com',
    })
  })

  test('takes over an e-mail address that has changed since the last time', async () => {
    await signIn('user_2aXf')
    const change = api.forwarded.find(({ method }) => method === 'PUT')
    expect(change?.path).toBe('/api/v1/users/user_2aXf')
    expect(JSON.parse(String(change?.body))).toEqual({ email: 'user_2aXf@example.com' })
  })

  test('a subject of the right form is the id', async () => {
    await signIn('user_2aXf')
    expect(JSON.parse(String(ensured()[0]?.body))).toMatchObject({ idp_user_id: 'user_2aXf' })
  })

  test('sets a cookie that no script and no other site gets at', async () => {
    const cookie = (await signIn()).headers.getSetCookie().find((line) => line.startsWith('__session='))
    expect(cookie).toMatch(/^__session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/)
  })

  test.each([
    '//attacker.example',
    'https://attacker.example',
    '/\\attacker.example',
    'javascript:alert(1)',
    '/sign-in',
  ])('comes back to no address but ours: %s', async (returnTo) => {
    const back = await signIn('sam', `/sign-in?return_to=${encodeURIComponent(returnTo)}`)
    expect(back.headers.get('location')).toBe('/')
  })

  test('asks for code, PKCE, state and nonce', async () => {
    const begun = await browser.request(`${web.address}/sign-in`)
    const asked = Object.fromEntries(new URL(begun.headers.get('location') ?? '').searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^\w{64}$/),
      nonce: expect.stringMatching(/^\w{64}$/),
    })
  })

  test('does not mind a slash too many in the issuer', async () => {
    await restart({ withSlash: true })
    expect((await signIn()).status).toBe(302)
    await logOutAtProvider()
    await expect.poll(async () => (await listKeys()).status).toBe(401)
  })

  test('two windows can be on their way at once', async () => {
    const first = await callbackOf('sam', '/sign-in?return_to=/keys')
    const second = await callbackOf('sam', '/sign-in?return_to=/bundles')
    expect((await browser.request(first)).headers.get('location')).toBe('/keys')
    expect((await browser.request(second)).headers.get('location')).toBe('/bundles')
  })

  test('a new sign-in ends the session that the browser carried', async () => {
    await signIn('sam')
    const before = browser.cookies(web.address).get('__session') ?? ''
    browser.setCookie(web.address, '__session', before)
    const callback = await callbackOfSignedIn()
    expect((await browser.request(callback)).status).toBe(302)
    browser.setCookie(web.address, '__session', before)
    expect((await listKeys()).status).toBe(401)
  })
})

/** A sign-in begun while signed out and finished with a session at hand. */
async function callbackOfSignedIn(): Promise<string> {
  const carried = browser.cookies(web.address).get('__session') ?? ''
  browser.setCookie(web.address, '__session', '')
  const callback = await callbackOf('sam')
  browser.setCookie(web.address, '__session', carried)
  return callback
}

async function expectRefused(answer: Response): Promise<void> {
  expect(answer.status).toBe(400)
  expect(answer.headers.get('content-type')).toContain('text/html')
  expect(browser.cookies(web.address).get('__session')).toBeUndefined()
  expect(ensured()).toEqual([])
}

describe('a sign-in that is not what it claims gives no session', () => {
  test('another state', async () => {
    const callback = new URL(await callbackOf('sam'))
    callback.searchParams.set('state', 'f'.repeat(64))
    await expectRefused(await browser.request(callback.href))
  })

  test('no state at all, or two', async () => {
    const callback = new URL(await callbackOf('sam'))
    const twice = `${callback.href}&state=${callback.searchParams.get('state')}`
    callback.searchParams.delete('state')
    await expectRefused(await browser.request(callback.href))
    await expectRefused(await browser.request(twice))
  })

  test('another nonce', async () => {
    const callback = await callbackOf('sam', '/sign-in', (url) => url.replace(/nonce=\w+/, 'nonce=another'))
    await expectRefused(await browser.request(callback))
  })

  test('another code challenge', async () => {
    const callback = await callbackOf('sam', '/sign-in', (url) =>
      url.replace(/code_challenge=[\w-]+/, `code_challenge=${'A'.repeat(43)}`),
    )
    await expectRefused(await browser.request(callback))
  })

  test('another code', async () => {
    const callback = new URL(await callbackOf('sam'))
    callback.searchParams.set('code', 'another')
    await expectRefused(await browser.request(callback.href))
  })

  test('another issuer', async () => {
    const callback = new URL(await callbackOf('sam'))
    callback.searchParams.set('iss', 'https://attacker.example')
    await expectRefused(await browser.request(callback.href))
  })

  test('an expired code', async () => {
    await restart({ authorizationCodeSeconds: 1 })
    const callback = await callbackOf('sam')
    await sleep(2_100)
    await expectRefused(await browser.request(callback))
  })

  test("a callback in another person's browser", async () => {
    const callback = await callbackOf('sam')
    const victim = new TestBrowser()
    const answer = await victim.request(callback)
    expect([answer.status, victim.cookies(web.address).size]).toEqual([400, 0])
  })

  test('a code that was redeemed before', async () => {
    const callback = await callbackOf('sam')
    const attempt = [...browser.cookies(web.address)]
    expect((await browser.request(callback)).status).toBe(302)
    expect((await browser.request(callback)).status).toBe(400)
    const replayer = new TestBrowser()
    for (const [name, value] of attempt) replayer.setCookie(web.address, name, value)
    expect((await replayer.request(callback)).status).toBe(400)
    expect(replayer.cookies(web.address).get('__session')).toBeUndefined()
  })

  test('the provider says no', async () => {
    const begun = await browser.open(`${web.address}/sign-in`, {
      stopBefore: (url) => url.startsWith(provider.issuer),
    })
    const state = new URL(begun.url).searchParams.get('state')
    await expectRefused(
      await browser.request(`${web.address}/auth/callback?error=access_denied&state=${state}`),
    )
  })

  test.each([
    ['no e-mail', {}],
    ['an e-mail that is not theirs for sure', { email: 'sam@example.com', email_verified: false }],
    ['one of which a provider says so in text', { email: 'sam@example.com', email_verified: 'false' }],
  ])('a person with %s', async (_what, claims) => {
    await restart({ claimsOf: () => claims })
    await expectRefused(await signIn())
  })
})

test('a person who is switched off here is told so', async () => {
  api.ensure = (response) =>
    sendJson(response, 403, { error: 'Forbidden: user is inactive', code: 'forbidden' })
  const answer = await signIn()
  expect([answer.status, await answer.text()]).toEqual([
    403,
    expect.stringContaining('You are switched off here.'),
  ])
  expect(browser.cookies(web.address).get('__session')).toBeUndefined()
})

describe('a session', () => {
  test('ends 30 minutes after its last use', async () => {
    await signIn()
    nowMs += 29 * 60_000
    expect((await listKeys()).status).toBe(200)
    nowMs += 29 * 60_000
    expect((await listKeys()).status).toBe(200)
    nowMs += 30 * 60_000
    expect((await listKeys()).status).toBe(401)
  })

  test('ends after 7 days however busy it is', async () => {
    await signIn()
    const end = nowMs + 7 * 24 * 60 * 60_000
    while (nowMs + 25 * 60_000 < end) {
      nowMs += 25 * 60_000
      if ((await listKeys()).status !== 200) throw new Error(`ended early, ${end - nowMs} ms before its time`)
    }
    nowMs = end
    expect((await listKeys()).status).toBe(401)
  }, 60_000)

  test('outlives an outage of the provider', async () => {
    await signIn()
    await provider.close()
    expect((await listKeys()).status).toBe(200)
    expect((await new TestBrowser().request(`${web.address}/sign-in`)).status).not.toBe(500)
  })

  test('of an unknown, empty or altered token is none', async () => {
    await signIn()
    const token = browser.cookies(web.address).get('__session') ?? ''
    for (const other of ['', 'x', `${token}x`, token.slice(1), token.toUpperCase()]) {
      browser.setCookie(web.address, '__session', other)
      expect((await listKeys()).status).toBe(401)
    }
  })

  test('two session cookies in one request are refused', async () => {
    await signIn()
    const token = browser.cookies(web.address).get('__session') ?? ''
    const headers = { cookie: `__session=${token}; __session=planted` }
    expect((await fetch(`${web.address}/api/v1/keys`, { headers })).status).toBe(401)
  })

  test('a write needs to come from our own page', async () => {
    await signIn()
    const writes: [RequestInit['headers'], number][] = [
      [{}, 403],
      [{ origin: 'https://attacker.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: web.address }, 403],
      [{ 'sec-fetch-site': 'same-site', origin: web.address }, 403],
      [{ origin: web.address }, 200],
    ]
    for (const [headers, status] of writes)
      expect((await write('/api/v1/keys', headers ? { headers } : {})).status).toBe(status)
  })

  test('keeps the tenant that the person chose', async () => {
    await signIn()
    const team = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
    api.answer = (_call, response) => sendJson(response, 200, { tenant_id: team, name: 't', role: 'member' })
    await write('/api/v1/tenants/switch')
    await listKeys()
    expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(team)
  })
})

describe('sign-out', () => {
  test('ends the session here, and leads to the provider to end its own', async () => {
    await signIn()
    const token = browser.cookies(web.address).get('__session') ?? ''
    const answer = await write('/sign-out')
    const { redirect_to } = (await answer.json()) as { redirect_to: string }
    expect(redirect_to).toContain(`${provider.issuer}/session/end`)
    const asked = new URL(redirect_to).searchParams
    expect(asked.get('post_logout_redirect_uri')).toBe(`${web.address}/`)
    expect(asked.get('id_token_hint')).toMatch(/^ey/)
    expect(browser.cookies(web.address).get('__session')).toBeUndefined()
    browser.setCookie(web.address, '__session', token)
    expect((await listKeys()).status).toBe(401)
  })

  test('by a form is led on', async () => {
    await signIn()
    const headers = { origin: web.address, accept: 'text/html' }
    const answer = await write('/sign-out', { headers })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toContain(`${provider.issuer}/session/end`)
  })

  test('from another origin has no effect', async () => {
    await signIn()
    expect((await write('/sign-out', { headers: { origin: 'https://attacker.example' } })).status).toBe(403)
    expect((await listKeys()).status).toBe(200)
  })

  test('everywhere ends every session of the person, seen in the list', async () => {
    await signIn()
    const here = browser
    browser = new TestBrowser()
    await signIn()
    const shown = (await (await browser.request(`${web.address}/auth/sessions`)).json()) as {
      current: boolean
    }[]
    expect(shown.map(({ current }) => current).filter(Boolean)).toEqual([true])
    expect(shown).toHaveLength(2)
    expect((await write('/auth/sessions/end-all')).status).toBe(200)
    expect((await listKeys()).status).toBe(401)
    browser = here
    expect((await listKeys()).status).toBe(401)
  })

  test('one session can be ended from another', async () => {
    await signIn()
    const here = browser
    browser = new TestBrowser()
    await signIn()
    const shown = (await (await browser.request(`${web.address}/auth/sessions`)).json()) as {
      id: string
      current: boolean
    }[]
    const other = shown.find(({ current }) => !current)?.id ?? ''
    expect((await write(`/auth/sessions/${other}`, { method: 'DELETE' })).status).toBe(200)
    expect((await write(`/auth/sessions/${other}`, { method: 'DELETE' })).status).toBe(404)
    expect((await listKeys()).status).toBe(200)
    browser = here
    expect((await listKeys()).status).toBe(401)
  })
})

async function logOutAtProvider(): Promise<void> {
  const { text } = await browser.open(`${provider.issuer}/session/end`)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const action = /action="([^"]+)"/.exec(text)?.[1] ?? ''
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await browser.open(action, { method: 'POST', body: `xsrf=${xsrf}&logout=yes`, headers })
}

describe('back-channel logout', () => {
  test('at the provider ends the session here', async () => {
    await signIn()
    await logOutAtProvider()
    await expect.poll(async () => (await listKeys()).status).toBe(401)
  })

  test('by a token that the provider did not sign is refused without effect', async () => {
    await signIn()
    const { privateKey } = await generateKeyPair('RS256')
    const forged = await new SignJWT({
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sub: 'sam',
    })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(provider.issuer)
      .setAudience(provider.clientId)
      .setIssuedAt()
      .setJti('1')
      .sign(privateKey)
    for (const token of [forged, '', 'x.y.z']) {
      const answer = await fetch(`${web.address}/auth/backchannel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      })
      expect(answer.status).toBe(400)
    }
    expect((await listKeys()).status).toBe(200)
  })
})
