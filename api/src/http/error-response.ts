import { ERRORS } from '@keyferry/contract'
import { DomainError } from '../domain/base/errors.ts'
import { RateExceeded } from './rate-limit.ts'

export type ErrorResponse = { status: number; headers: Record<string, string>; body: string }

/** The answer for an error. An error that no rule threw on purpose becomes a plain 500 without its cause. */
export function errorResponse(error: unknown): ErrorResponse {
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
