import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

type Received = { headers: IncomingHttpHeaders; body: string; at: number }

/** A message as its receiver reads it. */
export type ReadMessage = { type: string; timestamp: string; data: Record<string, unknown> }

type Answering = (response: ServerResponse, received: Received) => void

/** A server that keeps what it is sent, and answers as told. */
export class Receiver {
  readonly received: Received[] = []
  /** Answers 204 when absent. */
  answer: Answering = (response) => response.writeHead(204).end()
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = {
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at: performance.now(),
      }
      this.received.push(received)
      this.answer(response, received)
    })
  })

  async start(host = '127.0.0.1'): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  get bodies(): ReadMessage[] {
    return this.received.map(({ body }) => JSON.parse(body) as ReadMessage)
  }

  get ids(): (string | undefined)[] {
    return this.received.map(({ headers }) => headers['webhook-id']?.toString())
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Verify a message as the convention's own library does.
 * @throws Error when the signature is not one of the secret */
export function verified({ headers, body }: Received, secret: string): ReadMessage {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return new Webhook(secret).verify(body, texts) as ReadMessage
}
