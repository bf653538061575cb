import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SoftwarePasskey } from '../../../../plumbing/test/software-passkey.ts'
import { PERSON, RecordingApi, sendJson } from '../../../test/recording-api.ts'
import { startTestWeb } from '../../../test/start-test-web.ts'
import { TestBrowser } from '../../../test/test-browser.ts'
import type { Web } from '../../main.ts'

const PUBLIC_URL = 'https://keyferry.example.com'
const RP_ID = 'keyferry.example.com'
const CREDENTIALS = { email: 'sam@example.com', password: 'correct horse battery' }
const MINUTE_MS = 60_000
const STALE = 'that took too long, or another window asked too: try again'
const PASSKEY = {
  id: PERSON.user_id,
  name: 'Laptop',
  created_at: '2026-01-31T12:00:00.000Z',
  last_used_at: null,
}

let api: RecordingApi
let apiUrl: string
let web: Web
let browser: TestBrowser
let now = Date.now()
let asksForPasskey: boolean
const device = new SoftwarePasskey()

beforeEach(async () => {
  asksForPasskey = false
  api = new RecordingApi()
  apiUrl = await api.listen()
  api.answer = ({ path, method }, response) => {
    if (path === '/api/v1/auth/setup') return sendJson(response, 200, { required: false })
    if (path === '/api/v1/auth/passkeys/prepare')
      return sendJson(response, 200, { user_handle: 'AAAA', user_name: CREDENTIALS.email, exclude: ['BBBB'] })
    if (path === '/api/v1/auth/passkeys' && method === 'POST') return sendJson(response, 201, PASSKEY)
    if (path === '/api/v1/auth/login' && asksForPasskey)
      return sendJson(response, 403, {
        error: 'confirm with a passkey',
        code: 'passkey_required',
        details: { user_id: PERSON.user_id },
      })
    return sendJson(response, 200, PERSON)
  }
  browser = new TestBrowser()
  web = await startAt(PUBLIC_URL)
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

async function startAt(publicUrl: string, changes: { dataDir?: string } = {}): Promise<Web> {
  const settings = { identity: { mode: 'accounts' }, publicUrl, ...changes } as const
  return await startTestWeb(apiUrl, settings, { now: () => now })
}

const post = (path: string, body: unknown = {}, from = browser) =>
  from.request(web.address + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin: PUBLIC_URL },
  })
const postTo = (url: string, body: object, cookie: string) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin: PUBLIC_URL, cookie },
  })
const signInWith = (challenge: string) =>
  post('/sign-in/passkey', { passkey: device.use({ challenge, origin: PUBLIC_URL, rpId: RP_ID }) })
const bodyOf = async (answer: Response) => JSON.parse(await answer.text())
const begun = async () => await bodyOf(await post('/sign-in/passkey/options'))
const lastLogin = () => {
  const call = api.calls.filter(({ path }) => path === '/api/v1/auth/passkey-login').at(-1)
  return call === undefined ? null : JSON.parse(String(call.body))
}
const isSignedIn = async () => {
  const answer = await browser.request(`${web.address}/session`)
  return JSON.parse(await answer.text()).signed_in
}

describe('sign-in with a passkey alone', () => {
  test('the options name no person, and verify the person', async () => {
    const options = await begun()
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: RP_ID,
      userVerification: 'required',
      timeout: 300_000,
    })
    expect((await begun()).challenge).not.toBe(options.challenge)
  })

  test('the API checks it against our challenge, origin and host name, and a session begins', async () => {
    const { challenge } = await begun()
    expect((await signInWith(challenge)).status).toBe(200)
    const login = lastLogin()
    expect(login.ceremony).toEqual({ challenge, origin: PUBLIC_URL, rp_id: RP_ID })
    expect([login.user_id, login.passkey.id]).toEqual([null, device.id])
    expect(await isSignedIn()).toBe(true)
  })

  test('the cookie is for our pages only and is sent over https', async () => {
    const answer = await post('/sign-in/passkey/options')
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-keyferry-passkey=[\w.-]+; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
  })

  test('a challenge counts once, also if its cookie comes back', async () => {
    const { challenge } = await begun()
    const cookie = browser.cookies(web.address).get('__Host-keyferry-passkey') ?? ''
    await signInWith(challenge)
    const calls = api.calls.length
    for (const restores of [false, true]) {
      if (restores) browser.setCookie(web.address, '__Host-keyferry-passkey', cookie)
      const again = await signInWith(challenge)
      expect([again.status, (await bodyOf(again)).error]).toEqual([409, STALE])
    }
    expect(api.calls).toHaveLength(calls)
  })

  test('a refused passkey consumes its challenge', async () => {
    const { challenge } = await begun()
    const cookie = browser.cookies(web.address).get('__Host-keyferry-passkey') ?? ''
    const { answer } = api
    api.answer = (_call, response) => sendJson(response, 401, { error: 'Unauthorized', code: 'unauthorized' })
    const refused = await signInWith(challenge)
    expect([
      refused.status,
      refused.headers.getSetCookie().some((line) => line.startsWith('__session=')),
    ]).toEqual([401, false])
    api.answer = answer
    browser.setCookie(web.address, '__Host-keyferry-passkey', cookie)
    expect((await signInWith(challenge)).status).toBe(409)
  })

  test('a challenge ends after five minutes', async () => {
    const { challenge } = await begun()
    now += 5 * MINUTE_MS
    expect((await signInWith(challenge)).status).toBe(409)
    expect(lastLogin()).toBeNull()
  })

  test("another browser cannot answer this one's challenge", async () => {
    const { challenge } = await begun()
    const passkey = device.use({ challenge, origin: PUBLIC_URL, rpId: RP_ID })
    const other = new TestBrowser()
    expect((await post('/sign-in/passkey', { passkey }, other)).status).toBe(409)
    await post('/sign-in/passkey/options', {}, other)
    await post('/sign-in/passkey', { passkey }, other)
    expect(lastLogin().ceremony.challenge).not.toBe(challenge)
  })

  test('a caller cannot make a challenge that lasts longer', async () => {
    const { challenge } = await begun()
    const cookie = browser.cookies(web.address).get('__Host-keyferry-passkey') ?? ''
    const later = [String(now + MINUTE_MS), ...cookie.split('.').slice(1)].join('.')
    browser.setCookie(web.address, '__Host-keyferry-passkey', later)
    await signInWith(challenge)
    expect(lastLogin().ceremony.challenge).not.toBe(challenge)
  })

  test('a challenge of one node is answered at another one, and counts once on both', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'keyferry-nodes-'))
    const nodes = await Promise.all([1, 2].map(() => startAt(PUBLIC_URL, { dataDir })))
    const [first = '', second = ''] = nodes.map(({ address }) => address)
    const options = await postTo(`${first}/sign-in/passkey/options`, {}, '')
    const cookie = options.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const { challenge } = await bodyOf(options)
    const passkey = device.use({ challenge, origin: PUBLIC_URL, rpId: RP_ID })
    expect((await postTo(`${second}/sign-in/passkey`, { passkey }, cookie)).status).toBe(200)
    expect(lastLogin().ceremony.challenge).toBe(challenge)
    expect((await postTo(`${first}/sign-in/passkey`, { passkey }, cookie)).status).toBe(409)
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('the API counts it under the address of the person', async () => {
    await signInWith((await begun()).challenge)
    expect(api.calls.at(-1)?.headers['x-client-address']).toBe('127.0.0.1')
  })
})

describe('a passkey after the password', () => {
  beforeEach(() => {
    asksForPasskey = true
  })

  test('the right password begins no session, and asks for the passkey', async () => {
    const answer = await post('/sign-in', CREDENTIALS)
    expect(answer.status).toBe(403)
    expect(await bodyOf(answer)).toEqual({
      error: 'confirm with a passkey',
      code: 'passkey_required',
      details: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rpId: RP_ID,
        userVerification: 'preferred',
        timeout: 300_000,
      },
    })
    expect(await isSignedIn()).toBe(false)
  })

  test('the passkey has to be of the person whose password was right', async () => {
    const { details } = await bodyOf(await post('/sign-in', CREDENTIALS))
    expect((await signInWith(details.challenge)).status).toBe(200)
    expect(lastLogin().user_id).toBe(PERSON.user_id)
    expect(await isSignedIn()).toBe(true)
  })

  test('a caller cannot claim that the password was right', async () => {
    const { challenge } = await begun()
    const cookie = browser.cookies(web.address).get('__Host-keyferry-passkey') ?? ''
    const [time, token] = cookie.split('.')
    const claimed = [time, token, 'after-password', PERSON.user_id].join('.')
    browser.setCookie(web.address, '__Host-keyferry-passkey', claimed)
    await signInWith(challenge)
    expect(lastLogin().ceremony.challenge).not.toBe(challenge)
  })
})

const begin = async () => await post('/auth/passkeys/options', { current_password: CREDENTIALS.password })
const finish = (challenge: string) =>
  post('/auth/passkeys', {
    name: 'Laptop',
    passkey: device.create({ challenge, origin: PUBLIC_URL, rpId: RP_ID }),
  })

describe('adding a passkey', () => {
  beforeEach(async () => {
    await post('/sign-in', CREDENTIALS)
  })

  test('the options are for this person, and exclude what the account has', async () => {
    const options = await bodyOf(await begin())
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: RP_ID, name: 'Keyferry' },
      user: { id: 'AAAA', name: CREDENTIALS.email, displayName: CREDENTIALS.email },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [{ type: 'public-key', id: 'BBBB' }],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      timeout: 300_000,
    })
    const prepared = api.calls.at(-1)
    expect(prepared?.headers['x-user-id']).toBe(PERSON.user_id)
    expect(JSON.parse(String(prepared?.body))).toEqual({ current_password: CREDENTIALS.password })
  })

  test('it goes to the API with our challenge, once', async () => {
    const { challenge } = await bodyOf(await begin())
    const answer = await finish(challenge)
    expect([answer.status, await bodyOf(answer)]).toEqual([200, PASSKEY])
    const call = api.calls.at(-1)
    expect(call?.headers['x-user-id']).toBe(PERSON.user_id)
    expect(JSON.parse(String(call?.body)).ceremony).toEqual({ challenge, origin: PUBLIC_URL, rp_id: RP_ID })
    expect((await finish(challenge)).status).toBe(409)
  })

  test('without the right password there is no challenge', async () => {
    api.answer = (_call, response) => sendJson(response, 400, { error: 'wrong', code: 'invalid' })
    const answer = await begin()
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
  })

  test('a challenge of another session does not count', async () => {
    const { challenge } = await bodyOf(await begin())
    await post('/sign-in', CREDENTIALS)
    await finish(challenge)
    const { ceremony } = JSON.parse(String(api.calls.at(-1)?.body))
    expect(ceremony.challenge).not.toBe(challenge)
  })

  test('a challenge of a sign-in adds nothing', async () => {
    const { challenge } = await begun()
    expect((await finish(challenge)).status).toBe(409)
  })
})

test('at an address without a name there are no passkeys', async () => {
  await web.close()
  web = await startAt('https://192.0.2.7')
  api.answer = (_call, response) => sendJson(response, 200, { ...PERSON, required: false })
  const session = await bodyOf(await browser.request(`${web.address}/session`))
  expect(session.setup_required).toBe(false)
  expect(session).not.toHaveProperty('passkey_origin')
  const answer = await browser.request(`${web.address}/sign-in/passkey/options`, { method: 'POST' })
  expect(await bodyOf(answer)).toEqual({
    error: 'passkeys do not work at the address of this server',
    code: 'conflict',
  })
  api.answer = (_call, response) =>
    sendJson(response, 403, { error: 'x', code: 'passkey_required', details: { user_id: PERSON.user_id } })
  const refused = await browser.request(`${web.address}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://192.0.2.7' },
    body: JSON.stringify(CREDENTIALS),
  })
  expect([refused.status, (await bodyOf(refused)).error]).toEqual([
    403,
    'this account asks for a passkey, and passkeys do not work at this address: ask your operator',
  ])
})
