import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error the package has no types
import { Provider } from 'oidc-provider'

const SECRET = 'a client secret of the tests'

/** What of `oidc-provider` is used here. */
type OpenIdProvider = {
  callback(): Parameters<Server['on']>[1]
  Client: { find(id: string): Promise<unknown> }
  IdToken: new (
    claims: object,
    place: { client: unknown },
  ) => { set(name: string, value: unknown): void; issue(options: { use: 'idtoken' }): Promise<string> }
}

/** The OpenID provider `oidc-provider`: it publishes its keys and issues tokens itself. Its private key is known, so
 * that a test can also sign what the provider would not. */
export class ForeignIssuer {
  readonly url: string
  readonly kid = 'provider-key'
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
  readonly #audience: string
  readonly #server: Server
  readonly #provider: OpenIdProvider

  private constructor(server: Server, audience: string) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.privateKey = privateKey
    this.publicKey = createPublicKey(privateKey)
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.#audience = audience
    this.#server = server
    const key = { ...privateKey.export({ format: 'jwk' }), kid: this.kid, alg: 'RS256', use: 'sig' }
    this.#provider = quietly(() => new Provider(this.url, configuration(audience, key)))
    server.on('request', this.#provider.callback())
  }

  /** @param audience of the ID tokens that it issues */
  static async start(audience: string): Promise<ForeignIssuer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ForeignIssuer(server, audience)
  }

  /** An ID token that the provider makes and signs. */
  async idToken(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const client = await this.#provider.Client.find(this.#audience)
    const token = new this.#provider.IdToken({}, { client })
    for (const [name, value] of Object.entries(claims)) token.set(name, value)
    return await token.issue({ use: 'idtoken' })
  }

  /** A JWT access token for the audience, from the provider's own endpoint. */
  async accessToken(): Promise<string> {
    const basic = [this.#audience, SECRET].map(encodeURIComponent).join(':')
    const answer = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: this.#audience }),
    })
    const { access_token: token } = JSON.parse(await answer.text())
    if (typeof token !== 'string') throw new Error(`no access token (${answer.status})`)
    return token
  }

  /** These texts, or objects as JSON, signed with the provider's key (RS256), with any content. */
  signRaw(header: object | string, payload: object | string | Buffer): string {
    const text = `${encoded(header)}.${encoded(payload)}`
    return `${text}.${sign('sha256', Buffer.from(text), this.privateKey).toString('base64url')}`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export function encoded(part: object | string | Buffer): string {
  const isBytes = typeof part === 'string' || Buffer.isBuffer(part)
  return Buffer.from(isBytes ? part : JSON.stringify(part)).toString('base64url')
}

function configuration(audience: string, key: object) {
  return {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: audience,
        client_secret: SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    cookies: { keys: ['a cookie key of the tests'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          audience,
          scope: '',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    ttl: { IdToken: 300, ClientCredentials: 300 },
  }
}

/** Without the provider's advice for use in production. */
function quietly<T>(work: () => T): T {
  const { warn, info } = console
  Object.assign(console, { warn: () => undefined, info: () => undefined })
  try {
    return work()
  } finally {
    Object.assign(console, { warn, info })
  }
}
