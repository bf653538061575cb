import type { Event } from '../domain/event.ts'
import type { DeliveryOutcome, MachineDeliveryStore, NewMachineDelivery } from '../domain/machine-delivery.ts'
import { deliveredData, despiteDeletedKeys, storedKey } from './deliveries.ts'
import { noteCollected } from './holdings.ts'
import type { Queries, Query } from './queries.ts'

export function createMachineDeliveryStore(queries: Queries): MachineDeliveryStore {
  const { write, record } = queries
  return {
    deliver: (tenantId, delivery) =>
      despiteDeletedKeys(() =>
        write(async (transaction) => {
          if (delivery.noteUseBefore !== null) await noteUse(transaction, tenantId, delivery)
          if (!(await holdStanding(queries, transaction, { tenantId, delivery })))
            return lostStanding(transaction, tenantId, delivery)
          await insert(transaction, tenantId, delivery)
          await record(transaction, deliveredEvent(tenantId, delivery))
          return 'done'
        }),
      ),
  }
}

// Before the row is held, so that two deliveries never wait for each other with it in their hands.
async function noteUse(
  transaction: Query,
  tenantId: string,
  { proofId, at, noteUseBefore, origin }: NewMachineDelivery,
): Promise<void> {
  await transaction
    .updateTable('machine_tokens')
    .set({ last_used_at: at, last_used_ip: origin.ip ?? null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', proofId)
    .where((column) =>
      column.or([column('last_used_at', 'is', null), column('last_used_at', '<', noteUseBefore)]),
    )
    .execute()
}

/** Whether the token, the machine and the grant still hold; none of them changes until the transaction ends. */
async function holdStanding(
  { holdShared }: Queries,
  transaction: Query,
  {
    tenantId,
    delivery: { proofId, machine, bundle, at },
  }: { tenantId: string; delivery: NewMachineDelivery },
): Promise<boolean> {
  const row = await transaction
    .selectFrom('machine_tokens as token')
    .innerJoin('machines', (join) =>
      join.onRef('machines.tenant_id', '=', 'token.tenant_id').onRef('machines.id', '=', 'token.machine_id'),
    )
    .innerJoin('machine_grants as granted', (join) =>
      join
        .onRef('granted.tenant_id', '=', 'token.tenant_id')
        .onRef('granted.machine_id', '=', 'token.machine_id'),
    )
    .select('token.id')
    .where('token.tenant_id', '=', tenantId)
    .where('token.id', '=', proofId)
    .where('token.expires_at', '>', at)
    .where('token.ended_at', 'is', null)
    .where('machines.id', '=', machine.id)
    .where('machines.is_active', '=', 1)
    .where('granted.bundle_id', '=', bundle.id)
    .where('granted.scope', '=', 'deliver')
    .modifyEnd(holdShared)
    .executeTakeFirst()
  return row !== undefined
}

async function lostStanding(
  transaction: Query,
  tenantId: string,
  { proofId, machine, at }: NewMachineDelivery,
): Promise<DeliveryOutcome> {
  const row = await transaction
    .selectFrom('machine_tokens as token')
    .innerJoin('machines', (join) =>
      join.onRef('machines.tenant_id', '=', 'token.tenant_id').onRef('machines.id', '=', 'token.machine_id'),
    )
    .select(['token.ended_at', 'token.expires_at', 'machines.is_active'])
    .where('token.tenant_id', '=', tenantId)
    .where('token.id', '=', proofId)
    .where('machines.id', '=', machine.id)
    .executeTakeFirst()
  if (!row || row.ended_at !== null) return 'token_ended'
  if (row.expires_at <= at) return 'token_expired'
  return row.is_active === 1 ? 'not_granted' : 'machine_inactive'
}

async function insert(transaction: Query, tenantId: string, delivery: NewMachineDelivery): Promise<void> {
  const { id, machine, proofId, bundle, holder, label, via, keys, at } = delivery
  await transaction
    .insertInto('deliveries')
    .values({
      tenant_id: tenantId,
      id,
      kind: 'machine',
      state: 'collected',
      request_id: null,
      bundle_id: bundle.id,
      bundle_name: bundle.name,
      user_id: null,
      machine_id: machine.id,
      proof_id: proofId,
      holder,
      label: JSON.stringify(label),
      via,
      versions: JSON.stringify(keys.map(storedKey)),
      created_at: at,
      collected_at: at,
    })
    .execute()
  const given = { tenantId, userId: null, machineId: machine.id, deliveryId: id, holder, keys, at }
  await noteCollected(transaction, { ...given, approvedAt: at })
}

function deliveredEvent(tenantId: string, delivery: NewMachineDelivery): Event {
  const { machine, proofId, bundle, at, origin } = delivery
  return {
    tenantId,
    action: 'delivery.machine',
    at,
    actor: { kind: 'machine', id: machine.id },
    target: { kind: 'bundle', ...bundle },
    data: { ...deliveredData(delivery), token: proofId },
    origin,
  }
}
