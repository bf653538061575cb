import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { MachineRef } from './machine-changes.ts'

type TokenOfEvent = { tenantId: string; machine: MachineRef; id: string; hint: string }

/** The event of a change that a person makes to a token. */
export function tokenEvent(
  { tenantId, machine, id, hint }: TokenOfEvent,
  action: 'token.created' | 'token.rotated' | 'token.ended',
  { stamp, data = {} }: { stamp: Stamp; data?: EventData },
): Event {
  const { id: machineId, name } = machine
  const target = { kind: 'machine', id: machineId, name } as const
  return { tenantId, action, target, data: { token: id, hint, ...data }, ...madeBy(stamp) }
}
