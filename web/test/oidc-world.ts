import { freePort } from '@keyferry/plumbing/free-port'
import type { Logger } from 'pino'
import type { Web } from '../server/main.ts'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from './identity-provider.ts'
import { type RecordedCall, RecordingApi } from './recording-api.ts'
import { callbackOf } from './sign-in.ts'
import { startTestWeb } from './start-test-web.ts'
import { TestBrowser } from './test-browser.ts'

type StartOptions = Partial<IdentityProviderOptions> & {
  withSlash?: boolean
  trustsEmail?: boolean
  groupsClaim?: string
  log?: Logger
  saysSignIn?: boolean
}

/** A web-facing layer with its own identity provider, one browser, and a clock that the test sets. */
export class OidcWorld {
  browser = new TestBrowser()
  nowMs = Date.now()
  readonly api: RecordingApi
  readonly provider: IdentityProvider
  readonly #listening: { web: Web | null } = { web: null }

  private constructor(api: RecordingApi, provider: IdentityProvider) {
    this.api = api
    this.provider = provider
  }

  /** @param options `withSlash`: the setting names the issuer with a slash too many */
  static async start({
    withSlash = false,
    trustsEmail = false,
    groupsClaim,
    log,
    saysSignIn = false,
    ...options
  }: StartOptions = {}): Promise<OidcWorld> {
    const port = await freePort()
    const webUrl = `http://127.0.0.1:${port}`
    const api = new RecordingApi()
    const provider = await startIdentityProvider({ webUrl, ...options })
    const world = new OidcWorld(api, provider)
    const { issuer, clientId, clientSecret } = provider
    const identity = {
      mode: 'oidc',
      issuer: withSlash ? `${issuer}/` : issuer,
      clientId,
      clientSecret,
      trustsEmail,
      ...(groupsClaim === undefined ? {} : { groupsClaim }),
    } as const
    const listen = { host: '127.0.0.1', port }
    const settings = { listen, identity, publicUrl: webUrl, saysSignIn }
    world.#listening.web = await startTestWeb(await api.listen(), settings, {
      now: () => world.nowMs,
      ...(log && { log }),
    })
    return world
  }

  get web(): Web {
    if (!this.#listening.web) throw new Error('not started')
    return this.#listening.web
  }

  async close(): Promise<void> {
    await Promise.all([this.web.close(), this.provider.close(), this.api.close()])
  }

  /** Sign in at the provider, up to the address that it sends the browser back to.
   * @param change what becomes of the address that the web-facing layer sends the browser to */
  async callbackOf(subject: string, from = '/sign-in', change = (url: string) => url): Promise<string> {
    return await callbackOf(this.browser, { webUrl: this.web.address, subject, from, change })
  }

  async signIn(subject = 'sam', from = '/sign-in'): Promise<Response> {
    return await this.browser.request(await this.callbackOf(subject, from))
  }

  async logOutAtProvider(): Promise<void> {
    const { text } = await this.browser.open(`${this.provider.issuer}/session/end`)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const action = /action="([^"]+)"/.exec(text)?.[1] ?? ''
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await this.browser.open(action, { method: 'POST', body: `xsrf=${xsrf}&logout=yes`, headers })
  }

  async get(path: string): Promise<Response> {
    return await this.browser.request(this.web.address + path)
  }

  async listKeys(): Promise<Response> {
    return await this.get('/api/v1/keys')
  }

  /** A call that writes, from our own page unless `init` says otherwise. */
  async write(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { origin: this.web.address }
    return await this.browser.request(this.web.address + path, { method: 'POST', headers, ...init })
  }

  get sessionToken(): string {
    return this.browser.cookies(this.web.address).get('__session') ?? ''
  }

  set sessionToken(token: string) {
    this.browser.setCookie(this.web.address, '__session', token)
  }

  get ensured(): readonly RecordedCall[] {
    return this.api.calls.filter(({ path }) => path === '/api/v1/users/ensure')
  }
}
