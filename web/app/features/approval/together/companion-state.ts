import { useEffect, useState } from 'react'
import type { RequestContext } from '../../../lib/calls/answers.ts'
import { describeFailure, type Failure } from '../../../lib/calls/failure.ts'
import { serverNowMs } from '../../../lib/calls/server-clock.ts'
import { call } from '../calls.ts'
import { type KeptCompanion, keptCompanions } from '../kept.ts'
import { endOf } from '../request-state.ts'

/** What became of an approval beside another. */
export type CompanionState =
  | 'underway'
  | 'delivered'
  | 'not_approved'
  | 'not_returned'
  | 'denied'
  | 'withdrawn'
  | 'expired'

/** A request that is there: it waits for its approval, for its return, or for its client. */
export function stateOf(
  { status, held }: Pick<RequestContext, 'status' | 'held'>,
  nowMs = serverNowMs(),
): CompanionState {
  if (status === 'pending') return 'not_approved'
  const isLate = status === 'held' && held ? Date.parse(held.until) <= nowMs : false
  return isLate ? 'not_returned' : 'underway'
}

/** A request that is gone without an end was delivered. */
export function stateOfFailure(failure: Failure): CompanionState | null {
  const end = endOf(failure, null, 0)
  if (end === 'denied' || end === 'withdrawn' || end === 'expired') return end
  return end === 'gone' ? 'delivered' : null
}

const LOOK_EVERY_MS = 1_000

const IS_OPEN: ReadonlySet<CompanionState> = new Set(['underway', 'not_approved', 'not_returned'])

/** What became of each approval beside this request, watched until each has ended. */
export function useCompanionStates(
  requestId: string,
): readonly { kept: KeptCompanion; state: CompanionState }[] {
  const [kept] = useState(() => keptCompanions(requestId))
  const [states, setStates] = useState<ReadonlyMap<string, CompanionState>>(new Map())
  const open = kept.filter(({ requestId: id }) => IS_OPEN.has(states.get(id) ?? 'underway'))
  const openIds = open.map(({ requestId: id }) => id).join(' ')
  useEffect(() => {
    if (openIds === '') return undefined
    const look = () => {
      for (const id of openIds.split(' '))
        void stateNow(id).then((state) => state && setStates((before) => new Map(before).set(id, state)))
    }
    look()
    const timer = setInterval(look, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [openIds])
  return kept.map((each) => ({ kept: each, state: states.get(each.requestId) ?? 'underway' }))
}

// A server that does not answer says nothing.
async function stateNow(requestId: string): Promise<CompanionState | null> {
  try {
    return stateOf(await call('getRequestContext', { request_id: requestId }))
  } catch (error) {
    return stateOfFailure(describeFailure(error))
  }
}
