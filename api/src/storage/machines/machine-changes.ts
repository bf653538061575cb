import { z } from 'zod'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { Query } from '../base/queries.ts'
import { updateOf } from '../base/tenant-rows.ts'

export type MachineRef = { id: string; name: string }

/** Hold a machine until the transaction ends, so that its tokens and grants are counted one change at a time. */
export async function holdMachine(
  transaction: Query,
  tenantId: string,
  machineId: string,
): Promise<MachineRef | null> {
  const row = await updateOf(transaction, 'machines', { tenantId, id: machineId })
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .returning(['id', 'name'])
    .executeTakeFirst()
  return row ?? null
}

type MachineAction =
  | `machine.${'created' | 'changed' | 'deleted' | 'granted' | 'revoked'}`
  | `token.${'created' | 'rotated' | 'ended'}`
  | `trust.${'created' | 'ended'}`

/** The event of a change that a person makes to a machine, its tokens or its trusts. */
export function machineEvent(
  { tenantId, id, name }: { tenantId: string } & MachineRef,
  action: MachineAction,
  { stamp, data = {} }: { stamp: Stamp; data?: EventData },
): Event {
  return { tenantId, action, target: { kind: 'machine', id, name }, data, ...madeBy(stamp) }
}

const Networks = z.array(z.string())

/** The networks in a row's text. */
export function networksIn(text: string): string[] {
  return Networks.parse(JSON.parse(text))
}
