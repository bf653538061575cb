import { isErrorCode } from '@keyferry/contract'
import { CallError } from '@keyferry/contract/client'
import { failureFacts } from '@keyferry/plumbing/failure'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Refusal, unavailable } from '../http/refusal.ts'
import type { AppFiles } from './app-files.ts'

/** Answer errors as the interface says, `{error, code}`, or with a page if a person asked for one and the error has a
 * note. Log internal errors, and tell the caller nothing about their cause. */
export function answerErrors(app: FastifyInstance, { log, files }: { log: Logger; files: AppFiles }): void {
  app.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const refusal = refusalOf(error)
    if (refusal.status >= 500) {
      const cause = refusal.cause ?? error
      const call = { request: request.id, route: request.routeOptions.url ?? 'unknown' }
      if (reply.raw.destroyed && isAbort(cause)) log.debug(call, 'caller left')
      else log.error({ ...call, ...failureFacts(cause) }, 'failure')
    }
    reply.headers(refusal.headers).code(refusal.status)
    if (refusal.note && wantsPage(request)) return await files.sendNote(reply, refusal.note)
    const { message, code, details } = refusal
    return reply.send({ error: message, code, ...(details === undefined ? {} : { details }) })
  })
}

// The caller disconnected, which aborts the call to the API: nothing failed.
function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'AbortError'
}

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && !url.startsWith('/api/') && headers.accept?.includes('text/html') === true
}

// Pass on why the API refused: account disabled, account locked, too many requests.
function refusalOfApi(error: CallError): Refusal {
  if (error.status === 503) return unavailable('Keyferry API', error)
  if (error.status >= 500) return new Refusal(500, 'internal', 'internal error', { cause: error })
  const code = isErrorCode(error.code) ? error.code : 'invalid'
  const seconds = error.retryAfterSeconds
  const headers: Record<string, string> = seconds === null ? {} : { 'retry-after': String(seconds) }
  return new Refusal(error.status, code, error.message, { headers })
}

function refusalOf(error: Error & { statusCode?: number }): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof CallError) return refusalOfApi(error)
  const status = error.statusCode ?? 500
  if (status < 400 || status >= 500) return new Refusal(500, 'internal', 'internal error', { cause: error })
  return new Refusal(status, 'invalid', 'malformed request')
}
