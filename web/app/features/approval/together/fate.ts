import type { RequestContext } from '../../../lib/answers.ts'
import type { Failure } from '../../../lib/failure.ts'
import { endOf } from '../request-state.ts'

/** What became of an approval beside another. */
export type Fate =
  | 'underway'
  | 'delivered'
  | 'not_approved'
  | 'not_returned'
  | 'denied'
  | 'withdrawn'
  | 'expired'

/** A request that is there: it waits for its approval, for its return, or for its client. */
export function fateOf({ status, held }: Pick<RequestContext, 'status' | 'held'>, nowMs: number): Fate {
  if (status === 'pending') return 'not_approved'
  const isLate = status === 'held' && held ? Date.parse(held.until) <= nowMs : false
  return isLate ? 'not_returned' : 'underway'
}

/** A request that is gone without an end was delivered. */
export function fateOfFailure(failure: Failure): Fate | null {
  const end = endOf(failure, null, 0)
  if (end === 'denied' || end === 'withdrawn' || end === 'expired') return end
  return end === 'gone' ? 'delivered' : null
}
