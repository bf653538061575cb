import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'

type PublicKey = Record<string, unknown> & { kty: string }

/** A service that signs ID tokens, with what may be wrong about it. */
export class Issuer {
  readonly #server = createServer((request, response) => this.#answer(request.url ?? '', response))
  #key: { private: CryptoKey; public: PublicKey } | null = null
  /** Requests so far, by path. */
  readonly asked: string[] = []
  /** Answers instead of the honest ones, by path. */
  readonly knobs = new Map<string, (response: ServerResponse) => void>()
  /** What its document names as the issuer. */
  namesItself: string | null = null

  async start(): Promise<void> {
    await this.rotate('first')
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The key set, as it would be pasted. */
  get jwks(): { keys: PublicKey[] } {
    return { keys: this.#key ? [this.#key.public] : [] }
  }

  async rotate(kid: string, alg = 'RS256'): Promise<void> {
    const pair = await generateKeyPair(alg, { extractable: true })
    const { kty = '', ...rest } = await exportJWK(pair.publicKey)
    this.#key = { private: pair.privateKey, public: { ...rest, kty, kid, alg, use: 'sig' } }
  }

  /** A token with these claims and no others. */
  async sign(claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const { kid, alg } = this.#own.public
    return await this.#signed(claims, { typ: 'JWT', alg: String(alg), kid: String(kid), ...header })
  }

  /** A token whose header names no key. */
  async signWithoutKeyId(claims: JWTPayload): Promise<string> {
    return await this.#signed(claims, { typ: 'JWT', alg: String(this.#own.public['alg']) })
  }

  async #signed(claims: JWTPayload, header: JWTHeaderParameters): Promise<string> {
    return await new SignJWT(claims).setProtectedHeader(header).sign(this.#own.private)
  }

  get #own(): { private: CryptoKey; public: PublicKey } {
    if (!this.#key) throw new Error('the issuer has not started')
    return this.#key
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(path: string, response: ServerResponse): void {
    this.asked.push(path)
    const knob = this.knobs.get(path)
    const document = { issuer: this.namesItself ?? this.url, jwks_uri: `${this.url}/keys` }
    if (knob) knob(response)
    else response.end(JSON.stringify(path === '/keys' ? this.jwks : document))
  }
}
