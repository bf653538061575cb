import { fillPath } from '@keyferry/contract/client'
import type { Exchange, ExchangeRequest } from '../ground/exchange.ts'
import { readable, refusal } from '../server/server-failure.ts'
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

type Call = Pick<ExchangeRequest, 'method'> & {
  readonly path: string
  readonly params?: Record<string, string>
  readonly query?: Record<string, string>
  readonly body?: object
}

/** The server's library of keys, as an import reads and writes it. Every method throws CliError. */
export class LibraryClient {
  readonly #exchange: Exchange
  readonly #server: string

  constructor(exchange: Exchange, server: string) {
    this.#exchange = exchange
    this.#server = server
  }

  async read(bundleName: string): Promise<Library> {
    const bundleId = await this.#findBundle(bundleName)
    const keys = readKeys(await this.#call({ method: 'GET', path: '/api/v1/keys' }))
    const attached = bundleId === null ? [] : await this.#attachedTo(bundleId)
    return {
      bundleId,
      keys: new Map(keys.map((key) => [key.name, key])),
      attached: new Set(attached.map(({ name }) => name)),
    }
  }

  async createBundle(name: string): Promise<string> {
    return readNamedId(await this.#call({ method: 'POST', path: '/api/v1/bundles', body: { name } })).id
  }

  async createKey(change: KeyChange): Promise<string> {
    return readNamedId(await this.#call({ method: 'POST', path: '/api/v1/keys', body: change })).id
  }

  async updateKey(keyId: string, { value, is_secret }: KeyChange): Promise<void> {
    const params = { key_id: keyId }
    await this.#call({ method: 'PUT', path: '/api/v1/keys/{key_id}', params, body: { value, is_secret } })
  }

  async attach(bundleId: string, keyId: string): Promise<void> {
    const params = { bundle_id: bundleId, key_id: keyId }
    await this.#call({ method: 'POST', path: '/api/v1/bundles/{bundle_id}/keys/{key_id}', params })
  }

  async #findBundle(name: string): Promise<string | null> {
    const list = await this.#call({ method: 'GET', path: '/api/v1/bundles', query: { query: name } })
    return readNamedIds(list).find((bundle) => bundle.name === name)?.id ?? null
  }

  async #attachedTo(bundleId: string): Promise<readonly NamedId[]> {
    const params = { bundle_id: bundleId }
    return readNamedIds(await this.#call({ method: 'GET', path: '/api/v1/bundles/{bundle_id}/keys', params }))
  }

  /** @returns the answer's JSON · @throws CliError */
  async #call({ method, path, params, query, body }: Call): Promise<unknown> {
    const answer = await this.#answer({
      method,
      url: this.#server + fillPath(path, params, query),
      // The web-facing layer accepts writes from its own origin only.
      headers: { origin: new URL(this.#server).origin },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
    })
    if (answer.status < 200 || answer.status >= 300) throw refusal(answer, this.#server)
    return parseJson(answer.body)
  }

  async #answer(request: ExchangeRequest): ReturnType<Exchange> {
    try {
      return await this.#exchange(request)
    } catch (error) {
      throw readable(error, this.#server)
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unknownAnswer({ cause })
  }
}
