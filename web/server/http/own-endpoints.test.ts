import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AUTH_MODES,
  type AuthMode,
  type Endpoint,
  type WebEndpointName,
  webEndpoints,
} from '@keyferry/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SoftwarePasskey } from '../../../plumbing/test/software-passkey.ts'
import { PERSON, RecordingApi, sendJson } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import { TestBrowser } from '../../test/test-browser.ts'
import type { Web } from '../main.ts'
import type { IdentitySettings, WebSettings } from '../settings.ts'

const PUBLIC_URL = 'https://keyferry.example.com'
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const CREDENTIALS = { email: 'sam@example.com', password: 'correct horse battery' }
const ASKED = { challenge: 'AAAA', origin: PUBLIC_URL, rpId: new URL(PUBLIC_URL).hostname }
const DEVICE = new SoftwarePasskey()
const ROWS = Object.entries<Endpoint>(webEndpoints)

let api: RecordingApi
let apiUrl: string
let appFolder: string

beforeAll(async () => {
  api = new RecordingApi()
  apiUrl = await api.listen()
  appFolder = await mkdtemp(join(tmpdir(), 'keyferry-app-'))
  await writeFile(join(appFolder, 'index.html'), '<!doctype html>')
})

afterAll(async () => {
  await Promise.all([api.close(), rm(appFolder, { recursive: true })])
})

async function startWeb(identity: IdentitySettings, settings: Partial<WebSettings> = {}): Promise<Web> {
  const all = { identity, identityWebhookSecret: WEBHOOK_SECRET, ...settings }
  return await startTestWeb(apiUrl, all, { appFolder })
}

describe('each route answers each kind of caller', () => {
  const CALLERS = ['signed out', 'forged session', 'signed in', 'from another site', 'two sessions'] as const
  type Caller = (typeof CALLERS)[number]

  /** Statuses in the order of the callers, with AUTH_MODE=accounts. */
  const EXPECTED: Readonly<Record<WebEndpointName, readonly number[]>> = {
    getSession: [200, 200, 200, 200, 401],
    showSignIn: [200, 200, 302, 302, 401],
    showSignUp: [200, 200, 302, 302, 401],
    showSetUp: [302, 302, 302, 302, 302],
    signIn: [200, 200, 200, 403, 401],
    beginPasskeySignIn: [200, 200, 200, 403, 200],
    signInWithPasskey: [409, 409, 409, 403, 409],
    setUp: [200, 200, 200, 403, 401],
    signUp: [200, 200, 200, 403, 401],
    finishSignIn: [404, 404, 404, 404, 404],
    signOut: [200, 200, 200, 403, 401],
    listSessions: [401, 401, 200, 403, 401],
    endSession: [401, 401, 404, 403, 401],
    endAllSessions: [401, 401, 200, 403, 401],
    changeOwnPassword: [401, 401, 200, 403, 401],
    changeOwnEmail: [401, 401, 200, 403, 401],
    beginPasskey: [401, 401, 200, 403, 401],
    finishPasskey: [401, 401, 409, 403, 401],
    clearSession: [303, 303, 303, 403, 303],
    receiveLogout: [404, 404, 404, 404, 404],
    receiveIdentityEvent: [401, 401, 401, 403, 401],
  }
  const BODIES: Partial<Record<WebEndpointName, object>> = {
    signIn: CREDENTIALS,
    setUp: { setup_code: 'a set-up code', ...CREDENTIALS },
    changeOwnPassword: { current_password: 'any', new_password: CREDENTIALS.password },
    changeOwnEmail: { current_password: 'any', email: CREDENTIALS.email },
    signUp: { token: 'a-token', password: CREDENTIALS.password },
    beginPasskey: { current_password: 'any' },
    finishPasskey: { name: 'Laptop', passkey: DEVICE.create(ASKED) },
    signInWithPasskey: { passkey: DEVICE.use(ASKED) },
  }

  let web: Web

  beforeAll(async () => {
    api.answer = ({ path, method }, response) => {
      if (path === '/api/v1/auth/setup' && method === 'GET')
        return sendJson(response, 200, { required: false })
      if (path === '/api/v1/auth/passkeys/prepare')
        return sendJson(response, 200, { user_handle: 'AAAA', user_name: CREDENTIALS.email, exclude: [] })
      if (path.endsWith('/signed-out')) return sendJson(response, 200, { ended: [] })
      const status = path === '/api/v1/auth/login' ? 200 : 201
      return sendJson(response, status, { ...PERSON, joined_tenant_id: PERSON.tenant_id })
    }
    web = await startWeb({ mode: 'accounts' }, { publicUrl: PUBLIC_URL })
  })

  afterAll(async () => {
    await web.close()
  })

  async function newSession(): Promise<string> {
    const browser = new TestBrowser()
    const headers = { 'content-type': 'application/json', origin: PUBLIC_URL }
    const init = { method: 'POST', headers, body: JSON.stringify(CREDENTIALS) }
    await browser.request(`${web.address}/sign-in`, init)
    return browser.cookies(web.address).get('__session') ?? ''
  }

  async function headersOf(caller: Caller): Promise<Record<string, string>> {
    const origin = caller === 'from another site' ? 'https://attacker.example' : PUBLIC_URL
    const site = caller === 'from another site' ? 'cross-site' : 'same-origin'
    const headers = { origin, 'sec-fetch-site': site }
    if (caller === 'signed out') return headers
    const token = caller === 'forged session' ? 'A'.repeat(43) : await newSession()
    const cookie = `__session=${token}${caller === 'two sessions' ? '; __session=planted' : ''}`
    return { ...headers, cookie }
  }

  async function statusOf(name: WebEndpointName, caller: Caller): Promise<number> {
    const { method, path } = webEndpoints[name]
    const body = BODIES[name]
    const headers = await headersOf(caller)
    const answer = await fetch(web.address + path.replace('{id}', 'unknown'), {
      method,
      redirect: 'manual',
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answer.status
  }

  test.each(Object.keys(EXPECTED) as WebEndpointName[])('%s', async (name) => {
    const statuses = await Promise.all(CALLERS.map((caller) => statusOf(name, caller)))
    expect(statuses).toEqual(EXPECTED[name])
  })

  test('the table names every route', () => {
    expect(Object.keys(EXPECTED).toSorted()).toEqual(Object.keys(webEndpoints).toSorted())
  })
})

describe.each(AUTH_MODES)('with AUTH_MODE=%s', (mode) => {
  let web: Web

  beforeAll(async () => {
    web = await startWeb(settingsOf(mode))
  })

  afterAll(async () => {
    await web.close()
  })

  test.each(ROWS)('%s exists where the table says so', async (_name, { method, path, modes = [] }) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method, headers, redirect: 'manual', ...(method === 'GET' ? {} : { body: '{}' }) } as const
    const { status } = await fetch(web.address + path, init)

    expect(status === 404, String(status)).toBe(!modes.includes(mode))
  })
})

function settingsOf(mode: AuthMode): IdentitySettings {
  const issuer = 'http://127.0.0.1:9'
  if (mode === 'oidc') return { mode, issuer, clientId: 'keyferry', clientSecret: null, trustsEmail: false }
  if (mode !== 'clerk') return { mode }
  const own = { jwtKey: null, publishableKey: 'pk_test_1', secretKey: null, authorizedParties: [] }
  return { mode, issuer, apiUrl: issuer, ...own }
}
