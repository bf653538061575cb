import type { CleanUp, Parts, ViewName } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { withdrawRequest } from '../server/approval-requests.ts'
import { remaining } from '../terminal/waiting-view.ts'

type Interruption = {
  /** Resolves when the step ends; never resolves after a signal. The signal decides how the client ends, and a delivery
   * that arrives during the clean-up is not used. */
  readonly unlessEnding: <T>(step: Promise<T>) => Promise<T>
  readonly takeBack: () => void
}

/** Runs `cleanUp` when a signal ends the client, and stops every step that waits for `unlessEnding`. */
export function atInterruption({ atInterrupt }: Parts, cleanUp: CleanUp): Interruption {
  let isEnding = false
  const takeBack = atInterrupt(() => {
    isEnding = true
    return cleanUp()
  })
  return {
    takeBack,
    unlessEnding: async (step) => {
      try {
        return await step
      } finally {
        if (isEnding) await new Promise<never>(() => undefined)
      }
    },
  }
}

/** Withdraw a request that this client stops waiting for, so that no person approves it, and report the result.
 * Never throws.
 * @param making the request, which may not be answered yet */
export async function withdraw(making: Promise<PendingRequest>, view: ViewName, parts: Parts): Promise<void> {
  let pending: PendingRequest
  try {
    pending = await making
  } catch {
    return // no request was made
  }
  const tell = teller(pending, view, parts)
  try {
    if (await withdrawRequest(parts.exchange, pending)) tell.withdrawn()
  } catch {
    tell.failed()
  }
}

function teller(
  { id, deadlineMs }: PendingRequest,
  view: ViewName,
  { stderr, clock }: Parts,
): { withdrawn: () => void; failed: () => void } {
  const say = (event: string, text: string): void =>
    stderr.write(view === 'json' ? `${JSON.stringify({ event, id })}\n` : `keyferry: ${text}\n`)
  return {
    withdrawn: () => say('withdrawn', 'request withdrawn'),
    failed: () => {
      const left = remaining(deadlineMs - clock.monotonicMs())
      say('not_withdrawn', `could not withdraw the request; it expires by itself, with ${left} left`)
    },
  }
}
