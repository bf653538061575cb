import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const ODD_CLIENT = { clientId: 'keyferry', clientSecret: 'gloas-1a_2b.3c~4d' }

/** What differs from a provider that works. */
export type Oddities = {
  /** Merged into the discovery document; `undefined` removes a field. */
  discovery?: Record<string, unknown>
  /** Merged into the ID token's claims. */
  claims?: Record<string, unknown>
  /** Answer of the userinfo endpoint. */
  userInfo?: Record<string, unknown>
  /** Algorithm of the ID token. */
  algorithm?: 'RS256' | 'HS256'
  /** Whether the published key is another one than the token's. */
  publishesOtherKey?: boolean
  /** Answer of the token endpoint instead of tokens. */
  tokenAnswer?: { status: number; body: unknown }
  /** Whether the secret of HTTP Basic is taken as it is, without decoding. */
  takesBasicAsItIs?: boolean
  /** What the address of the discovery document answers, where the document needs a slash at the end of its address. */
  discoveryStatus?: 301 | 404
}

const { privateKey, publicKey } = await generateKeyPair('RS256')
const other = await generateKeyPair('RS256')

/** A small OpenID Connect provider with real keys and tokens, which a test can make misbehave. It signs everyone in
 * as `sam`. */
export class OddProvider {
  odd: Oddities = {}
  readonly issuer: string
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #nonces = new Map<string, string>()

  private constructor(port: number) {
    this.issuer = `http://127.0.0.1:${port}`
  }

  static async start(port: number): Promise<OddProvider> {
    const provider = new OddProvider(port)
    provider.#server.listen(port, '127.0.0.1')
    await once(provider.#server, 'listening')
    return provider
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? '', this.issuer)
    if (address.pathname === '/authorize') return this.#redirect(address.searchParams, response)
    if (address.pathname === '/token') return await this.#answerToken(request, response)
    if (address.pathname === '/keys') return json(response, 200, await this.#keySet())
    if (address.pathname === '/userinfo') return json(response, 200, this.odd.userInfo)
    const { discoveryStatus } = this.odd
    if (discoveryStatus && !address.pathname.endsWith('/'))
      return void response.writeHead(discoveryStatus, { location: `${address.pathname}/` }).end()
    json(response, 200, this.#discovery())
  }

  #discovery(): unknown {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...this.odd.discovery,
    }
  }

  async #keySet(): Promise<unknown> {
    const key = this.odd.publishesOtherKey ? other.publicKey : publicKey
    return { keys: [{ ...(await exportJWK(key)), alg: 'RS256', use: 'sig' }] }
  }

  #redirect(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID()
    this.#nonces.set(code, asked.get('nonce') ?? '')
    const back = new URL(asked.get('redirect_uri') ?? '')
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  async #answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request))
    const { tokenAnswer } = this.odd
    if (tokenAnswer) return json(response, tokenAnswer.status, tokenAnswer.body)
    const isRight = this.#secretOf(request, form) === ODD_CLIENT.clientSecret
    if (!isRight) return json(response, 401, { error: 'invalid_client' })
    const id_token = await this.#idToken(this.#nonces.get(form.get('code') ?? '') ?? '')
    json(response, 200, { access_token: 'an access token', token_type: 'Bearer', id_token })
  }

  #secretOf({ headers }: IncomingMessage, form: URLSearchParams): string {
    if (headers.authorization === undefined) return form.get('client_secret') ?? ''
    const credentials = Buffer.from(headers.authorization.replace('Basic ', ''), 'base64').toString()
    const secret = credentials.slice(credentials.indexOf(':') + 1)
    return this.odd.takesBasicAsItIs ? secret : decodeURIComponent(secret.replaceAll('+', ' '))
  }

  async #idToken(nonce: string): Promise<string> {
    const { algorithm = 'RS256', claims } = this.odd
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const usual = { iss: this.issuer, aud: ODD_CLIENT.clientId, sub: 'sam', email: 'sam@example.com', nonce }
    const token = new SignJWT({ ...usual, iat: nowSeconds, exp: nowSeconds + 60, ...claims })
    const key = algorithm === 'HS256' ? Buffer.from(ODD_CLIENT.clientSecret.padEnd(32)) : privateKey
    return await token.setProtectedHeader({ alg: algorithm }).sign(key)
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function json(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
