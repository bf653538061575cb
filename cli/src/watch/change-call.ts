import { type DeviceProof, signDeviceWatch } from '@keyferry/crypto/device-key'
import { wipe } from '@keyferry/crypto/key-pair'
import { CliError } from '../base/cli-error.ts'
import { type ExchangeAnswer, NetworkError } from '../base/exchange.ts'
import type { Parts } from '../base/parts.ts'
import { parseObject } from '../base/shape.ts'
import type { ValuesRequest } from '../delivery/values-request.ts'
import { findCredential, type MachineCredential } from '../machine/credential.ts'
import { callEndpoint, type Server } from '../server/endpoint-call.ts'
import { isPassing, refusal } from '../server/server-failure.ts'
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
    if (error instanceof CliError) return { kind: 'refused', reason: error.message }
    if (error instanceof NetworkError) return { kind: 'later', retryAfterMs: null, reason: error.message }
    throw error
  }
}

async function waitOnce(request: ValuesRequest, deliveryId: string, parts: Parts): Promise<ChangeOutcome> {
  const { exchange, clock } = parts
  const place = { exchange, server: request.server }
  const credential = findCredential(request.as, request.server, parts)
  if (credential !== null) return await asMachine(place, { credential, deliveryId, parts })
  const seed = terminalSeed(request, parts)
  if (seed === null) return { kind: 'unknown', reason: 'this terminal has no key' }
  const device = signDeviceWatch(seed, deliveryId, new Date(clock.epochMs()).toISOString())
  return await waitAsTerminal(place, { delivery_id: deliveryId, device })
}

type Machine = {
  readonly credential: MachineCredential
  readonly deliveryId: string
  readonly parts: Parts
}

// An ID token may be bound to a key of this call.
async function asMachine(
  place: Parameters<typeof waitAsMachine>[0],
  { credential, deliveryId, parts }: Machine,
): Promise<ChangeOutcome> {
  const { publicKey, secretKey } = (await parts.randomness()).newKeyPair()
  wipe(secretKey)
  const identity =
    credential.machineId === null
      ? {}
      : { machine_id: credential.machineId, client_pubkey: Buffer.from(publicKey).toString('base64') }
  return await waitAsMachine(place, await credential.forKey(publicKey), { deliveryId, ...identity })
}

function terminalSeed({ server }: ValuesRequest, parts: Parts): Uint8Array | null {
  try {
    return existingTerminalKey(server, parts)
  } catch {
    return null // no folder to keep it in
  }
}

// The server holds a call for 30 s.
const TIMEOUT_MS = 45_000

/** `unknown`: the server keeps no such delivery for this caller. */
type ChangeOutcome =
  | { readonly kind: 'changed' | 'same' }
  | { readonly kind: 'unknown' | 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }

/** Wait, at most 30 s, until a value of a machine's delivery changes.
 * @throws NetworkError */
async function waitAsMachine(
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
async function waitAsTerminal(
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
