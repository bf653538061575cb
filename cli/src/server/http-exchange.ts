import http from 'node:http'
import { type Exchange, type ExchangeAnswer, type ExchangeRequest, NetworkError } from '../ground/exchange.ts'
import type { Environment } from '../ground/parts.ts'
import { isLoopback } from './loopback.ts'

/** Exchanges over Node's own HTTP client: no redirect is followed, no body is read beyond its bound, a slow answer ends
 * at the timeout. Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, but a server on this machine is always asked
 * directly; private authorities from SSL_CERT_FILE beside Node's own NODE_EXTRA_CA_CERTS. */
export function httpExchange(env: Environment): Exchange {
  const lines = new Map<string, Promise<Line>>()
  return async (request) => {
    const url = new URL(request.url)
    const line = lines.get(url.origin) ?? openLine(url, env)
    lines.set(url.origin, line)
    return await exchangeOver(await line, request)
  }
}

/** The way to one server; connections are kept open between requests. */
type Line = (url: URL, options: http.RequestOptions) => http.ClientRequest

async function openLine(url: URL, env: Environment): Promise<Line> {
  const options = { keepAlive: true, ...proxyOptions(url, env) }
  if (url.protocol === 'http:') {
    const agent = new http.Agent(options)
    return (to, how) => http.request(to, { ...how, agent })
  }
  const { default: https } = await import('node:https')
  const agent = new https.Agent({ ...options, ...(await extraAuthorities(env)) })
  return (to, how) => https.request(to, { ...how, agent })
}

function proxyOptions(url: URL, env: Environment): http.AgentOptions {
  return isLoopback(url.hostname) ? {} : { proxyEnv: { ...env } }
}

async function extraAuthorities(env: Environment): Promise<{ ca?: string[] }> {
  const path = env['SSL_CERT_FILE']
  if (path === undefined || path === '') return {}
  const [{ readFile }, { getCACertificates }] = await Promise.all([
    import('node:fs/promises'),
    import('node:tls'),
  ])
  try {
    return { ca: [...getCACertificates('default'), await readFile(path, 'utf8')] }
  } catch (cause) {
    throw new NetworkError('ECERTFILE', `SSL_CERT_FILE cannot be read: ${path}`, { cause })
  }
}

async function exchangeOver(line: Line, request: ExchangeRequest): Promise<ExchangeAnswer> {
  const { url, method, timeoutMs } = request
  const outgoing = line(new URL(url), { method, headers: headersOf(request) })
  const timeout = timeoutAfter(timeoutMs)
  try {
    return await Promise.race([timeout.over, receive(outgoing, request)])
  } catch (cause) {
    outgoing.destroy()
    if (wasStale(outgoing, cause) && method !== 'POST') return await exchangeOver(line, request)
    throw cause instanceof NetworkError ? cause : networkError(cause)
  } finally {
    timeout.cancel()
  }
}

// A kept connection that the server has closed meanwhile says nothing about the server. Each try uses one up.
function wasStale(outgoing: http.ClientRequest, cause: unknown): boolean {
  return outgoing.reusedSocket && cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET'
}

function timeoutAfter(milliseconds: number): { over: Promise<never>; cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = new NetworkError('ETIMEDOUT', `no whole answer within ${milliseconds / 1000} s`)
  const timer = setTimeout(() => reject(late), milliseconds)
  return { over: promise, cancel: () => clearTimeout(timer) }
}

async function receive(outgoing: http.ClientRequest, request: ExchangeRequest): Promise<ExchangeAnswer> {
  const incoming = await send(outgoing, request.body)
  return answerOf(incoming, await readBody(incoming, request.maxBodyBytes))
}

function send(outgoing: http.ClientRequest, body: string | undefined): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', resolve)
    outgoing.end(body)
  })
}

function headersOf({ headers, body }: ExchangeRequest): Record<string, string> {
  const content: Record<string, string> =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { accept: 'application/json', ...content, ...headers }
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
    incoming.on('close', () => reject(new NetworkError('ECONNRESET', 'the connection broke in the middle')))
  })
}

function answerOf(incoming: http.IncomingMessage, body: string): ExchangeAnswer {
  const date = Date.parse(incoming.headers.date ?? '')
  const dateMs = Number.isNaN(date) ? null : date
  return {
    status: incoming.statusCode ?? 0,
    retryAfterMs: retryAfterMs(incoming.headers['retry-after'], dateMs),
    dateMs,
    location: incoming.headers.location ?? null,
    contentType: incoming.headers['content-type'] ?? '',
    body,
  }
}

/** Either of the header's two forms; a date counts from the server's own clock, never from ours. */
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
