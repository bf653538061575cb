import { z } from 'zod'
import type { ClockAndIds } from '../../domain/base/clock-and-ids.ts'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { TargetRules } from '../../domain/base/outgoing-target.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { updateOf } from '../../storage/base/tenant-rows.ts'
import { machineNotFound } from '../domain/machine.ts'

export type MachineParts = {
  queries: Queries
  clock: ClockAndIds
  targets: TargetRules
  /** The audience of ID tokens, where a trust names none. */
  audience: string
  /** The setting MACHINE_TOKENS. */
  tokensAllowed: boolean
}

export type MachineRef = { id: string; name: string }

/** Lock a machine until the transaction ends, so that its tokens and grants are counted one change at a time. */
export function lockMachine(
  transaction: Query,
  tenantId: string,
  machineId: string,
): Promise<MachineRef | undefined> {
  return updateOf(transaction, 'machines', { tenantId, id: machineId })
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .returning(['id', 'name'])
    .executeTakeFirst()
}

/** @throws DomainError not_found */
export async function requireMachine(
  transaction: Query,
  tenantId: string,
  machineId: string,
): Promise<MachineRef> {
  const machine = await lockMachine(transaction, tenantId, machineId)
  if (!machine) throw machineNotFound()
  return machine
}

type MachineAction =
  | `machine.${'created' | 'changed' | 'deleted' | 'granted' | 'revoked'}`
  | `token.${'created' | 'rotated' | 'ended'}`
  | `trust.${'created' | 'ended'}`

/** The event of a change that a person makes to a machine, its tokens or its trusts. */
export function machineEvent(
  { id, name }: MachineRef,
  stamp: Stamp,
  event: { action: MachineAction; data?: EventData },
): Event {
  return { ...madeBy(stamp), target: { kind: 'machine', id, name }, data: {}, ...event }
}

const Networks = z.array(z.string())

/** The networks in a row's text. */
export function networksIn(text: string): string[] {
  return Networks.parse(JSON.parse(text))
}
