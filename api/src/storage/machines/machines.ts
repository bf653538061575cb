import { LIMITS } from '@keyferry/contract'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { MachineChange, MachineDraft, MachineStore } from '../../domain/machines/machine.ts'
import { isTaken, unless } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { countOf, deleteOf, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'
import { holdTenant } from '../people/tenants.ts'
import { holdMachine, machineEvent } from './machine-changes.ts'
import { grant, revoke } from './machine-grants.ts'
import { machineReader } from './machine-reading.ts'

export function createMachineStore({ query, write }: Queries): MachineStore {
  const { find, list } = machineReader(query)
  return {
    find,
    list,
    insert: (tenantId, machine, stamp) =>
      unless(isTaken, 'taken', () =>
        write((transaction) => insert(transaction, { tenantId, machine, stamp })),
      ),
    update: (tenantId, machineId, change) =>
      unless(isTaken, 'taken', () =>
        write((transaction) => update(transaction, { tenantId, machineId, ...change })),
      ),
    delete: (tenantId, machineId, stamp) =>
      write((transaction) => remove(transaction, { tenantId, machineId, stamp })),
    grant: (tenantId, granted, stamp) =>
      write((transaction) => grant(transaction, { tenantId, ...granted, stamp })),
    isDelivered: (tenantId, bundleId) =>
      isFound(selectOf(query, 'machine_grants', { tenantId, bundle_id: bundleId, scope: 'deliver' })),
    revoke: (tenantId, place, stamp) =>
      write((transaction) => revoke(transaction, { tenantId, ...place, stamp })),
  }
}

type Insertion = { tenantId: string; machine: MachineDraft & { id: string }; stamp: Stamp }

async function insert(
  transaction: Recorded,
  { tenantId, machine, stamp }: Insertion,
): Promise<'done' | 'full'> {
  await holdTenant(transaction, tenantId)
  const total = await countOf(selectOf(transaction, 'machines', tenantId))
  if (total >= LIMITS.machines) return 'full'
  const { id, name, description, is_active, audit } = machine
  const made = { created_by: stamp.by, created_at: stamp.at, updated_at: stamp.at }
  await transaction
    .insertInto('machines')
    .values({
      ...made,
      id,
      tenant_id: tenantId,
      name,
      description,
      is_active: flag(is_active),
      reads_audit: flag(audit),
    })
    .execute()
  transaction.record(machineEvent({ tenantId, id, name }, 'machine.created', { stamp }))
  return 'done'
}

type Update = { tenantId: string; machineId: string; stamp: Stamp } & MachineChange

async function update(
  transaction: Recorded,
  { tenantId, machineId, stamp, ...change }: Update,
): Promise<'done' | 'absent'> {
  const held = await holdMachine(transaction, tenantId, machineId)
  if (!held) return 'absent'
  const before = await columnsOf(transaction, tenantId, machineId)
  const wanted = {
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    is_active: change.is_active === undefined ? before.is_active : flag(change.is_active),
    reads_audit: change.audit === undefined ? before.reads_audit : flag(change.audit),
  }
  const changed = FIELDS.filter((field) => wanted[field] !== before[field]).map(told)
  if (changed.length === 0) return 'done'
  await updateOf(transaction, 'machines', { tenantId, id: machineId })
    .set({ ...wanted, updated_at: stamp.at })
    .execute()
  const data = { changed, is_active: wanted.is_active === 1, audit: wanted.reads_audit === 1 }
  const machine = { tenantId, id: machineId, name: wanted.name }
  transaction.record(machineEvent(machine, 'machine.changed', { stamp, data }))
  return 'done'
}

const FIELDS = ['name', 'description', 'is_active', 'reads_audit'] as const

// Events use the names of the interface.
function told(field: (typeof FIELDS)[number]): string {
  return field === 'reads_audit' ? 'audit' : field
}

function columnsOf(transaction: Query, tenantId: string, machineId: string) {
  return selectOf(transaction, 'machines', { tenantId, id: machineId })
    .select(FIELDS)
    .executeTakeFirstOrThrow()
}

type Removal = { tenantId: string; machineId: string; stamp: Stamp }

// Proofs first, in the order in which a delivery holds rows: in another order, the two could deadlock.
async function remove(transaction: Recorded, { tenantId, machineId, stamp }: Removal): Promise<boolean> {
  await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId }).execute()
  await deleteOf(transaction, 'machine_trusts', { tenantId, machine_id: machineId }).execute()
  const row = await deleteOf(transaction, 'machines', { tenantId, id: machineId })
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (!row) return false
  transaction.record(machineEvent({ tenantId, ...row }, 'machine.deleted', { stamp }))
  return true
}
