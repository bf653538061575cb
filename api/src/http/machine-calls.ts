import type { Endpoint } from '@keyferry/contract'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../domain/errors.ts'
import {
  type AdmissionParts,
  admitMachine,
  type MachineCaller,
  MachineRefusal,
  requireAudit,
} from '../domain/machine-caller.ts'
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
 * @throws MachineRefusal */
export async function machineBehind(
  parts: MachineCallParts,
  { bearer, peer, row }: { bearer: string; peer: Peer; row: Endpoint },
): Promise<MachineCaller> {
  const machine = await admitMachine(parts, { bearer, address: peer.address, origin: originOf(peer) })
  if (row.machine === 'audit') requireAudit(machine)
  return machine
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
