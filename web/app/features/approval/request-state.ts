import type { Candidate, RequestContext, Tenant } from '../../lib/answers.ts'
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

/** What a person chose to share. */
export type Choice = {
  workspaceId: string
  bundle: { id: string; name: string }
  keys: readonly string[]
}

/** Who decides. `account`: how the person knows their own account. */
export type Approver = { account: string; signsIn: boolean; workspaces: readonly Tenant[] }

/** A request to decide on. `candidates`: the bundles that the terminal may mean. */
export type OpenRequest = {
  context: RequestContext
  candidates: readonly Candidate[]
  person: Approver
}

export type RequestState =
  | { phase: 'loading' }
  | ({ phase: 'open' } & OpenRequest)
  | { phase: 'approved'; context: RequestContext; choice: Choice; delivered: boolean }
  | { phase: 'ended'; end: End }

const ENDS: Readonly<Record<string, End>> = {
  request_denied: 'denied',
  request_withdrawn: 'withdrawn',
  request_expired: 'expired',
}

/** The end that a failed call means, or null when the person can try the same again. A request that is unknown after its
 * time has expired; before its time it was used. */
export function endOf(failure: Failure, expiresAt: string | null, nowMs: number): End | null {
  const end = ENDS[failure.code]
  if (end !== undefined) return end
  if (failure.status === 404) return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'gone'
  if (failure.status === 409) return 'already_approved'
  if (failure.status === 401) return 'signed_out'
  if (failure.status === 403) return 'forbidden'
  return null
}
