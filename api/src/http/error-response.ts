import type { ErrorCode } from '@keyferry/contract'
import { DomainError } from '../domain/base/errors.ts'
import { RateExceeded } from './rate-limit.ts'

/** The only table from code to status. */
const STATUS = {
  invalid: 400,
  unauthorized: 401,
  token_expired: 401,
  token_ended: 401,
  tokens_off: 403,
  machine_inactive: 403,
  network_refused: 403,
  not_granted: 403,
  target_refused: 400,
  identity_not_trusted: 403,
  token_not_bound: 403,
  trust_ended: 403,
  trust_too_broad: 400,
  issuer_unavailable: 503,
  forbidden: 403,
  account_locked: 403,
  email_unverified: 403,
  password_change_required: 403,
  passkey_required: 403,
  release_required: 403,
  owner_approves: 403,
  named_approves: 403,
  agents_denied: 403,
  second_person: 403,
  touch_required: 403,
  touch_refused: 403,
  not_found: 404,
  request_denied: 404,
  request_withdrawn: 404,
  request_expired: 404,
  release_wrong: 400,
  release_expired: 409,
  conflict: 409,
  other_person: 409,
  changed: 409,
  version_conflict: 409,
  version_destroyed: 409,
  name_taken: 409,
  plan_changed: 409,
  deposit_damaged: 400,
  bundle_full: 409,
  workspace_full: 409,
  too_many_workspaces: 409,
  too_large: 413,
  too_many: 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>

export type ErrorResponse = { status: number; headers: Record<string, string>; body: string }

/** The answer for an error. An error that no rule threw on purpose becomes a plain 500 without its cause. */
export function errorResponse(error: unknown): ErrorResponse {
  const { code, message, details, retryAfterSeconds } = domainError(error)
  const rateHeaders = error instanceof RateExceeded ? error.headers : {}
  const headers: Record<string, string> = { 'cache-control': 'no-store', ...rateHeaders }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  return { status: STATUS[code], headers, body: JSON.stringify({ error: message, code, details }) }
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
