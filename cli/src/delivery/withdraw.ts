import type { Parts, ViewName } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { withdrawRequest } from '../server/approval-requests.ts'
import { remaining } from '../terminal/waiting-view.ts'

/** Take back what nobody waits for any more, so that no person approves it for nothing, and say what came of it. Never
 * throws.
 * @param making the request, which may be on its way still */
export async function withdraw(making: Promise<PendingRequest>, view: ViewName, parts: Parts): Promise<void> {
  let pending: PendingRequest
  try {
    pending = await making
  } catch {
    return // there is none
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
    withdrawn: () => say('withdrawn', 'the request was withdrawn'),
    failed: () => {
      const left = remaining(deadlineMs - clock.monotonicMs())
      say('not_withdrawn', `the request could not be withdrawn; it ends by itself, with ${left} left`)
    },
  }
}
