import { fillPath } from '@keyferry/contract/client'
import type { Exchange, ExchangeAnswer } from '../ground/exchange.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import type { WaitCall } from './approval-requests.ts'
import { errorBody, refusal } from './server-failure.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024

/** What the server says to a secret or code that came back.
 * `wrong`: not the one of this approval. `late`: it was valid for too short a time, and a new one can be had on the page.
 * `changed`: the library changed, so a deposit has a new plan. `ended`: the request is no longer held. `busy`: too many calls, or the server failed; try again. */
export type ReleaseOutcome =
  | { readonly kind: 'released' | 'late' | 'changed' | 'ended' }
  | { readonly kind: 'wrong'; readonly attemptsLeft: number | null }
  | { readonly kind: 'busy'; readonly waitMs: number }

/** Return an approval to the server, with the proof that this client made the request.
 * @throws CliError refused · NetworkError */
export async function releaseRequest(
  exchange: Exchange,
  { server, id, verifier }: Pick<WaitCall, 'server' | 'id' | 'verifier'>,
  secret: string,
): Promise<ReleaseOutcome> {
  const answer = await exchange({
    method: 'POST',
    url: server + fillPath('/api/v1/requests/{request_id}/release', { request_id: id }),
    headers: { 'x-poll-verifier': verifier },
    body: JSON.stringify({ secret }),
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  if (answer.status === 200) return { kind: 'released' }
  const { code } = errorBody(answer)
  if (code === 'release_wrong') return { kind: 'wrong', attemptsLeft: attemptsLeft(answer) }
  if (code === 'release_expired') return { kind: 'late' }
  if (code === 'plan_changed') return { kind: 'changed' }
  if (answer.status === 404 || answer.status === 409) return { kind: 'ended' }
  if (answer.status === 429 || answer.status >= 500)
    return { kind: 'busy', waitMs: answer.retryAfterMs ?? 1_000 }
  throw refusal(answer, server)
}

function attemptsLeft({ body }: ExchangeAnswer): number | null {
  const details = parseObject(body)?.['details']
  const left = isObject(details) ? details['attempts_left'] : null
  return typeof left === 'number' ? left : null
}
