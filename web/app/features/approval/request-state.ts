import type { RequestBundleEntry, RequestContext } from '../../lib/answers.ts'
import type { Failure } from '../../lib/failure.ts'

/** Why there is nothing to decide. */
export type End =
  | 'denied'
  | 'withdrawn'
  | 'expired'
  | 'gone'
  | 'already_approved'
  | 'not_collected'
  | 'signed_out'
  | 'forbidden'
  | 'unreachable'

/** What a person chose to hand over. */
export type Choice = { bundle: { id: string; name: string }; keys: readonly string[] }

export type RequestState =
  | { phase: 'loading' }
  | { phase: 'open'; context: RequestContext; bundles: readonly RequestBundleEntry[] }
  | { phase: 'approved'; context: RequestContext; choice: Choice; delivered: boolean }
  | { phase: 'ended'; end: End }

/** The end that a failed call means, or null when the person can try the same again. A request that is unknown after its
 * time has expired; before its time somebody has used it. */
export function endOf(failure: Failure, expiresAt: string | null, nowMs: number): End | null {
  if (failure.code === 'request_denied') return 'denied'
  if (failure.code === 'request_withdrawn') return 'withdrawn'
  if (failure.status === 404) return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'gone'
  if (failure.status === 409) return 'already_approved'
  if (failure.status === 401) return 'signed_out'
  if (failure.status === 403) return 'forbidden'
  return null
}
