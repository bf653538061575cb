import type { ServerResponse } from 'node:http'
import { apiEndpoints, type Endpoint } from '@keyferry/contract'
import { randomRequestId } from '@keyferry/crypto/token'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { DomainError } from '../domain/errors.ts'
import { logCalls } from './call-log.ts'
import { errorResponse } from './error-response.ts'
import type { Handlers, RateLimits } from './handler.ts'
import { type LooseHandler, type PipelineParts, pipeline } from './pipeline.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Known once the caller was admitted. */
    tenantId: string | null
  }
}

export type ServerParts = PipelineParts & {
  handlers: Handlers
  rateLimits: RateLimits
  log: Logger
  maxBodyBytes: number
  /** Addresses or networks whose X-Forwarded-For is believed; `nearest`: whoever holds the other end. */
  trustProxy: readonly string[] | 'nearest'
}

const SECOND = 1_000
const MAX_CONNECTIONS = 40_000
const MAX_HEADER_BYTES = 16_384
const MAX_PARAM_LENGTH = 1_024
const REQUEST_ID = /^[A-Za-z0-9-]{8,64}$/
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** An HTTP server with every row of the endpoint table; it does not listen yet. */
export function createServer(parts: ServerParts): FastifyInstance {
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    bodyLimit: parts.maxBodyBytes,
    trustProxy: parts.trustProxy === 'nearest' ? (_, hop) => hop === 0 : [...parts.trustProxy],
    requestTimeout: 60 * SECOND,
    keepAliveTimeout: 72 * SECOND,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    genReqId: (raw) => requestId(raw.headers['x-request-id']),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 15 * SECOND },
    frameworkErrors: (error, _, reply) => answerRaw(reply.raw, error),
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(rawRefusal(error))
    },
  })
  app.server.maxConnections = MAX_CONNECTIONS
  app.decorateRequest('tenantId', null)
  readBodiesAsBytes(app)
  logCalls(app, parts.log)
  refuseStrangeTargets(app)
  registerEndpoints(app, parts)
  return app
}

// The contract's own schemas check every call; Fastify's compilers are megabytes that nothing would use.
function unused(): never {
  throw new Error('calls are checked by the endpoint table alone')
}

function registerEndpoints(app: FastifyInstance, parts: ServerParts): void {
  app.setErrorHandler((error, _, reply) => answerError(reply, error))
  app.setNotFoundHandler((_, reply) => answerError(reply, new DomainError('not_found', 'not found')))
  const limits: Readonly<Record<string, RateLimits[keyof RateLimits]>> = parts.rateLimits
  // `Handlers` pairs each name with the types of its row; beyond this loop the pairing is by name alone.
  const handlers = parts.handlers as unknown as Record<string, LooseHandler>
  for (const [name, row] of Object.entries<Endpoint>(apiEndpoints)) {
    const handler = handlers[name]
    if (!handler) throw new Error(`endpoint ${name} has no handler`)
    const url = row.path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.route({
      method: row.method,
      url,
      bodyLimit: Math.min(row.maxBodyBytes ?? parts.maxBodyBytes, parts.maxBodyBytes),
      handler: pipeline({ row, handler, rateLimit: limits[name] }, parts),
    })
  }
}

function answerError(reply: FastifyReply, error: unknown): void {
  const { status, headers, body } = errorResponse(error)
  void reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body)
}

function answerRaw(raw: ServerResponse, error: unknown): void {
  const { status, headers, body } = errorResponse(error)
  raw.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body)
}

// A proxy in front may have decided by another host or path than this server would.
function refuseStrangeTargets(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.url?.startsWith('/') !== true) {
      throw new DomainError('invalid', 'request target must begin with /')
    }
    const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host')
    if (hosts.length > 1) throw new DomainError('invalid', 'more than one Host header')
  })
}

// The signature may cover the body, so it is kept as it came and read as JSON only once the caller was let in.
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

const processId = randomRequestId().slice(0, 8)
let requests = 0

// Told apart in the logs of all nodes, and cheaper than a random one for each call.
function nextRequestId(): string {
  requests += 1
  return `${processId}-${requests.toString(36).padStart(6, '0')}`
}

function requestId(offered: string | string[] | undefined): string {
  return typeof offered === 'string' && REQUEST_ID.test(offered) ? offered : nextRequestId()
}

// Nothing that reached this point was a request, so there is no route, no reply object and no keeping the connection.
function rawRefusal({ code }: NodeJS.ErrnoException): string {
  const status = REFUSALS[code ?? ''] ?? '400 Bad Request'
  const body = '{"error":"malformed request","code":"invalid"}'
  const head = 'Connection: close\r\nContent-Type: application/json; charset=utf-8'
  return `HTTP/1.1 ${status}\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
