import { isIPv4 } from 'node:net'
import type { Endpoint } from '@keyferry/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { addressBlock } from '../domain/base/address-block.ts'
import { type ClockAndIds, timestamp } from '../domain/base/clock-and-ids.ts'
import { DomainError } from '../domain/base/errors.ts'
import type { Event, EventStore } from '../domain/base/event.ts'
import type { Origin } from '../domain/base/origin.ts'
import {
  type AdmissionParts,
  admitMachine,
  type ClaimedIdentity,
  type MachineCaller,
  requireAudit,
} from '../domain/machines/machine-caller.ts'
import { MachineRefusal } from '../domain/machines/machine-refusal.ts'
import { originOf, type Peer } from './handler.ts'
import type { Limits } from './rate-limit.ts'

/*
 * Refused calls of known machines become events. The first one at once; its repeats, of the same machine for the same
 * reason from the same network, are counted and told once a minute. A job that is set up wrongly calls every few
 * seconds, and must not fill the log. If the event cannot be written, the server logs that and still refuses the call.
 */

const REPEATS_MS = 60_000
/** Distinct refusals in one minute; those beyond are counted with the first one that is dropped. */
const KEPT = 10_000

type Repeats = { refusal: KnownRefusal; origin: Origin; count: number }
type KnownRefusal = Pick<MachineRefusal, 'code'> & { machine: NonNullable<MachineRefusal['machine']> }

type RefusalParts = { events: EventStore; clock: ClockAndIds; log: Logger }

export class MachineRefusals {
  readonly #parts: RefusalParts
  readonly #repeats = new Map<string, Repeats>()
  readonly #writing = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | null = null

  constructor(parts: RefusalParts) {
    this.#parts = parts
  }

  /** Tells of a refusal, now or with its repeats. Refusals of an unknown machine are not recorded: they belong to no
   * tenant. */
  note({ machine, code }: MachineRefusal, origin: Origin): void {
    if (machine === null) return
    const name = `${machine.id} ${code} ${networkOf(origin.ip ?? '')}`
    const known = this.#repeats.get(name)
    if (known) {
      known.count += 1
      known.origin = origin
      return
    }
    if (this.#repeats.size >= KEPT) this.#recordRepeats()
    const refusal = { machine, code }
    this.#repeats.set(name, { refusal, origin, count: 0 })
    this.#timer ??= setTimeout(() => this.#recordRepeats(), REPEATS_MS).unref()
    this.#record({ refusal, origin, count: 1 })
  }

  /** Tells of the repeats so far, and waits until all is written. */
  async close(): Promise<void> {
    this.#recordRepeats()
    await Promise.all(this.#writing)
  }

  #recordRepeats(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const all = [...this.#repeats.values()]
    this.#repeats.clear()
    for (const repeats of all) if (repeats.count > 0) this.#record(repeats)
  }

  #record(repeats: Repeats): void {
    const { events, clock, log } = this.#parts
    const written = events
      .record(refusedEvent(repeats, timestamp(clock)))
      .catch((error: unknown) =>
        log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'refusal not recorded'),
      )
      .finally(() => this.#writing.delete(written))
    this.#writing.add(written)
  }
}

function refusedEvent({ refusal: { machine, code }, origin, count }: Repeats, at: string): Event {
  const { id, name, tenantId } = machine
  return {
    tenantId,
    action: 'delivery.refused',
    at,
    actor: { kind: 'machine', id },
    target: { kind: 'machine', id, name },
    data: { reason: code, count },
    origin,
  }
}

/** A /24 of IPv4 or a /64 of IPv6. */
function networkOf(address: string): string {
  const block = addressBlock(address)
  return isIPv4(block) ? block.slice(0, block.lastIndexOf('.')) : block
}

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
