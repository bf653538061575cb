import { fillPath } from '@keyferry/contract/client'
import type { DeviceProof } from '@keyferry/crypto/device-key'
import type { Exchange, ExchangeAnswer } from '../ground/exchange.ts'
import { parseObject } from '../ground/json-object.ts'
import { refusal } from './server-failure.ts'

// The server holds a call for 30 s.
const TIMEOUT_MS = 45_000
const MAX_BYTES = 64 * 1024

/** `unknown`: the server keeps no such delivery for this caller. */
export type ChangeOutcome =
  | { readonly kind: 'changed' | 'same' }
  | { readonly kind: 'unknown' | 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }

type Place = { readonly exchange: Exchange; readonly server: string }

/** Wait, at most 30 s, until a value of a machine's delivery changes.
 * @throws NetworkError */
export async function waitAsMachine(
  { exchange, server }: Place,
  credential: string,
  { deliveryId, ...body }: { deliveryId: string; machine_id?: string; client_pubkey?: string },
): Promise<ChangeOutcome> {
  const path = fillPath('/api/v1/deliveries/{delivery_id}/wait', { delivery_id: deliveryId })
  const headers = { authorization: `Bearer ${credential}` }
  const answer = await exchange({
    method: 'POST',
    url: server + path,
    headers,
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  return readAnswer(answer, server)
}

/** The same for a terminal whose approval is remembered.
 * @throws NetworkError */
export async function waitAsTerminal(
  { exchange, server }: Place,
  body: { delivery_id: string; device: DeviceProof },
): Promise<ChangeOutcome> {
  const answer = await exchange({
    method: 'POST',
    url: `${server}/api/v1/grants/wait`,
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  return readAnswer(answer, server)
}

function readAnswer(answer: ExchangeAnswer, server: string): ChangeOutcome {
  const changed = parseObject(answer.body)?.['changed']
  if (answer.status === 200 && typeof changed === 'boolean') return { kind: changed ? 'changed' : 'same' }
  const { message: reason } = refusal(answer, server)
  if (answer.status === 404) return { kind: 'unknown', reason }
  if (answer.status === 429 || answer.status >= 500)
    return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason }
  return { kind: 'refused', reason }
}
