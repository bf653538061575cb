import { signDeviceWatch } from '@keyferry/crypto/device-key'
import { wipe } from '@keyferry/crypto/key-pair'
import type { ValuesRequest } from '../delivery/values-request.ts'
import { CliError } from '../ground/cli-error.ts'
import { NetworkError } from '../ground/exchange.ts'
import type { Parts } from '../ground/parts.ts'
import { findCredential, type MachineCredential } from '../machine/credential.ts'
import { type ChangeOutcome, waitAsMachine, waitAsTerminal } from '../server/change-wait.ts'
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
