import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PERSON, RecordingApi, sendJson } from '../../../test/recording-api.ts'
import { startTestWeb } from '../../../test/start-test-web.ts'
import { TestBrowser } from '../../../test/test-browser.ts'
import type { Web } from '../../main.ts'

const PUBLIC_URL = 'https://keyferry.example.com'
const CREDENTIALS = { email: 'sam@example.com', password: 'correct horse battery' }

let api: RecordingApi
let web: Web
let browser: TestBrowser
let isSetUp: boolean

beforeEach(async () => {
  isSetUp = true
  api = new RecordingApi()
  api.answer = ({ path, body }, response) => {
    if (path === '/api/v1/auth/setup' && body.length === 0)
      return sendJson(response, 200, { required: !isSetUp })
    if (path === '/api/v1/auth/join')
      return sendJson(response, 201, { ...PERSON, joined_tenant_id: 'the-team' })
    return sendJson(response, path === '/api/v1/auth/setup' ? 201 : 200, PERSON)
  }
  browser = new TestBrowser()
  web = await startTestWeb(await api.listen(), { identity: { mode: 'accounts' }, publicUrl: PUBLIC_URL })
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

const get = (path: string) => browser.request(web.address + path)
const post = (path: string, body: unknown, headers: Record<string, string> = { origin: PUBLIC_URL }) =>
  browser.request(web.address + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

test('if the API is unavailable, a page shows that and a call gets JSON', async () => {
  await api.close()
  const page = await fetch(`${web.address}/sign-in`, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await page.text()).toContain('Keyferry API does not answer.')
  expect(await (await get('/sign-in')).json()).toMatchObject({ code: 'unavailable' })
})

describe('before there is an account', () => {
  beforeEach(() => {
    isSetUp = false
  })

  test('sign-in leads to the set-up page, and the session tells the app so', async () => {
    for (const path of ['/sign-in', '/sign-up'])
      expect((await get(path)).headers.get('location')).toBe('/set-up')
    expect((await get('/set-up')).headers.get('location')).toBeNull()
    expect(await (await get('/session')).json()).toEqual({
      auth_mode: 'accounts',
      signed_in: false,
      setup_required: true,
      passkey_origin: PUBLIC_URL,
    })
  })

  test('setting up signs in', async () => {
    expect((await post('/set-up', CREDENTIALS)).status).toBe(400)
    const setup_code = '4f2a9-0c1de-77b3a-91c5e'
    expect((await post('/set-up', { setup_code, ...CREDENTIALS })).status).toBe(200)
    expect(JSON.parse(String(api.calls.at(-1)?.body))).toMatchObject({ setup_code })
    isSetUp = true
    expect(await (await get('/session')).json()).toMatchObject({ signed_in: true, setup_required: false })
    expect((await get('/set-up')).headers.get('location')).toBe('/sign-in')
  })
})

describe('sign-in', () => {
  test('gives a session whose cookie is sent over https only', async () => {
    const answer = await post('/sign-in', CREDENTIALS)
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__session=[\w-]{43};.*; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect((await get('/api/v1/keys')).status).toBe(200)
    expect(api.forwarded.at(-1)?.headers['x-user-id']).toBe(PERSON.user_id)
  })

  test("is counted by the API under the person's own address", async () => {
    await post('/sign-in', CREDENTIALS)
    const login = api.calls.find(({ path }) => path === '/api/v1/auth/login')
    expect(login?.headers['x-forwarded-for']).toBe('127.0.0.1')
    expect(JSON.parse(String(login?.body))).toEqual(CREDENTIALS)
  })

  test.each([
    [401, { error: 'Unauthorized', code: 'unauthorized' }],
    [403, { error: 'Account locked until 2026-01-31T12:15:00.000Z', code: 'account_locked' }],
    [429, { error: 'Too many requests', code: 'too_many' }],
  ])('passes on what the API answers: %i', async (status, body) => {
    api.answer = (_call, response) => {
      response.setHeader('retry-after', '60')
      sendJson(response, status, body)
    }
    const answer = await post('/sign-in', CREDENTIALS)
    expect([answer.status, await answer.json()]).toEqual([status, body])
    expect(answer.headers.getSetCookie()).toEqual([])
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('60')
  })

  test.each([[{}], [{ email: 'sam@example.com' }], [[]], ['text'], [null]])('%j is 400', async (body) => {
    expect((await post('/sign-in', body)).status).toBe(400)
    expect(api.calls).toEqual([])
  })

  test("a foreign page cannot sign a visitor in to the attacker's account", async () => {
    const foreign = [
      { origin: 'https://attacker.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]
    for (const headers of foreign) expect((await post('/sign-in', CREDENTIALS, headers)).status).toBe(403)
    expect((await post('/sign-in', CREDENTIALS, {})).status).toBe(200)
  })

  test('a signed-in person is redirected', async () => {
    await post('/sign-in', CREDENTIALS)
    expect((await get('/sign-in?return_to=/keys')).headers.get('location')).toBe('/keys')
  })
})

describe('an invitation', () => {
  test('leads a visitor without an account to sign-up, and back', async () => {
    expect((await get('/invite/a-token')).headers.get('location')).toBe(
      '/sign-up?return_to=%2Finvite%2Fa-token',
    )
    expect((await get('/keys')).headers.get('location')).toBe('/sign-in?return_to=%2Fkeys')
  })

  test('makes an account that works in the tenant it joined', async () => {
    expect((await post('/sign-up', { token: 'a-token', password: CREDENTIALS.password })).status).toBe(200)
    await get('/api/v1/keys')
    expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe('the-team')
  })
})

test('a call is signed for the workspace that it names', async () => {
  await post('/sign-in', CREDENTIALS)
  const team = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  const headers = { 'keyferry-workspace': team }
  await browser.request(`${web.address}/api/v1/keys`, { headers })
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(team)
})

test('sign-out ends the session', async () => {
  await post('/sign-in', CREDENTIALS)
  const token = browser.cookies(web.address).get('__session') ?? ''
  const answer = await post('/sign-out', {})
  expect(await answer.json()).toEqual({ ok: true, redirect_to: '/' })
  browser.setCookie(web.address, '__session', token)
  expect((await get('/api/v1/keys')).status).toBe(401)
})

test('the end of sessions reaches the audit log; without the log, a person is signed out too', async () => {
  const ends = () => api.forwarded.filter(({ path }) => path.endsWith('/signed-out'))
  await post('/sign-in', CREDENTIALS)
  await post('/sign-out', {})
  await post('/sign-in', CREDENTIALS)
  await post('/auth/sessions/end-all', {})
  expect(ends().map(({ body }) => JSON.parse(body.toString()))).toEqual([
    { reason: 'session' },
    { reason: 'all_sessions' },
  ])
  expect(ends()[0]?.path).toBe(`/api/v1/users/user_${PERSON.user_id}/signed-out`)
  expect(ends()[0]?.headers['x-forwarded-for']).toBe('127.0.0.1')
  await post('/sign-in', CREDENTIALS)
  await api.close()
  expect((await post('/sign-out', {})).status).toBe(200)
  expect(browser.cookies(web.address).get('__session')).toBeUndefined()
})

test('if the API is unavailable, the form answers 503', async () => {
  await api.close()
  expect((await post('/sign-in', CREDENTIALS)).status).toBe(503)
  expect((await get('/sign-in')).status).toBe(503)
})

describe('changing the own account', () => {
  const change = { current_password: CREDENTIALS.password, new_password: 'monkey dragon teapot' }

  test('a new password ends every other session, and this browser gets a new one', async () => {
    await post('/sign-in', CREDENTIALS)
    const other = browser
    browser = new TestBrowser()
    await post('/sign-in', CREDENTIALS)
    const before = browser.cookies(web.address).get('__session')
    expect((await post('/auth/password', change)).status).toBe(200)
    expect(browser.cookies(web.address).get('__session')).not.toBe(before)
    expect(await (await get('/session')).json()).toMatchObject({ signed_in: true })
    browser = other
    expect(await (await get('/session')).json()).toMatchObject({ signed_in: false })
  })

  test('goes to the API signed for the person', async () => {
    await post('/sign-in', CREDENTIALS)
    const body = { current_password: CREDENTIALS.password, email: 'kim@example.com' }
    expect((await post('/auth/email', body)).status).toBe(200)
    const call = api.calls.at(-1)
    expect([call?.method, call?.path, call?.headers['x-user-id']]).toEqual([
      'PUT',
      '/api/v1/auth/email',
      PERSON.user_id,
    ])
    expect(JSON.parse(String(call?.body))).toEqual(body)
  })

  test('a refusal ends no session', async () => {
    await post('/sign-in', CREDENTIALS)
    const session = browser.cookies(web.address).get('__session')
    api.answer = (_call, response) =>
      sendJson(response, 400, { error: 'the current password is wrong', code: 'invalid' })
    const answer = await post('/auth/password', change)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'the current password is wrong', code: 'invalid' },
    ])
    expect(browser.cookies(web.address).get('__session')).toBe(session)
    expect((await get('/auth/sessions')).status).toBe(200)
  })
})
