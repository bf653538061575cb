import { lookup } from 'node:dns'
import http from 'node:http'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { isLoopback } from '@keyferry/plumbing/loopback'
import { canLookUpUsers, servingUser } from '@keyferry/plumbing/socket-user'
import { codeOf } from '../base/cli-error.ts'
import { type Exchange, type ExchangeAnswer, type ExchangeRequest, NetworkError } from '../base/exchange.ts'
import type { Environment } from '../base/parts.ts'
import { VERSION } from '../base/version.ts'
import { proxyOf } from './proxies.ts'

/** Exchanges over Node's HTTP client. It follows no redirects, reads no body beyond its limit, and ends a slow call at
 * the timeout. HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply, except for a server on this machine. SSL_CERT_FILE adds
 * private certificate authorities, as NODE_EXTRA_CA_CERTS does. */
export function httpExchange(env: Environment): Exchange {
  const senders = new Map<string, Promise<Sender>>()
  return async (request) => {
    const url = new URL(request.url)
    const sender = senders.get(url.origin) ?? openSender(url, env)
    senders.set(url.origin, sender)
    try {
      return await exchangeOver(await sender, request)
    } catch (error) {
      throw refusedByProxy(error, url, env) ?? error
    }
  }
}

// Otherwise the client would say that the server does not answer.
function refusedByProxy(error: unknown, url: URL, env: Environment): NetworkError | null {
  const isRefused = error instanceof NetworkError && error.reason === 'ECONNREFUSED'
  const proxy = isRefused && !isLoopback(url.hostname) ? proxyOf(url, env, process.versions.node) : null
  if (proxy === null) return null
  return new NetworkError('EPROXY', `no connection to the proxy ${new URL(proxy).host}`, { cause: error })
}

/** Sends requests to one server; keeps connections open between them. */
type Sender = (url: URL, options: http.RequestOptions) => http.ClientRequest

// Of several addresses of a server, Node.js gives each 250 ms, which a slow network needs for one answer.
const ATTEMPT_MS = 4_000

// A resolver may send a name such as team.localhost elsewhere. Browsers keep it on this machine.
const lookupHere: LookupFunction = (_, options, done) => lookup('localhost', options, done)

async function openSender(url: URL, env: Environment): Promise<Sender> {
  const isHere = isLoopback(url.hostname)
  const way = isHere ? { lookup: lookupHere } : proxyOptions(url, env)
  const options = { keepAlive: true, autoSelectFamilyAttemptTimeout: ATTEMPT_MS, ...way }
  if (url.protocol === 'http:') {
    const agent = isHere ? ownServerAgent(env, options) : new http.Agent(options)
    return (to, how) => http.request(to, { ...how, agent })
  }
  const { default: https } = await import('node:https')
  const agent = new https.Agent({ ...options, ...(await extraAuthorities(env)) })
  return (to, how) => https.request(to, { ...how, agent })
}

function proxyOptions(url: URL, env: Environment): http.AgentOptions {
  const proxy = proxyOf(url, env, process.versions.node)
  return proxy === null ? {} : { proxyEnv: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } }
}

async function extraAuthorities(env: Environment): Promise<{ ca?: string[] }> {
  const path = env['SSL_CERT_FILE']
  if (path === undefined || path === '') return {}
  const [{ readFile }, { default: tls }] = await Promise.all([import('node:fs/promises'), import('node:tls')])
  // Before Node.js 22.15 the list leaves out NODE_EXTRA_CA_CERTS.
  const usual = tls.getCACertificates?.('default') ?? tls.rootCertificates
  try {
    return { ca: [...usual, await readFile(path, 'utf8')] }
  } catch (cause) {
    throw new NetworkError('ECERTFILE', `SSL_CERT_FILE cannot be read: ${path}`, { cause })
  }
}

async function exchangeOver(sender: Sender, request: ExchangeRequest): Promise<ExchangeAnswer> {
  const { url, method, timeoutMs } = request
  const outgoing = sender(new URL(url), { method, headers: headersOf(request) })
  const timeout = timeoutAfter(timeoutMs)
  try {
    return await Promise.race([timeout.over, receive(outgoing, request)])
  } catch (cause) {
    outgoing.destroy()
    // The server may close an idle connection; that is no failure. Each retry removes one such connection.
    const wasStale = outgoing.reusedSocket && codeOf(cause) === 'ECONNRESET'
    if (wasStale && method !== 'POST') return await exchangeOver(sender, request)
    throw cause instanceof NetworkError ? cause : networkError(cause)
  } finally {
    timeout.cancel()
  }
}

function timeoutAfter(milliseconds: number): { over: Promise<never>; cancel: () => void } {
  const late = new NetworkError('ETIMEDOUT', `no complete answer within ${milliseconds / 1000} s`)
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), milliseconds)
  })
  return { over, cancel: () => clearTimeout(timer) }
}

function send(outgoing: http.ClientRequest, body: string | undefined): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', resolve)
    outgoing.end(body)
  })
}

// The approval page knows by this name which bundles the client takes.
const USER_AGENT = `keyferry/${VERSION}`

function headersOf({ headers, body }: ExchangeRequest): Record<string, string> {
  const content: Record<string, string> =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { accept: 'application/json', 'user-agent': USER_AGENT, ...content, ...headers }
}

function readBody(incoming: http.IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) {
        reject(new NetworkError('ETOOLONG', `the answer is longer than ${maxBytes} bytes`))
      } else chunks.push(chunk)
    })
    incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    incoming.on('error', reject)
    incoming.on('close', () =>
      reject(new NetworkError('ECONNRESET', 'the connection broke during the answer')),
    )
  })
}

async function receive(outgoing: http.ClientRequest, request: ExchangeRequest): Promise<ExchangeAnswer> {
  const incoming = await send(outgoing, request.body)
  const date = Date.parse(incoming.headers.date ?? '')
  const dateMs = Number.isNaN(date) ? null : date
  return {
    status: incoming.statusCode ?? 0,
    retryAfterMs: retryAfterMs(incoming.headers['retry-after'], dateMs),
    dateMs,
    location: incoming.headers.location ?? null,
    body: await readBody(incoming, request.maxBodyBytes),
  }
}

/** Reads both forms of the header. A date is relative to the server's clock, not to ours. */
function retryAfterMs(header: string | undefined, serverNowMs: number | null): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) || serverNowMs === null ? null : Math.max(0, date - serverNowMs)
}

function networkError(cause: unknown): NetworkError {
  if (!(cause instanceof Error)) return new NetworkError('ENETWORK', 'the connection failed', { cause })
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : 'ENETWORK'
  return new NetworkError(code, cause.message === '' ? code : cause.message, { cause })
}

const ROOT = 0

/** An agent for servers on this machine. Any user can take a port while the server is down, so it looks up who serves
 * each new connection before it sends anything. Only this user, root, and for root the caller of sudo, may serve.
 * Outside Linux it cannot look them up, and connects to any. */
function ownServerAgent(env: Environment, options: http.AgentOptions): http.Agent {
  const ownUser = process.geteuid?.()
  if (!canLookUpUsers(process.platform) || ownUser === undefined) return new http.Agent(options)
  const users = [ROOT, ownUser, ...(ownUser === ROOT ? [Number(env['SUDO_UID'])] : [])]
  return new OwnServerAgent(users, options)
}

class OwnServerAgent extends http.Agent {
  readonly #users: readonly number[]

  constructor(users: readonly number[], options: http.AgentOptions) {
    super(options)
    this.#users = users
  }

  override createConnection(
    options: { host?: string | null | undefined; port?: string | number | null | undefined },
    done: (error: Error | null, socket: Socket) => void = () => undefined,
  ): null {
    const socket = connect({
      host: options.host ?? 'localhost',
      port: Number(options.port),
      lookup: lookupHere,
    })
    socket.once('error', (error) => done(error, socket))
    socket.once('connect', () => {
      void this.#admit(socket, done)
    })
    return null
  }

  async #admit(socket: Socket, done: (error: Error | null, socket: Socket) => void): Promise<void> {
    try {
      const user = await servingUser(socket)
      // No user: root redirects the connection, as Docker and WSL do.
      if (user !== null && !this.#users.includes(user))
        throw new NetworkError('EOTHERUSER', `it runs as another user of this machine (${user})`)
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)))
      return
    }
    done(null, socket)
  }
}
