import { apiEndpoints, type Endpoint, ERRORS } from '@keyferry/contract'
import { randomRequestId } from '@keyferry/crypto/token'
import { callFacts } from '@keyferry/plumbing/call-facts'
import type { TrustedProxies } from '@keyferry/plumbing/client-address'
import { type FailureFacts, failureFacts } from '@keyferry/plumbing/failure'
import { createHttpServer, targetProblem } from '@keyferry/plumbing/http-server'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { DomainError } from '../domain/base/errors.ts'
import type { Handlers, RateLimits } from './handler.ts'
import { type LooseHandler, type PipelineParts, pipeline } from './pipeline.ts'
import { RateExceeded } from './rate-limit.ts'

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
  trusted: TrustedProxies
}

const REQUEST_ID = /^[A-Za-z0-9-]{8,64}$/

/** An HTTP server for every row of the endpoint table. It does not listen yet. */
export function createServer(parts: ServerParts): FastifyInstance {
  const app = createHttpServer({
    maxBodyBytes: parts.maxBodyBytes,
    trusted: parts.trusted,
    newRequestId: (raw) => requestId(raw.headers['x-request-id']),
    connectionBound: null,
  })
  app.decorateRequest('tenantId', null)
  readBodiesAsBytes(app)
  logCalls(app, parts.log)
  registerEndpoints(app, parts)
  return app
}

function registerEndpoints(app: FastifyInstance, parts: ServerParts): void {
  app.setErrorHandler((error, _, reply) => answerError(reply, error))
  app.setNotFoundHandler((_, reply) => answerError(reply, new DomainError('not_found', 'not found')))
  const limits: Readonly<Record<string, RateLimits[keyof RateLimits]>> = parts.rateLimits
  // `Handlers` pairs each name with the types of its row; from here on the pairing is by name only.
  const handlers = parts.handlers as unknown as Record<string, LooseHandler>
  for (const [name, row] of Object.entries<Endpoint>(apiEndpoints)) {
    const handler = handlers[name]
    if (!handler) throw new Error(`endpoint ${name} has no handler`)
    const url = row.path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.route({
      method: row.method,
      url,
      bodyLimit: Math.min(row.longBody?.maxBytes ?? row.maxBodyBytes ?? Infinity, parts.maxBodyBytes),
      handler: pipeline({ name, row, handler, rateLimit: limits[name] }, parts),
    })
  }
}

function answerError(reply: FastifyReply, error: unknown): void {
  const { status, headers, body } = errorResponse(error)
  void reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body)
}

// A signature may cover the body, so keep its bytes; it is parsed as JSON after the caller is admitted.
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

const processId = randomRequestId().slice(0, 8)
let requests = 0

// Unique over all nodes, and cheaper than a random id for each call.
function nextRequestId(): string {
  requests += 1
  return `${processId}-${requests.toString(36).padStart(6, '0')}`
}

function requestId(offered: string | string[] | undefined): string {
  return typeof offered === 'string' && REQUEST_ID.test(offered) ? offered : nextRequestId()
}

/** Refuse calls with a strange target, and log one line for each call and each unexpected failure. Only listed fields
 * are logged: the route's pattern instead of the URL, and an error's name and stack frames without its message,
 * because URLs and messages may contain a value or a request id. */
function logCalls(app: FastifyInstance, log: Logger): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // A proxy in front may have decided by another host or path than this server would.
    const problem = targetProblem(request.raw)
    done(problem === null ? undefined : new DomainError('invalid', problem))
  })
  app.addHook('onResponse', (request, reply, done) => {
    log.info({ ...callFacts(request, reply), tenant: request.tenantId }, 'call')
    done()
  })
  app.addHook('onError', async (request, _reply, error) => {
    const cause = causeOf(error)
    if (cause) log.error({ request: request.id, route: request.routeOptions.url, ...cause }, 'failure')
  })
}

function causeOf(error: unknown): FailureFacts | null {
  if (!(error instanceof DomainError)) return failureFacts(error)
  const isOurFault = error.code === 'internal' || error.code === 'unavailable'
  return isOurFault && error.cause !== undefined ? failureFacts(error.cause) : null
}

type ErrorResponse = { status: number; headers: Record<string, string>; body: string }

/** The answer for an error. An error that no rule threw on purpose becomes a plain 500 without its cause. */
function errorResponse(error: unknown): ErrorResponse {
  const { code, message, details, retryAfterSeconds } = domainError(error)
  const rateHeaders = error instanceof RateExceeded ? error.headers : {}
  const headers: Record<string, string> = { 'cache-control': 'no-store', ...rateHeaders }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  return { status: ERRORS[code].status, headers, body: JSON.stringify({ error: message, code, details }) }
}

function domainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  return fastifyError(error) ?? new DomainError('internal', 'internal error', { cause: error })
}

// Fastify refuses some requests before a handler runs, with an error that has a status code.
function fastifyError(error: unknown): DomainError | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null
  if (error.statusCode === 413) return new DomainError('too_large', 'request body too large')
  if (error.statusCode === 404) return new DomainError('not_found', 'not found')
  const isRefusal = typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500
  return isRefusal ? new DomainError('invalid', 'malformed request') : null
}
