import { LIMITS } from '@keyferry/contract'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { GrantScope, MachineStore } from '../../domain/machines/machine.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf } from '../base/tenant-rows.ts'
import { holdMachine, machineEvent } from './machine-changes.ts'

type GrantPlace = { tenantId: string; machineId: string; bundleId: string }
type Granting = GrantPlace & { scope: GrantScope; stamp: Stamp }

/** Grant a bundle, or change the scope of its grant, in a transaction that holds the machine from then on. */
export async function grant(
  transaction: Recorded,
  { scope, stamp, ...place }: Granting,
): ReturnType<MachineStore['grant']> {
  const machine = await holdMachine(transaction, place.tenantId, place.machineId)
  if (!machine) return 'no_machine'
  const bundle = await bundleOf(transaction, place)
  if (!bundle) return 'no_bundle'
  const scopes = await scopesOf(transaction, place)
  if (scopes.get(place.bundleId) === scope) return 'done'
  if (!scopes.has(place.bundleId) && scopes.size >= LIMITS.machineGrants) return 'full'
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
  return 'done'
}

/** Take a bundle from a machine. False when it was not granted. */
export async function revoke(
  transaction: Recorded,
  { stamp, ...place }: GrantPlace & { stamp: Stamp },
): Promise<boolean> {
  const machine = await holdMachine(transaction, place.tenantId, place.machineId)
  const bundle = await bundleOf(transaction, place)
  const { numDeletedRows } = await deleteOf(transaction, 'machine_grants', {
    tenantId: place.tenantId,
    machine_id: place.machineId,
    bundle_id: place.bundleId,
  }).executeTakeFirstOrThrow()
  if (numDeletedRows === 0n || !machine || !bundle) return false
  const event = machineEvent({ ...machine, tenantId: place.tenantId }, 'machine.revoked', {
    stamp,
    data: { bundle },
  })
  transaction.record(event)
  return true
}

async function bundleOf(transaction: Query, { tenantId, bundleId }: GrantPlace) {
  const row = await selectOf(transaction, 'bundles', { tenantId, id: bundleId })
    .select(['id', 'name'])
    .executeTakeFirst()
  return row ?? null
}

async function scopesOf(
  transaction: Query,
  { tenantId, machineId }: GrantPlace,
): Promise<ReadonlyMap<string, GrantScope>> {
  const rows = await selectOf(transaction, 'machine_grants', { tenantId, machine_id: machineId })
    .select(['bundle_id', 'scope'])
    .execute()
  return new Map(rows.map(({ bundle_id, scope }) => [bundle_id, scope]))
}
