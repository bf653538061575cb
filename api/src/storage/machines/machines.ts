import { LIMITS } from '@keyferry/contract'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import {
  type GrantPlace,
  type MachineChange,
  type MachineDraft,
  type MachineStore,
  machineNameTaken,
  machineNotFound,
  notGranted,
  type ScopeChange,
  tooManyGrants,
  tooManyMachines,
} from '../../domain/machines/machine.ts'
import { isTaken, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing, hasChanged } from '../base/statements.ts'
import { flag, type Tables } from '../base/tables.ts'
import { countOf, deleteOf, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'
import { holdTenant } from '../people/tenants.ts'
import { holdMachine, machineEvent, requireMachine } from './machine-changes.ts'
import { machineReader } from './machine-reading.ts'

export function createMachineStore(queries: Queries): MachineStore {
  const { query, write } = queries
  return {
    ...machineReader(query),
    insert: (machine, stamp) =>
      refusing(isTaken, machineNameTaken, () => write((transaction) => insert(transaction, machine, stamp))),
    update: (change, stamp) =>
      refusing(isTaken, machineNameTaken, () => write((transaction) => update(transaction, change, stamp))),
    delete: changing(queries, remove),
    grant: changing(queries, grant),
    isDelivered: (tenantId, bundleId) =>
      isFound(selectOf(query, 'machine_grants', { tenantId, bundle_id: bundleId, scope: 'deliver' })),
    revoke: changing(queries, revoke),
  }
}

async function insert(
  transaction: Recorded,
  { id, name, description, is_active, audit }: MachineDraft & { id: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId, by, at } = stamp
  await holdTenant(transaction, tenantId)
  if ((await countOf(selectOf(transaction, 'machines', tenantId))) >= LIMITS.machines) throw tooManyMachines()
  const made = { created_by: by, created_at: at, updated_at: at }
  const flags = { is_active: flag(is_active), reads_audit: flag(audit) }
  await transaction
    .insertInto('machines')
    .values({ ...made, ...flags, id, tenant_id: tenantId, name, description })
    .execute()
  transaction.record(machineEvent({ id, name }, stamp, { action: 'machine.created' }))
}

async function update(
  transaction: Recorded,
  { machineId: id, ...change }: MachineChange & { machineId: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId, at } = stamp
  await requireMachine(transaction, tenantId, id)
  const before = await selectOf(transaction, 'machines', { tenantId, id })
    .select(FIELDS)
    .executeTakeFirstOrThrow()
  requireExpected(change, shown(before))
  const wanted = {
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    is_active: change.is_active === undefined ? before.is_active : flag(change.is_active),
    reads_audit: change.audit === undefined ? before.reads_audit : flag(change.audit),
  }
  const changed = FIELDS.filter((field) => wanted[field] !== before[field]).map(fieldName)
  if (changed.length === 0) return
  await updateOf(transaction, 'machines', { tenantId, id })
    .set({ ...wanted, updated_at: at })
    .execute()
  const data = { changed, is_active: wanted.is_active === 1, audit: wanted.reads_audit === 1 }
  transaction.record(machineEvent({ id, name: wanted.name }, stamp, { action: 'machine.changed', data }))
}

const FIELDS = ['name', 'description', 'is_active', 'reads_audit'] as const

type MachineFields = Pick<Tables['machines'], (typeof FIELDS)[number]>

function shown({ is_active, reads_audit, ...texts }: MachineFields) {
  return { ...texts, is_active: is_active === 1, audit: reads_audit === 1 }
}

// Events use the names of the interface.
function fieldName(field: (typeof FIELDS)[number]): string {
  return field === 'reads_audit' ? 'audit' : field
}

// Proofs first, in the order in which a delivery holds rows: in another order, the two could deadlock.
async function remove(transaction: Recorded, machineId: string, stamp: Stamp): Promise<void> {
  const { tenantId } = stamp
  await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId }).execute()
  await deleteOf(transaction, 'machine_trusts', { tenantId, machine_id: machineId }).execute()
  const row = await deleteOf(transaction, 'machines', { tenantId, id: machineId })
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (!row) throw machineNotFound()
  transaction.record(machineEvent(row, stamp, { action: 'machine.deleted' }))
}

/** Grant a bundle, or change the scope of its grant, in a transaction that holds the machine from then on. */
async function grant(
  transaction: Recorded,
  { machineId, bundleId, scope, expected }: ScopeChange,
  stamp: Stamp,
): Promise<void> {
  const { tenantId, by, at } = stamp
  const machine = await requireMachine(transaction, tenantId, machineId)
  const bundle = await bundleOf(transaction, tenantId, bundleId)
  if (!bundle) throw bundleNotFound()
  const scopes = await scopesOf(transaction, tenantId, machineId)
  requireExpected({ scope, expected }, { scope: scopes.get(bundleId) ?? null })
  if (scopes.get(bundleId) === scope) return
  if (!scopes.has(bundleId) && scopes.size >= LIMITS.machineGrants) throw tooManyGrants()
  const place = { tenant_id: tenantId, machine_id: machineId, bundle_id: bundleId }
  await transaction
    .insertInto('machine_grants')
    .values({ ...place, scope, created_by: by, created_at: at })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'machine_id', 'bundle_id']).doUpdateSet({ scope }),
    )
    .execute()
  transaction.record(machineEvent(machine, stamp, { action: 'machine.granted', data: { bundle, scope } }))
}

/** Take a bundle from a machine.
 * @throws DomainError not_found */
async function revoke(transaction: Recorded, { machineId, bundleId }: GrantPlace, stamp: Stamp) {
  const { tenantId } = stamp
  const machine = await holdMachine(transaction, tenantId, machineId)
  const bundle = await bundleOf(transaction, tenantId, bundleId)
  const place = { tenantId, machine_id: machineId, bundle_id: bundleId }
  const isRevoked = await hasChanged(deleteOf(transaction, 'machine_grants', place))
  if (!isRevoked || !machine || !bundle) throw notGranted()
  transaction.record(machineEvent(machine, stamp, { action: 'machine.revoked', data: { bundle } }))
}

function bundleOf(transaction: Query, tenantId: string, id: string) {
  return selectOf(transaction, 'bundles', { tenantId, id }).select(['id', 'name']).executeTakeFirst()
}

async function scopesOf(transaction: Query, tenantId: string, machineId: string) {
  const rows = await selectOf(transaction, 'machine_grants', { tenantId, machine_id: machineId })
    .select(['bundle_id', 'scope'])
    .execute()
  return new Map(rows.map(({ bundle_id, scope }) => [bundle_id, scope]))
}
