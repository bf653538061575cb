import { type FailureFacts, failureFacts } from '@keyferry/plumbing/failure'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { DomainError } from '../domain/base/errors.ts'

/** Log one line for each call and each unexpected failure. Only listed fields are logged: the route's pattern instead
 * of the URL, and an error's name and stack frames without its message, because URLs and messages may hold a value or
 * a request id. */
export function logCalls(app: FastifyInstance, log: Logger): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        request: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        tenant: request.tenantId,
      },
      'call',
    )
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
