import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RecordedCall = {
  method: string
  /** With query. */
  path: string
  headers: IncomingMessage['headers']
  rawHeaders: readonly string[]
  body: Buffer
  /** Resolves when the caller broke the connection before it was answered. */
  broken: Promise<void>
}

type Answer = (call: RecordedCall, response: ServerResponse) => void

export const PERSON = {
  user_id: '0b53e4a6-4f8e-4f3c-9f0a-0a6d2ff2a001',
  tenant_id: '0b53e4a6-4f8e-4f3c-9f0a-0a6d2ff2b001',
  role: 'owner',
  created: false,
}

/** Takes the place of the API, to see exactly what reaches it. Ensures one user; `answer` decides all else. */
export class RecordingApi {
  readonly calls: RecordedCall[] = []
  answer: Answer = ({ path }, response) =>
    sendJson(response, 200, path.endsWith('/signed-out') ? { ended: [] } : { ok: true })
  ensure = (response: ServerResponse) => sendJson(response, 200, PERSON)
  readonly #server = createServer((request, response) => void this.#record(request, response))

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    const address = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${address.port}`
  }

  /** The calls that are not this layer's own. */
  get forwarded(): readonly RecordedCall[] {
    return this.calls.filter((call) => call.path !== '/api/v1/users/ensure')
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #record(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const broken = new Promise<void>((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { method = '', url = '', headers, rawHeaders } = request
    const call = { method, path: url, headers, rawHeaders, body: Buffer.concat(chunks), broken }
    this.calls.push(call)
    if (url === '/api/v1/users/ensure') this.ensure(response)
    else this.answer(call, response)
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
