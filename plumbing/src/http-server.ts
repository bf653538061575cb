import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate as polled, setTimeout as sleep } from 'node:timers/promises'
import { type FastifyInstance, fastify } from 'fastify'
import { clientAddressReader, networkCheck, plainAddress, type TrustedProxies } from './client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address, as `clientAddressReader` finds it. Unlike `ip`, it passes trusted proxies. */
    readonly clientAddress: string
  }
}

const SECOND = 1_000
const MAX_CONNECTIONS = 40_000
const MAX_HEADER_BYTES = 16_384

/** Longer than any name of the interface, percent-encoded: the schemas decide on lengths. */
const MAX_PARAM_LENGTH = 4_096

/** How often Node looks for calls that are too slow. */
const CHECK_MS = 2 * SECOND

/** How long a refused client has to read its answer before its connection is destroyed. */
const LINGER_MS = 500

const SWEEP_MS = 20
const POLLS = 1_000
const EMPTY_POLL_MS = 0.2

/** How long an idle connection stays open when the server already refuses new ones. */
const LAST_CALLS_MS = 1_000
const TIMES = { headers: 15 * SECOND, request: 60 * SECOND }
const MALFORMED = '{"error":"malformed request","code":"invalid"}'
const JSON_TYPE = 'application/json; charset=utf-8'
const HEADERS =
  '{"error":"request headers are too large: in a browser, clear the cookies","code":"too_large"}'
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** For a route whose GET changes nothing: it answers HEAD too. Other routes do not, because their GET may spend
 * something, such as an approval that is collected once. */
export const ALSO_HEAD = { exposeHeadRoute: true } as const

export type HttpServerOptions = {
  maxBodyBytes: number
  trusted: TrustedProxies
  newRequestId: (raw: IncomingMessage) => string
  /** `null`: any number. */
  connectionBound: ConnectionBound | null
  /** Milliseconds that a client has for its headers and for its whole request. */
  times?: { headers: number; request: number }
}

/** A Fastify instance with the limits of both servers. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { headers, request } = options.times ?? TIMES
  const app = fastify({
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    bodyLimit: options.maxBodyBytes,
    genReqId: options.newRequestId,
    requestTimeout: request,
    keepAliveTimeout: 72 * SECOND,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headers,
      connectionsCheckingInterval: Math.min(CHECK_MS, headers),
    },
    // What fails before there is a route, such as an address with a broken escape.
    frameworkErrors: (_error, _request, { raw }) =>
      void raw.writeHead(400, { 'content-type': JSON_TYPE }).end(MALFORMED),
    clientErrorHandler: refuse,
  })
  app.server.maxConnections = MAX_CONNECTIONS
  const readAddress = clientAddressReader(options.trusted)
  app.decorateRequest('clientAddress', {
    getter() {
      return readAddress(this.raw)
    },
  })
  if (options.connectionBound) boundConnections(app.server, options.connectionBound)
  return app
}

type ConnectionBound = {
  /** Connections that one address may have at the same time. */
  perAddress: number
  /** Addresses or networks without a bound: proxies, which have the connections of many people. */
  except: readonly string[]
}

/** Close a new connection at once when its address has as many as it may. */
function boundConnections(server: Server, { perAddress, except }: ConnectionBound): void {
  const counts = new Map<string, number>()
  const isExempt = networkCheck(except)
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    // A Unix socket has no address.
    if (address === null || isExempt(address)) return
    const count = counts.get(address) ?? 0
    if (count >= perAddress) {
      socket.destroy()
      return
    }
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
  })
}

// The schemas of the endpoint table check every call, so Fastify's own compilers stay unloaded: they are megabytes.
function unused(): never {
  throw new Error('calls are checked by the endpoint table alone')
}

// Ending is not enough: a client that never closes its own side would keep the connection's file for ever.
function refuse({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(rawRefusal(REFUSALS[code ?? ''] ?? '400 Bad Request'))
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

function rawRefusal(status: string): string {
  const body = status.startsWith('431') ? HEADERS : MALFORMED
  const head = `Connection: close\r\nContent-Type: ${JSON_TYPE}`
  return `HTTP/1.1 ${status}\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** What is wrong with the target of a request, or null. A proxy in front may have read another host or path than this
 * server would: Node shows only the first Host header, and a target such as `http://other/` names another host. */
export function targetProblem({ rawHeaders, url = '' }: IncomingMessage): string | null {
  if (!url.startsWith('/')) return 'request target must begin with /'
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length > 1 ? 'more than one Host header' : null
}

const ending = new WeakSet<FastifyInstance>()

/** Whether the server ends soon: it still answers, and load balancers should send new calls elsewhere. */
export function isEnding(app: FastifyInstance): boolean {
  return ending.has(app)
}

/** Begin to end, `seconds` after `isEnding` says so: load balancers need that time. Then refuse new connections, and
 * close each open one with its next answer. To close idle ones here could fail a call that is on its way. */
export async function announceEnd(app: FastifyInstance, seconds: number): Promise<void> {
  ending.add(app)
  if (seconds === 0) return
  await sleep(seconds * SECOND)
  await emptyPoll()
  Server.prototype.close.call(app.server)
  app.server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
}

// The kernel resets connections that wait to be accepted. Right after a poll with nothing to do there is hardly one.
async function emptyPoll(): Promise<void> {
  for (let attempt = 0; attempt < POLLS; attempt++) {
    const begunMs = performance.now()
    await polled()
    if (performance.now() - begunMs < EMPTY_POLL_MS) return
  }
}

type Patience = {
  /** After this many milliseconds, `giveUp` ends the calls that are left. */
  ms: number
  giveUp: () => void
}

/** Stop listening, and resolve when every call in flight has its answer. */
export async function drain(app: FastifyInstance, patience: Patience): Promise<void> {
  if (!app.server.listening) await sleep(LAST_CALLS_MS)
  const impatience = setTimeout(patience.giveUp, patience.ms)
  // Otherwise a connection that just got its answer stays open for another call.
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
  await app.close()
  clearInterval(sweep)
  clearTimeout(impatience)
}
