import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomToken } from '@keyferry/crypto/token'
import { withResolvers } from '../base/with-resolvers.ts'
import { newAnswers } from './release-socket.ts'

const MAX_BODY_BYTES = 4_096
const MAX_CONNECTIONS = 20
const HEADERS_TIMEOUT_MS = 2_000
const REQUEST_TIMEOUT_MS = 5_000

type Release = (secret: string) => Promise<boolean>

/** Where the browser of this machine hands an approval back to the client that asked for it. */
export type LoopbackListener = Awaited<ReturnType<typeof listenOnLoopback>>

/** Listen on a free port of 127.0.0.1. Both paths are unguessable; everything else is 404 and changes nothing.
 * @param release sends the secret to the server, and resolves to whether the approval is released
 * @throws Error if no port can be had */
export async function listenOnLoopback(release: Release) {
  const reached = withResolvers<void>()
  const door = randomToken()
  const back = randomToken()
  const answers = newAnswers()
  let approvalUrl: string | null = null
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 500,
    },
    (request, response) => {
      const at = addressed(request, portOf(server))
      if (approvalUrl === null || at === null) return notFound(response)
      if (at === `GET /k/${door}`) {
        reached.resolve()
        return redirect(response, `${approvalUrl}#lb=${portOf(server)}.${back}`)
      }
      if (at !== `POST /r/${back}`) return notFound(response)
      answers.add(takeBack(request, response, { approvalUrl, release }))
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  await listen(server)
  server.unref()
  return {
    /** An address on this machine that redirects to the approval page at `url`. Only a browser on this machine can
     * open it. */
    addressFor: (url: string): string => {
      approvalUrl = url
      return `http://127.0.0.1:${portOf(server)}/k/${door}`
    },
    /** Resolves when a browser has opened `addressFor`. */
    reached: reached.promise,
    /** Resolves when the browser has its answers, after a second at the latest. */
    settled: answers.settled,
    close: (): void => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type LoopbackReturn = { readonly approvalUrl: string; readonly release: Release }

async function takeBack(
  request: IncomingMessage,
  response: ServerResponse,
  { approvalUrl, release }: LoopbackReturn,
): Promise<void> {
  const fields = await readForm(request)
  const secret = fields?.get('secret') ?? null
  if (fields === null || secret === null) return notFound(response)
  const isSent = new Promise<void>((resolve) => void response.once('close', resolve))
  const isReleased = await release(secret)
  redirect(response, `${approvalUrl}#${isReleased ? 'released' : 'failed'}`)
  await isSent
}

// A name that resolves to 127.0.0.1 reaches this port too; the exact Host keeps such pages out.
function addressed({ method, url, headers }: IncomingMessage, port: number): string | null {
  return headers.host === `127.0.0.1:${port}` ? `${method} ${url}` : null
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk)
      length += bytes.length
      if (length > MAX_BODY_BYTES) return null
      chunks.push(bytes)
    }
  } catch {
    return null // the connection broke
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', connection: 'close' }

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...HEADERS, location }).end()
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, HEADERS).end()
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
}

function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}
