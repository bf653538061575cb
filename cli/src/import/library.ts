import { type Call, CallError, createClient } from '@keyferry/contract/client'
import { CliError } from '../ground/cli-error.ts'
import { type Exchange, type ExchangeAnswer, NetworkError } from '../ground/exchange.ts'
import { networkFailure, refusal } from '../server/server-failure.ts'
import {
  type KeyAnswer,
  type NamedId,
  readKeys,
  readNamedId,
  readNamedIds,
  unknownAnswer,
} from './answers.ts'

const TIMEOUT_MS = 60_000
const MAX_BODY_BYTES = 512 * 1024 * 1024

export type LibraryKey = KeyAnswer

/** The library and one bundle of it, as an import finds them. */
export type Library = {
  readonly bundleId: string | null
  readonly keys: ReadonlyMap<string, LibraryKey>
  /** Names of the keys attached to the bundle. */
  readonly attached: ReadonlySet<string>
}

export type KeyChange = { readonly name: string; readonly value: string; readonly is_secret: boolean }

/** The server's library of keys, as an import reads and writes it. Every method throws CliError. */
export class LibraryClient {
  readonly #call: Call
  readonly #server: string

  constructor(exchange: Exchange, server: string) {
    this.#server = server
    this.#call = createClient(server, fetchOver(exchange, server))
  }

  async read(bundleName: string): Promise<Library> {
    const bundleId = await this.#findBundle(bundleName)
    const keys = readKeys(await this.#answered(this.#call('GET', '/api/v1/keys')))
    const attached = bundleId === null ? [] : await this.#attachedTo(bundleId)
    return {
      bundleId,
      keys: new Map(keys.map((key) => [key.name, key])),
      attached: new Set(attached.map(({ name }) => name)),
    }
  }

  async createBundle(name: string): Promise<string> {
    return readNamedId(await this.#answered(this.#call('POST', '/api/v1/bundles', { body: { name } }))).id
  }

  async createKey(change: KeyChange): Promise<string> {
    return readNamedId(await this.#answered(this.#call('POST', '/api/v1/keys', { body: change }))).id
  }

  async updateKey(keyId: string, { value, is_secret }: KeyChange): Promise<void> {
    const call = this.#call('PUT', '/api/v1/keys/{key_id}', {
      params: { key_id: keyId },
      body: { value, is_secret },
    })
    await this.#answered(call)
  }

  async attach(bundleId: string, keyId: string): Promise<void> {
    await this.#answered(
      this.#call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
        params: { bundle_id: bundleId, key_id: keyId },
      }),
    )
  }

  async #findBundle(name: string): Promise<string | null> {
    const list = await this.#answered(this.#call('GET', '/api/v1/bundles', { query: { query: name } }))
    return readNamedIds(list).find((bundle) => bundle.name === name)?.id ?? null
  }

  async #attachedTo(bundleId: string): Promise<readonly NamedId[]> {
    const call = this.#call('GET', '/api/v1/bundles/{bundle_id}/keys', { params: { bundle_id: bundleId } })
    return readNamedIds(await this.#answered(call))
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      throw this.#readable(error)
    }
  }

  #readable(error: unknown): unknown {
    if (error instanceof NetworkError) return networkFailure(error, this.#server)
    // No JSON, or a status that HTTP does not know.
    if (error instanceof SyntaxError || error instanceof RangeError) return unknownAnswer({ cause: error })
    if (error instanceof CliError || !(error instanceof CallError)) return error
    return refusal(
      {
        status: error.status,
        retryAfterMs: error.retryAfterSeconds === null ? null : error.retryAfterSeconds * 1000,
        dateMs: null,
        location: null,
        contentType: '',
        body: JSON.stringify({ error: error.message, code: error.code }),
      },
      this.#server,
    )
  }
}

// The typed client speaks through `fetch`; underneath it is the exchange, with its bounds and without redirects.
function fetchOver(exchange: Exchange, server: string): typeof fetch {
  return async (input, init) => {
    const answer = await exchange({
      method: methodOf(init?.method),
      url: input instanceof Request ? input.url : input.toString(),
      // The web-facing layer takes writes from its own origin alone.
      headers: { origin: new URL(server).origin },
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
    })
    return responseOf(answer, server)
  }
}

function responseOf(answer: ExchangeAnswer, server: string): Response {
  if (answer.status < 200 || (answer.status >= 300 && answer.status < 400)) throw refusal(answer, server)
  const seconds =
    answer.retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(answer.retryAfterMs / 1000)) }
  return new Response(answer.body === '' ? null : answer.body, {
    status: answer.status,
    headers: { 'content-type': answer.contentType, ...seconds },
  })
}

function methodOf(method: string | undefined): 'GET' | 'POST' | 'PUT' | 'DELETE' {
  return method === 'POST' || method === 'PUT' || method === 'DELETE' ? method : 'GET'
}
