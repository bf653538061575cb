import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createDeviceSeed, type DeviceRequest, signDeviceRequest } from '@keyferry/crypto/device-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../plumbing/test/until.ts'
import { Program, temporaryFolder } from '../server/test/program.ts'
import type { Web, WebSettings } from '../web/server/main.ts'
import { signedEvent } from '../web/test/identity-event.ts'
import { type IdentityProvider, startIdentityProvider } from '../web/test/identity-provider.ts'
import { callbackOf } from '../web/test/sign-in.ts'
import { startTestWeb } from '../web/test/start-test-web.ts'
import { TestBrowser } from '../web/test/test-browser.ts'
import { ACCOUNTS, OWNER } from './app-accounts.ts'
import { type NodeProcess, startProcess } from './node-process.ts'
import { SERVER_PROGRAM } from './programs.ts'

const SECRET = 'a shared secret of the tests on loopback'

/** Stands between the layers, and can keep the answer to a sign-in on its way. */
class Gate {
  path: string | null = null
  #opened = Promise.withResolvers<void>()
  #arrived = Promise.withResolvers<void>()
  readonly #server = createServer((request, response) => void this.#pass(request, response))

  async listen(target: string): Promise<string> {
    this.#target = new URL(target)
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  #target = new URL('http://127.0.0.1')

  /** @returns resolves once the API has answered a call of this path, whose answer waits until `open` */
  pause(path: string): Promise<void> {
    this.path = path
    this.#opened = Promise.withResolvers()
    this.#arrived = Promise.withResolvers()
    return this.#arrived.promise
  }

  open(): void {
    this.path = null
    this.#opened.resolve()
  }

  close(): void {
    this.open()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request
    const { hostname, port } = this.#target
    const asked = httpRequest({ hostname, port, method, path: url, headers })
    asked.on('error', () => response.destroy())
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>
    request.pipe(asked)
    const [answer] = await answered
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(Buffer.from(chunk))
    if (url === this.path) {
      this.path = null
      this.#arrived.resolve()
      await this.#opened.promise
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks))
  }
}

type Operated = Record<string, string>

/** A real API and a real web-facing layer, with a gate between them. */
async function startLayers(operated: Operated, settings: Partial<WebSettings>) {
  const env = { ...operated, BFF_SHARED_SECRET: SECRET, TRUST_PROXY: '127.0.0.1' }
  const api = await startProcess({ script: SERVER_PROGRAM, words: ['api'], env })
  const gate = new Gate()
  const dataDir = operated['DATA_DIR'] ?? ''
  const web = await startTestWeb(await gate.listen(api.address), {
    dataDir,
    sharedSecrets: [SECRET],
    trustProxy: ['127.0.0.1'],
    ...settings,
  })
  return { api, gate, web }
}

const browsing = (url: () => string) => {
  const call = async (browser: TestBrowser, method: string, path: string, body?: unknown) => {
    // Each call is of another address, so that none meets the limit of one.
    const from = `10.${[...randomBytes(3)].join('.')}`
    const headers = { origin: url(), 'content-type': 'application/json', 'x-forwarded-for': from }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const answer = await browser.request(url() + path, init)
    const text = await answer.text()
    return { status: answer.status, json: text.startsWith('<') ? {} : JSON.parse(text || '{}') }
  }
  return {
    call,
    isIn: async (browser: TestBrowser) => (await call(browser, 'GET', '/api/v1/me')).status === 200,
    /** What is left of a session once it was used: nothing in the browser, and nothing in the store. */
    expectGone: async (browser: TestBrowser) => {
      const token = browser.cookies(url()).get('__session') ?? ''
      expect(token).not.toBe('')
      expect(await call(browser, 'GET', '/api/v1/me')).toMatchObject({ status: 401 })
      expect(browser.cookies(url()).get('__session')).toBeUndefined()
      browser.setCookie(url(), '__session', token)
      expect((await call(browser, 'GET', '/session')).json).toMatchObject({ signed_in: false })
      expect((await call(browser, 'GET', '/auth/sessions')).status).toBe(401)
    },
  }
}

const saidBy = (text: string) => Number(/Remembered approvals that ended: (\d+)\./.exec(text)?.[1])

describe('a lost laptop, with local accounts', () => {
  const folder = temporaryFolder()
  const operated = { DATA_DIR: folder.path, ROOT_KEY: formatRootKey(generateRootKey()), ...ACCOUNTS }
  let layers: { api: NodeProcess; gate: Gate; web: Web }
  let { password } = OWNER
  const { call, isIn, expectGone } = browsing(() => layers.web.address)

  beforeAll(async () => {
    layers = await startLayers(operated, { identity: { mode: 'accounts' } })
    const setUp = { ...OWNER, setup_code: ACCOUNTS.SETUP_CODE }
    expect((await call(new TestBrowser(), 'POST', '/set-up', setUp)).status).toBe(200)
  })
  afterAll(async () => {
    layers?.gate.close()
    await layers?.web.close()
    await layers?.api.stop()
    folder.remove()
  })

  const signIn = async (more: object = {}) => {
    const browser = new TestBrowser()
    const { status } = await call(browser, 'POST', '/sign-in', { email: OWNER.email, password, ...more })
    return { browser, status }
  }
  const signedIn = async () => {
    const { browser, status } = await signIn()
    expect(status).toBe(200)
    return browser
  }
  const operator = async (...words: string[]) => {
    const program = new Program(operated, words)
    const { code } = await program.exited
    expect([code, program.stderr]).toEqual([0, expect.any(String)])
    return program.stdout
  }

  const ask = async (seed: Uint8Array, bundle: string) => {
    const { publicKey } = generateKeyPair()
    const verifier = generatePollVerifier()
    const command = { argv: ['npm', 'start'], cwd: '/home/sam/shop' }
    const use = { redaction: 'auto' as const, flags: ['run'] }
    const none = { workspace: undefined, argvMasked: undefined, agent: undefined, reason: undefined }
    const signed: DeviceRequest = {
      ...command,
      ...none,
      use,
      clientPublicKey: publicKey,
      bundle,
      templateKeys: [],
    }
    const { json } = await call(new TestBrowser(), 'POST', '/api/v1/requests', {
      ...command,
      use,
      client_pubkey: Buffer.from(publicKey).toString('base64'),
      bundle_id: bundle,
      release: ['loopback', 'code'],
      poll_challenge: pollChallenge(verifier),
      device: signDeviceRequest(seed, signed, new Date().toISOString()),
    })
    return { id: json.id, verifier, outcome: json.remembered ? 'delivered' : (json.asks_again ?? 'asks') }
  }

  let bundles = 0
  /** A terminal on the laptop that may repeat an approval. */
  const remembered = async (browser: TestBrowser) => {
    bundles += 1
    const [name, key, seed] = [`dev/app-${bundles}`, `TOKEN_${bundles}`, createDeviceSeed()]
    const { json: made } = await call(browser, 'POST', '/api/v1/keys', { name: key, value: 'first' })
    const { json: bundle } = await call(browser, 'POST', '/api/v1/bundles', { name })
    await call(browser, 'POST', `/api/v1/bundles/${bundle.id}/keys/${made.id}`)
    const { id, verifier } = await ask(seed, name)
    const choice = { bundle_id: bundle.id, include_keys: [key], release: 'loopback', remember_hours: 8 }
    const approved = await call(browser, 'POST', `/api/v1/requests/${id}/encrypt-from-bundle`, choice)
    const init = {
      method: 'POST',
      headers: { 'x-poll-verifier': verifier, 'content-type': 'application/json' },
    }
    const body = JSON.stringify({ secret: approved.json.release.secret })
    const released = await fetch(`${layers.web.address}/api/v1/requests/${id}/release`, { ...init, body })
    expect(released.status).toBe(200)
    const repeats = async () => (await ask(seed, name)).outcome
    await until('a remembered approval', async () => (await repeats()) === 'delivered')
    const rotate = (as: TestBrowser) => call(as, 'PUT', `/api/v1/keys/${made.id}`, { value: 'rotated' })
    return { repeats, rotate }
  }

  type Act = (own: TestBrowser) => Promise<{ ended: number; own: TestBrowser }>
  test.each<[string, Act]>([
    [
      'a new password',
      async (own) => {
        const body = { current_password: password, new_password: `${password} again` }
        const { json } = await call(own, 'POST', '/auth/password', body)
        password = body.new_password
        expect(await isIn(own)).toBe(true)
        return { ended: json.remembered_ended, own }
      },
    ],
    [
      'End all sessions',
      async (own) => {
        const { json } = await call(own, 'POST', '/auth/sessions/end-all')
        expect(await isIn(own)).toBe(false)
        return { ended: json.remembered_ended, own: await signedIn() }
      },
    ],
    [
      'reset-password',
      async () => {
        const text = await operator('reset-password', OWNER.email)
        const fresh = /password is (\S+)\n/.exec(text)?.[1] ?? ''
        const new_password = `${password} once more`
        const { browser, status } = await signIn({ password: fresh, new_password })
        password = new_password
        expect(status).toBe(200)
        return { ended: saidBy(text), own: browser }
      },
    ],
    [
      'disable-account and then enable-account',
      async () => {
        const text = await operator('disable-account', OWNER.email)
        expect((await signIn()).status).toBe(403)
        await operator('enable-account', OWNER.email)
        return { ended: saidBy(text), own: await signedIn() }
      },
    ],
  ])('%s ends its sessions, a sign-in on its way, and its remembered approvals', async (_, act) => {
    const [thief, own] = [await signedIn(), await signedIn()]
    const terminal = await remembered(own)
    const onItsWay = layers.gate.pause('/api/v1/auth/login')
    const late = signIn()
    await onItsWay
    const { ended, own: now } = await act(own)
    layers.gate.open()
    expect((await late).status).toBe(200)
    await expectGone((await late).browser)
    expect([ended, await isIn(thief), await terminal.repeats()]).toEqual([
      1,
      false,
      expect.stringMatching(/^(signed_out|person_removed)$/),
    ])
    expect((await terminal.rotate(now)).status).toBe(200)
    expect(await terminal.repeats()).not.toBe('delivered')
    expect((await call(now, 'GET', '/auth/sessions')).json).toHaveLength(1)
  })
})

describe('a lost laptop, with an identity provider', () => {
  const folder = temporaryFolder()
  const operated = { DATA_DIR: folder.path, ROOT_KEY: formatRootKey(generateRootKey()), AUTH_MODE: 'oidc' }
  const webhookSecret = `whsec_${Buffer.from('a webhook secret of the tests').toString('base64')}`
  let layers: { api: NodeProcess; gate: Gate; web: Web }
  let provider: IdentityProvider
  const { call, isIn, expectGone } = browsing(() => layers.web.address)

  beforeAll(async () => {
    const port = await freePort()
    const webUrl = `http://127.0.0.1:${port}`
    provider = await startIdentityProvider({ webUrl })
    const { issuer, clientId, clientSecret } = provider
    const identity = { mode: 'oidc', issuer, clientId, clientSecret, trustsEmail: true } as const
    const listen = { host: '127.0.0.1', port }
    const settings = { listen, identity, publicUrl: webUrl, identityWebhookSecret: webhookSecret }
    layers = await startLayers(operated, settings)
  })
  afterAll(async () => {
    layers?.gate.close()
    await layers?.web.close()
    await Promise.all([layers?.api.stop(), provider?.close()])
    folder.remove()
  })

  const signIn = async (subject: string) => {
    const browser = new TestBrowser()
    await browser.request(await callbackOf(browser, { webUrl: layers.web.address, subject }))
    return browser
  }

  test('End all sessions ends a sign-in on its way', async () => {
    const own = await signIn('sam')
    const onItsWay = layers.gate.pause('/api/v1/users/ensure')
    const late = signIn('sam')
    await onItsWay
    await call(own, 'POST', '/auth/sessions/end-all')
    layers.gate.open()
    await expectGone(await late)
    expect([await isIn(own), await isIn(await signIn('sam'))]).toEqual([false, true])
  })

  test('a user whom the provider deleted has no session, nor one by a sign-in on its way', async () => {
    const own = await signIn('lee')
    const onItsWay = layers.gate.pause('/api/v1/users/ensure')
    const late = signIn('lee')
    await onItsWay
    const { body, headers } = signedEvent(
      { type: 'user.deleted', data: { id: 'lee' } },
      { secret: webhookSecret },
    )
    const { status } = await fetch(`${layers.web.address}/webhooks/identity`, {
      method: 'POST',
      body,
      headers,
    })
    layers.gate.open()
    expect([status, await isIn(own)]).toEqual([200, false])
    await expectGone(await late)
  })
})
