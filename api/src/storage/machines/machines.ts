import { LIMITS } from '@keyferry/contract'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import {
  type GrantScope,
  type MachineChange,
  type MachineDraft,
  type MachineStore,
  machineNameTaken,
  machineNotFound,
  notGranted,
  tooManyGrants,
  tooManyMachines,
} from '../../domain/machines/machine.ts'
import { isTaken, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { countOf, deleteOf, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'
import { holdTenant } from '../people/tenants.ts'
import { holdMachine, machineEvent } from './machine-changes.ts'
import { machineReader } from './machine-reading.ts'

export function createMachineStore({ query, write }: Queries): MachineStore {
  const { find, list } = machineReader(query)
  return {
    find,
    list,
    insert: (tenantId, machine, stamp) =>
      refusing(isTaken, machineNameTaken, () =>
        write((transaction) => insert(transaction, { tenantId, machine, stamp })),
      ),
    update: (tenantId, machineId, change) =>
      refusing(isTaken, machineNameTaken, () =>
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

async function insert(transaction: Recorded, { tenantId, machine, stamp }: Insertion): Promise<void> {
  await holdTenant(transaction, tenantId)
  const total = await countOf(selectOf(transaction, 'machines', tenantId))
  if (total >= LIMITS.machines) throw tooManyMachines()
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
}

type Update = { tenantId: string; machineId: string; stamp: Stamp } & MachineChange

async function update(transaction: Recorded, { tenantId, machineId, stamp, ...change }: Update) {
  if (!(await holdMachine(transaction, tenantId, machineId))) throw machineNotFound()
  const before = await columnsOf(transaction, tenantId, machineId)
  const wanted = {
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    is_active: change.is_active === undefined ? before.is_active : flag(change.is_active),
    reads_audit: change.audit === undefined ? before.reads_audit : flag(change.audit),
  }
  const changed = FIELDS.filter((field) => wanted[field] !== before[field]).map(told)
  if (changed.length === 0) return
  await updateOf(transaction, 'machines', { tenantId, id: machineId })
    .set({ ...wanted, updated_at: stamp.at })
    .execute()
  const data = { changed, is_active: wanted.is_active === 1, audit: wanted.reads_audit === 1 }
  const machine = { tenantId, id: machineId, name: wanted.name }
  transaction.record(machineEvent(machine, 'machine.changed', { stamp, data }))
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
async function remove(transaction: Recorded, { tenantId, machineId, stamp }: Removal): Promise<void> {
  await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId }).execute()
  await deleteOf(transaction, 'machine_trusts', { tenantId, machine_id: machineId }).execute()
  const row = await deleteOf(transaction, 'machines', { tenantId, id: machineId })
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (!row) throw machineNotFound()
  transaction.record(machineEvent({ tenantId, ...row }, 'machine.deleted', { stamp }))
}

type GrantPlace = { tenantId: string; machineId: string; bundleId: string }
type Granting = GrantPlace & { scope: GrantScope; stamp: Stamp }

/** Grant a bundle, or change the scope of its grant, in a transaction that holds the machine from then on. */
async function grant(transaction: Recorded, { scope, stamp, ...place }: Granting): Promise<void> {
  const machine = await holdMachine(transaction, place.tenantId, place.machineId)
  if (!machine) throw machineNotFound()
  const bundle = await bundleOf(transaction, place)
  if (!bundle) throw bundleNotFound()
  const scopes = await scopesOf(transaction, place)
  if (scopes.get(place.bundleId) === scope) return
  if (!scopes.has(place.bundleId) && scopes.size >= LIMITS.machineGrants) throw tooManyGrants()
  await transaction
    .insertInto('machine_grants')
    .values({
      tenant_id: place.tenantId,
      machine_id: place.machineId,
      bundle_id: place.bundleId,
      scope,
      created_by: stamp.by,
      created_at: stamp.at,
    })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'machine_id', 'bundle_id']).doUpdateSet({ scope }),
    )
    .execute()
  const data = { bundle, scope }
  transaction.record(
    machineEvent({ ...machine, tenantId: place.tenantId }, 'machine.granted', { stamp, data }),
  )
}

/** Take a bundle from a machine.
 * @throws DomainError not_found */
async function revoke(
  transaction: Recorded,
  { stamp, ...place }: GrantPlace & { stamp: Stamp },
): Promise<void> {
  const machine = await holdMachine(transaction, place.tenantId, place.machineId)
  const bundle = await bundleOf(transaction, place)
  const { numDeletedRows } = await deleteOf(transaction, 'machine_grants', {
    tenantId: place.tenantId,
    machine_id: place.machineId,
    bundle_id: place.bundleId,
  }).executeTakeFirstOrThrow()
  if (numDeletedRows === 0n || !machine || !bundle) throw notGranted()
  const event = machineEvent({ ...machine, tenantId: place.tenantId }, 'machine.revoked', {
    stamp,
    data: { bundle },
  })
  transaction.record(event)
}

async function bundleOf(transaction: Query, { tenantId, bundleId }: GrantPlace) {
  const row = await selectOf(transaction, 'bundles', { tenantId, id: bundleId })
    .select(['id', 'name'])
    .executeTakeFirst()
  return row ?? null
}

async function scopesOf(transaction: Query, { tenantId, machineId }: GrantPlace) {
  const rows = await selectOf(transaction, 'machine_grants', { tenantId, machine_id: machineId })
    .select(['bundle_id', 'scope'])
    .execute()
  return new Map(rows.map(({ bundle_id, scope }) => [bundle_id, scope]))
}
