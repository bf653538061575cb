import { isIPv4 } from 'node:net'
import type { Logger } from 'pino'
import { addressBlock } from '../domain/base/address-block.ts'
import { type ClockAndIds, timestamp } from '../domain/base/clock-and-ids.ts'
import type { Event, EventStore } from '../domain/base/event.ts'
import type { Origin } from '../domain/base/origin.ts'
import { originOf } from '../http/handler.ts'
import type { ProgramCalls } from '../http/pipeline.ts'
import { type ClaimedIdentity, requireAudit } from './domain/machine-caller.ts'
import { MachineRefusal, type RefusedMachine } from './domain/machine-refusal.ts'
import { type AdmissionParts, admitMachine } from './storage/machine-callers.ts'

/*
 * Refused calls of known machines become events. The first one at once; its repeats, of the same machine for the same
 * reason from the same network, are counted and told once a minute. A job that is set up wrongly calls every few
 * seconds, and must not fill the log. If the event cannot be written, the server logs that and still refuses the call.
 */

const REPEATS_MS = 60_000
/** Distinct refusals in one minute; those beyond are counted with the first one that is dropped. */
const KEPT = 10_000

type Repeats = { refusal: KnownRefusal; origin: Origin; count: number }
type KnownRefusal = Pick<MachineRefusal, 'code'> & { machine: RefusedMachine }

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

/** How machines call, and what becomes of their refused calls.
 * @param countRefusal refuses a call too if an address has too many refused ones */
export function machineCalls(
  parts: AdmissionParts & { countRefusal: (address: string) => Promise<void>; refusals: MachineRefusals },
): ProgramCalls {
  return {
    async admit({ bearer, peer, row }, body) {
      const presented = { bearer, address: peer.address, origin: originOf(peer) }
      const machine = await admitMachine(parts, presented, claimedIn(body))
      if (row.program === 'audit') requireAudit(machine)
      return machine
    },
    async afterRefusal(error, peer) {
      if (!(error instanceof MachineRefusal)) return error
      parts.refusals.note(error, originOf(peer))
      return parts.countRefusal(addressBlock(peer.address)).then(
        () => error,
        (tooMany: unknown) => tooMany,
      )
    },
  }
}

// A key that cannot be parsed binds nothing; the call is refused for it later.
function claimedIn(body: unknown): ClaimedIdentity | null {
  if (typeof body !== 'object' || body === null || !('machine_id' in body) || !('client_pubkey' in body))
    return null
  const { machine_id: machineId, client_pubkey: clientKey } = body
  if (typeof machineId !== 'string' || typeof clientKey !== 'string') return null
  return { machineId, clientKey: Buffer.from(clientKey, 'base64') }
}
