import { spanText, TIMES } from '@keyferry/contract/limits'
import { announce } from '../base/announce.ts'
import type { CleanUp, Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { withdrawRequest } from '../server/approval-requests.ts'
import { remaining } from '../terminal/waiting-view.ts'

/** Runs `cleanUp` when a signal ends the client, and stops every step that waits for `unlessEnding`. */
export function atInterruption({ atInterrupt }: Parts, cleanUp: CleanUp) {
  let isEnding = false
  const takeBack = atInterrupt(() => {
    isEnding = true
    return cleanUp()
  })
  return {
    takeBack,
    /** Resolves when the step ends; never resolves after a signal. The signal decides how the client ends, and a
     * delivery that arrives during the clean-up is not used. */
    unlessEnding: async <T>(step: Promise<T>): Promise<T> => {
      try {
        return await step
      } finally {
        if (isEnding) await new Promise<never>(() => undefined)
      }
    },
  }
}

const OPEN_FOR = spanText(TIMES.leftSeconds)
const LEFT = `the request stays open for ${OPEN_FOR}; after a yes, the same command starts at once`

/** Withdraw a request that this client stops waiting for, so that no person approves it, and report the result.
 * Never throws.
 * @param making the request, which may not be answered yet
 * @param isStopped a signal stopped the command: where the server allows it, a person can still approve its next run */
export async function withdraw(
  making: PendingRequest | Promise<PendingRequest>,
  parts: Parts,
  { isStopped = false }: { isStopped?: boolean } = {},
): Promise<void> {
  const pending = await Promise.resolve(making).catch(() => null)
  if (pending === null) return // no request was made
  const { id, deadlineMs } = pending
  try {
    const leaves = isStopped && pending.mayLeave
    const done = await withdrawRequest(parts.exchange, pending, { leaves })
    if (done) announce(parts, { event: done, id }, done === 'left' ? LEFT : 'request withdrawn')
  } catch {
    const left = remaining(deadlineMs - parts.clock.monotonicMs())
    const text = `could not withdraw the request; it expires by itself, with ${left} left`
    announce(parts, { event: 'not_withdrawn', id }, text)
  }
}
