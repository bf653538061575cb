import type { Exchange } from '../ground/exchange.ts'
import type { Clock, ViewName } from '../ground/parts.ts'

// For a server that says "too many requests" but not for how long.
const USUAL_WAIT_MS = 5_000
const LEAST_WAIT_MS = 1_000
/** A longer wait is an error for the person to see, because a request expires sooner. */
const LONGEST_WAIT_MS = 300_000

/** An exchange that waits when the server answers 429, as long as the server says, and then sends the request again. A
 * server that asks for more than five minutes in total gets no further request: the caller sees its answer.
 * @param onWait called before each wait, with its length in milliseconds */
export function patientExchange(
  { exchange, clock }: { exchange: Exchange; clock: Clock },
  onWait: (waitMs: number) => void,
): Exchange {
  return async (request) => {
    let leftMs = LONGEST_WAIT_MS
    for (;;) {
      const answer = await exchange(request)
      const waitMs = Math.max(answer.retryAfterMs ?? USUAL_WAIT_MS, LEAST_WAIT_MS)
      if (answer.status !== 429 || waitMs > leftMs) return answer
      leftMs -= waitMs
      onWait(waitMs)
      await clock.sleep(waitMs)
    }
  }
}

/** What the client writes to stderr before such a wait: a line for a person, or a JSON object. */
export function rateLimitNotice(view: ViewName, waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000)
  return view === 'json'
    ? `${JSON.stringify({ event: 'rate_limited', wait_seconds: seconds })}\n`
    : `keyferry: too many requests; the server asks to wait ${seconds} s, then keyferry tries again\n`
}
