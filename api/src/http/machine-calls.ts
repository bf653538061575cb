import type { Endpoint } from '@keyferry/contract'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../domain/base/errors.ts'
import {
  type AdmissionParts,
  admitMachine,
  type ClaimedIdentity,
  type MachineCaller,
  requireAudit,
} from '../domain/machines/machine-caller.ts'
import { MachineRefusal } from '../domain/machines/machine-refusal.ts'
import { originOf, type Peer } from './handler.ts'
import type { MachineRefusals } from './machine-refusals.ts'
import type { Limits } from './rate-limit.ts'

export type MachineCallParts = AdmissionParts & Pick<Limits, 'countRefusal'> & { refusals: MachineRefusals }

const BEARER = /^bearer +([^\s,]+)$/i

/** The bearer token of a call to a row that machines may call; null without one.
 * @throws DomainError unauthorized: two `Authorization` headers, or another scheme on a row for machines alone */
export function bearerOf(row: Endpoint, { raw }: FastifyRequest): string | null {
  if (row.access !== 'machine' && row.machine === undefined) return null
  const given = raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  )
  const token = BEARER.exec(raw.headers.authorization ?? '')?.[1] ?? null
  if (given.length > 1 || (token === null && row.access === 'machine'))
    throw new DomainError('unauthorized', 'Unauthorized')
  return token
}

/** The machine behind a bearer token, if it may call this row.
 * @param body of a call that an ID token can make, which names the machine and its key
 * @throws MachineRefusal */
export async function machineBehind(
  parts: MachineCallParts,
  { bearer, peer, row }: { bearer: string; peer: Peer; row: Endpoint },
  body: unknown,
): Promise<MachineCaller> {
  const presented = { bearer, address: peer.address, origin: originOf(peer) }
  const machine = await admitMachine(parts, presented, claimedIn(body))
  if (row.machine === 'audit') requireAudit(machine)
  return machine
}

// A key that cannot be parsed binds nothing; the call is refused for it later.
function claimedIn(body: unknown): ClaimedIdentity | null {
  if (typeof body !== 'object' || body === null || !('machine_id' in body) || !('client_pubkey' in body))
    return null
  const { machine_id: machineId, client_pubkey: clientKey } = body
  if (typeof machineId !== 'string' || typeof clientKey !== 'string') return null
  return { machineId, clientKey: Buffer.from(clientKey, 'base64') }
}

/** Count a refusal of a machine and record it; other errors pass.
 * @returns the error to answer with */
export async function afterRefusal(
  { countRefusal, refusals }: MachineCallParts,
  error: unknown,
  peer: Peer,
): Promise<unknown> {
  if (!(error instanceof MachineRefusal)) return error
  refusals.note(error, originOf(peer))
  return countRefusal(peer.address).then(
    () => error,
    (tooMany: unknown) => tooMany,
  )
}
