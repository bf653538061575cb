import { Agent, request } from 'node:http'
import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'

/** An approval request and its client address; each request has a different address, as real clients do. */
export type Asked = { readonly id: string; readonly peer: string }

/** How a wait ended. `atMs`: by `performance.now()`, when its answer had arrived. */
export type Ended = { readonly atMs: number; readonly status: 'ready' | 'pending' }

const ASKING_AT_ONCE = 32
export const PUBLIC_KEY = Buffer.from(generateKeyPair().publicKey).toString('base64')

/** Ask for so many approvals. */
export async function ask(address: string, count: number): Promise<Asked[]> {
  const call = createClient(address)
  const asked: Asked[] = []
  let next = 0
  const askOn = async () => {
    while (next < count) {
      next++
      const peer = newPeer()
      const headers = { 'x-forwarded-for': peer }
      const { id } = await call('POST', '/api/v1/requests', { body: { client_pubkey: PUBLIC_KEY }, headers })
      asked.push({ id, peer })
    }
  }
  await Promise.all(Array.from({ length: ASKING_AT_ONCE }, askOn))
  return asked
}

let peers = 0

/** An address that no other client of this run has: 10.0.0.0/8 contains more than any run asks from. */
export function newPeer(): string {
  peers++
  return `10.${(peers >> 16) % 256}.${(peers >> 8) % 256}.${peers % 256}`
}

/** Waits that stay open, one per connection. */
export class OpenWaits {
  readonly #address: string
  readonly #agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

  constructor(address: string) {
    this.#address = address
  }

  /** Wait until the request is ready, asking again whenever a wait is over. */
  async untilReady(asked: Asked): Promise<Ended> {
    for (;;) {
      const ended = await this.once(asked)
      if (ended.status === 'ready') return ended
    }
  }

  /** One wait, for as long as it stays open. */
  once({ id, peer }: Asked): Promise<Ended> {
    const { promise, resolve, reject } = Promise.withResolvers<Ended>()
    const call = request(`${this.#address}/api/v1/requests/${id}/wait`, {
      agent: this.#agent,
      headers: { 'x-forwarded-for': peer },
    })
    call.once('error', reject)
    call.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.once('end', () => {
        const atMs = performance.now()
        if (text.includes('"ready"')) resolve({ atMs, status: 'ready' })
        else if (text.includes('"pending"')) resolve({ atMs, status: 'pending' })
        else reject(new Error(`wait ended with ${response.statusCode}: ${text}`))
      })
    })
    call.end()
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}
