import { DomainError, readBack } from '../../domain/base/errors.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import { stampOf } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import type { Caller } from '../../domain/people/membership.ts'
import { isTaken, refusing } from '../../storage/base/database.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { flag, type Tables } from '../../storage/base/tables.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'
import { lockTenant } from '../../storage/people/tenants.ts'
import {
  type GrantPlace,
  type Machine,
  type MachineChange,
  type MachineDraft,
  machineNotFound,
  requireRoomFor,
  type ScopeChange,
} from '../domain/machine.ts'
import { lockMachine, type MachineParts, machineEvent, requireMachine } from './machine-changes.ts'
import { findMachine } from './machine-reading.ts'

/** @throws DomainError conflict: the name is taken, or the workspace has as many machines as it can have */
export async function createMachine(
  { queries, clock }: MachineParts,
  caller: Caller,
  { name, description, is_active, audit }: MachineDraft,
): Promise<Machine> {
  const [id, stamp] = [clock.newId(), stampOf(caller, clock)]
  const { tenantId, by, at } = stamp
  await unlessTaken(queries, async (transaction) => {
    await lockTenant(transaction, tenantId)
    requireRoomFor('machines', await countOf(selectOf(transaction, 'machines', tenantId)))
    const made = { created_by: by, created_at: at, updated_at: at }
    const flags = { is_active: flag(is_active), reads_audit: flag(audit) }
    await transaction
      .insertInto('machines')
      .values({ ...made, ...flags, id, tenant_id: tenantId, name, description })
      .execute()
    transaction.record(machineEvent({ id, name }, stamp, { action: 'machine.created' }))
  })
  return readBack(findMachine({ ...queries, clock }, tenantId, id))
}

function nameTaken(): DomainError {
  return new DomainError('conflict', 'machine with this name already exists')
}

function unlessTaken(queries: Queries, change: (transaction: Recorded) => Promise<void>): Promise<void> {
  return refusing(isTaken, nameTaken, () => queries.write(change))
}

/** Change a machine; absent fields stay. A change that changes nothing is not recorded.
 * @throws DomainError not_found · conflict: the name is taken · changed */
export async function updateMachine(
  { queries, clock }: MachineParts,
  caller: Caller,
  { machineId: id, change }: { machineId: string; change: MachineChange },
): Promise<Machine> {
  const stamp = stampOf(caller, clock)
  const { tenantId, at } = stamp
  await unlessTaken(queries, async (transaction) => {
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
  })
  return readBack(findMachine({ ...queries, clock }, tenantId, id))
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

/** Its tokens, trusts and grants go too.
 * @throws DomainError not_found */
export async function deleteMachine(
  { queries, clock }: MachineParts,
  caller: Caller,
  machineId: string,
): Promise<void> {
  const stamp = stampOf(caller, clock)
  const { tenantId } = stamp
  await queries.write(async (transaction) => {
    // Proofs first, in the order in which a delivery locks rows: in another order, the two could deadlock.
    await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId }).execute()
    await deleteOf(transaction, 'machine_trusts', { tenantId, machine_id: machineId }).execute()
    const row = await deleteOf(transaction, 'machines', { tenantId, id: machineId })
      .returning(['id', 'name'])
      .executeTakeFirst()
    if (!row) throw machineNotFound()
    transaction.record(machineEvent(row, stamp, { action: 'machine.deleted' }))
  })
}

/** Let a machine use a bundle, or change what it may do with it.
 * @throws DomainError not_found (machine or bundle) · changed · conflict: the machine has as many grants as it can
 *   have */
export async function grantBundle(
  { queries, clock }: MachineParts,
  caller: Caller,
  { machineId, bundleId, scope, expected }: ScopeChange,
): Promise<void> {
  const stamp = stampOf(caller, clock)
  const { tenantId, by, at } = stamp
  await queries.write(async (transaction) => {
    const machine = await requireMachine(transaction, tenantId, machineId)
    const bundle = await bundleOf(transaction, tenantId, bundleId)
    if (!bundle) throw bundleNotFound()
    const rows = await selectOf(transaction, 'machine_grants', { tenantId, machine_id: machineId })
      .select(['bundle_id', 'scope'])
      .execute()
    const before = rows.find((row) => row.bundle_id === bundleId)?.scope ?? null
    requireExpected({ scope, expected }, { scope: before })
    if (before === scope) return
    if (before === null) requireRoomFor('grants', rows.length)
    const place = { tenant_id: tenantId, machine_id: machineId, bundle_id: bundleId }
    await transaction
      .insertInto('machine_grants')
      .values({ ...place, scope, created_by: by, created_at: at })
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'machine_id', 'bundle_id']).doUpdateSet({ scope }),
      )
      .execute()
    transaction.record(machineEvent(machine, stamp, { action: 'machine.granted', data: { bundle, scope } }))
  })
}

/** Take a bundle from a machine.
 * @throws DomainError not_found: the machine has no grant for the bundle */
export async function revokeBundle(
  { queries, clock }: MachineParts,
  caller: Caller,
  { machineId, bundleId }: GrantPlace,
): Promise<void> {
  const stamp = stampOf(caller, clock)
  const { tenantId } = stamp
  await queries.write(async (transaction) => {
    const machine = await lockMachine(transaction, tenantId, machineId)
    const bundle = await bundleOf(transaction, tenantId, bundleId)
    const place = { tenantId, machine_id: machineId, bundle_id: bundleId }
    const isRevoked = await hasChanged(deleteOf(transaction, 'machine_grants', place))
    if (!isRevoked || !machine || !bundle)
      throw new DomainError('not_found', 'the machine has no such bundle')
    transaction.record(machineEvent(machine, stamp, { action: 'machine.revoked', data: { bundle } }))
  })
}

function bundleOf(transaction: Query, tenantId: string, id: string) {
  return selectOf(transaction, 'bundles', { tenantId, id }).select(['id', 'name']).executeTakeFirst()
}
