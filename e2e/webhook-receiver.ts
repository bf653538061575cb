import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedCall = { headers: IncomingHttpHeaders; body: string }

/** A server that takes webhooks, and answers with a status that may change. */
export class WebhookReceiver {
  readonly calls: ReceivedCall[] = []
  status = 204
  readonly #server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      this.calls.push({ headers: request.headers, body })
      response.writeHead(this.status).end()
    })
  })

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
