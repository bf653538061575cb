export type ExchangeRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string
  /** From the first byte sent to the last one received. */
  readonly timeoutMs: number
  readonly maxBodyBytes: number
}

export type ExchangeAnswer = {
  readonly status: number
  readonly retryAfterMs: number | null
  /** The server's clock, in milliseconds since 1970; null if it sends none. */
  readonly dateMs: number | null
  readonly location: string | null
  readonly body: string
}

/** @throws NetworkError if there is no complete answer */
export type Exchange = (request: ExchangeRequest) => Promise<ExchangeAnswer>

/** There is no complete answer: refused, unreachable, broken, too slow, too long (`ETOOLONG`), of another user of
 * this machine (`EOTHERUSER`), or not trusted. `reason` is a system code such as ECONNREFUSED, or one of ours. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly reason: string

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }

  /** Whether a later attempt can succeed. */
  get isPassing(): boolean {
    if (this.reason === 'ERR_TLS_HANDSHAKE_TIMEOUT') return true
    const isDistrust = /CERT|SIGNATURE|ALTNAME|ISSUER|SSL|TLS/.test(this.reason)
    return this.reason !== 'ETOOLONG' && this.reason !== 'EOTHERUSER' && !isDistrust
  }
}
