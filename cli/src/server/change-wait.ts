import type { DeviceProof } from '@keyferry/crypto/device-key'
import type { ExchangeAnswer } from '../ground/exchange.ts'
import { parseObject } from '../ground/json-object.ts'
import { callEndpoint, type Server } from './endpoint-call.ts'
import { isPassing, refusal } from './server-failure.ts'

// The server holds a call for 30 s.
const TIMEOUT_MS = 45_000

/** `unknown`: the server keeps no such delivery for this caller. */
export type ChangeOutcome =
  | { readonly kind: 'changed' | 'same' }
  | { readonly kind: 'unknown' | 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }

/** Wait, at most 30 s, until a value of a machine's delivery changes.
 * @throws NetworkError */
export async function waitAsMachine(
  at: Server,
  credential: string,
  { deliveryId, ...body }: { deliveryId: string; machine_id?: string; client_pubkey?: string },
): Promise<ChangeOutcome> {
  const headers = { authorization: `Bearer ${credential}` }
  const options = { params: { delivery_id: deliveryId }, headers, body, timeoutMs: TIMEOUT_MS }
  return readAnswer(await callEndpoint(at, 'waitForChange', options), at.server)
}

/** The same for a terminal whose approval is remembered.
 * @throws NetworkError */
export async function waitAsTerminal(
  at: Server,
  body: { delivery_id: string; device: DeviceProof },
): Promise<ChangeOutcome> {
  const answer = await callEndpoint(at, 'waitForRememberedChange', { body, timeoutMs: TIMEOUT_MS })
  return readAnswer(answer, at.server)
}

function readAnswer(answer: ExchangeAnswer, server: string): ChangeOutcome {
  const changed = parseObject(answer.body)?.['changed']
  if (answer.status === 200 && typeof changed === 'boolean') return { kind: changed ? 'changed' : 'same' }
  const { message: reason } = refusal(answer, server)
  if (answer.status === 404) return { kind: 'unknown', reason }
  if (isPassing(answer)) return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason }
  return { kind: 'refused', reason }
}
