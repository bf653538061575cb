import { signDeviceWatch } from '@keyferry/crypto/device-key'
import { wipe } from '@keyferry/crypto/key-pair'
import { CliError } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import type { Parts } from '../base/parts.ts'
import { parseObject } from '../base/shape.ts'
import type { ValuesRequest } from '../delivery/values-request.ts'
import { findCredential, type MachineCredential } from '../machine/credential.ts'
import { type ClientCallOptions, callEndpoint } from '../server/endpoint-call.ts'
import { isPassing, NoAnswer, refusal } from '../server/server-failure.ts'
import { existingTerminalKey } from '../state/terminal-key.ts'

/** Wait, at most 30 s, until a value of this delivery changes: by the credential of a machine, else by the key of this
 * terminal. Never throws for an answer or a lost connection. */
export async function waitForChange(
  request: ValuesRequest,
  deliveryId: string,
  parts: Parts,
): Promise<ChangeOutcome> {
  try {
    return await waitOnce(request, deliveryId, parts)
  } catch (error) {
    if (error instanceof NoAnswer) return { kind: 'later', retryAfterMs: null, reason: error.reason }
    if (error instanceof CliError) return { kind: 'refused', reason: error.message }
    throw error
  }
}

async function waitOnce(request: ValuesRequest, deliveryId: string, parts: Parts): Promise<ChangeOutcome> {
  const { server } = request
  const at = { exchange: parts.exchange, server }
  const credential = findCredential(request.as, server, parts)
  if (credential !== null) {
    const options = await machineCall(credential, deliveryId, parts)
    return readAnswer(await callEndpoint(at, 'waitForChange', options), server)
  }
  const seed = existingTerminalKey(server, parts)
  if (seed === null) return { kind: 'unknown', reason: 'this terminal has no key' }
  const device = signDeviceWatch(seed, deliveryId, new Date(parts.clock.epochMs()).toISOString())
  const options = { body: { delivery_id: deliveryId, device }, timeoutMs: TIMEOUT_MS }
  return readAnswer(await callEndpoint(at, 'waitForRememberedChange', options), server)
}

// An ID token may be bound to a key of this call.
async function machineCall(
  { machineId, forKey }: MachineCredential,
  deliveryId: string,
  parts: Parts,
): Promise<ClientCallOptions> {
  const { publicKey, secretKey } = (await parts.randomness()).newKeyPair()
  wipe(secretKey)
  const client_pubkey = Buffer.from(publicKey).toString('base64')
  return {
    params: { delivery_id: deliveryId },
    headers: { authorization: `Bearer ${await forKey(publicKey)}` },
    body: machineId === null ? {} : { machine_id: machineId, client_pubkey },
    timeoutMs: TIMEOUT_MS,
  }
}

// The server keeps a call open for 30 s.
const TIMEOUT_MS = 45_000

/** `unknown`: the server keeps no such delivery for this caller. */
type ChangeOutcome =
  | { readonly kind: 'changed' | 'same' }
  | { readonly kind: 'unknown' | 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }

function readAnswer(answer: ExchangeAnswer, server: string): ChangeOutcome {
  const changed = parseObject(answer.body)?.['changed']
  if (answer.status === 200 && typeof changed === 'boolean') return { kind: changed ? 'changed' : 'same' }
  const { message: reason } = refusal(answer, server)
  if (answer.status === 404) return { kind: 'unknown', reason }
  if (isPassing(answer)) return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason }
  return { kind: 'refused', reason }
}
