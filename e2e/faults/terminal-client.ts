import { randomBytes } from 'node:crypto'
import { CallError, createClient, type EndpointClient } from '@keyferry/contract/client'
import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'

type Person = { readonly keyPair: KeyPair; readonly headers: Readonly<Record<string, string>> }

function newPerson(): Person {
  const headers = { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` }
  return { keyPair: generateKeyPair(), headers }
}

/** Requests values as a terminal does, each client from a different address, so that clients share no rate limit. */
export class TerminalClient {
  readonly #call: EndpointClient
  readonly #person: Person

  constructor(address: string, person: Person = newPerson()) {
    this.#call = createClient(address)
    this.#person = person
  }

  /** The same client, on another node of the service. */
  at(address: string): TerminalClient {
    return new TerminalClient(address, this.#person)
  }

  /** @returns the id of a new request */
  async ask(): Promise<string> {
    const client_pubkey = Buffer.from(this.#person.keyPair.publicKey).toString('base64')
    const body = { client_pubkey }
    return (await this.#call('POST', '/api/v1/requests', { body, headers: this.#person.headers })).id
  }

  /** One wait.
   * @returns the plaintext when it was ready; null while pending
   * @throws CallError · the error of `fetch` */
  async wait(requestId: string, signal?: AbortSignal): Promise<string | null> {
    const answer = await this.#call('GET', '/api/v1/requests/{request_id}/wait', {
      params: { request_id: requestId },
      headers: this.#person.headers,
      ...(signal ? { signal } : {}),
    })
    if (answer.status !== 'ready') return null
    const box = Buffer.from(answer.ciphertext_base64, 'base64')
    return new TextDecoder().decode(open(box, this.#person.keyPair))
  }

  /** Approve in the person's stead, who sits elsewhere. */
  async approve(requestId: string, chosen: { bundleId: string; names: readonly string[] }): Promise<void> {
    const params = { request_id: requestId }
    const body = { bundle_id: chosen.bundleId, include_keys: [...chosen.names] }
    await this.#call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', { params, body })
  }
}

/** Whether a failed wait says that there is nothing to be had any more. */
export function isGone(error: unknown): boolean {
  return error instanceof CallError && error.status === 404
}
