import { sql } from 'kysely'
import type { Event } from '../../domain/base/event.ts'
import type {
  DeliveryOutcome,
  MachineDeliveryStore,
  NewMachineDelivery,
} from '../../domain/collection/machine-delivery.ts'
import { storedKey } from '../base/delivery-texts.ts'
import { preparedInTransaction } from '../base/prepared.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { deliveredData, despiteDeletedKeys } from '../deliveries/delivery-begin.ts'
import { noteCollected, noteCollectedAgain } from '../deliveries/holdings.ts'

export function createMachineDeliveryStore(queries: Queries): MachineDeliveryStore {
  const { write } = queries
  const standing = { token: standingRead(queries, 'token'), trust: standingRead(queries, 'trust') }
  return {
    deliver: (tenantId, delivery) =>
      despiteDeletedKeys(() =>
        write(async (transaction) => {
          if (delivery.noteUseBefore !== null) await noteUse(transaction, tenantId, delivery)
          const { proof, machine, bundle, at } = delivery
          const ids = { tenantId, proofId: proof.id, machineId: machine.id, bundleId: bundle.id }
          if ((await standing[proof.kind](transaction, { ...ids, at })).length === 0)
            return lostStanding(transaction, tenantId, delivery)
          await insert(queries, transaction, { tenantId, delivery })
          transaction.record(deliveredEvent(tenantId, delivery))
          return 'done'
        }),
      ),
  }
}

// Before the row is held, so that two deliveries never wait for each other with it in their hands.
async function noteUse(
  transaction: Query,
  tenantId: string,
  { proof, at, noteUseBefore, origin }: NewMachineDelivery,
): Promise<void> {
  await transaction
    .updateTable(PROOFS[proof.kind])
    .set({ last_used_at: at, last_used_ip: origin.ip ?? null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', proof.id)
    .where((column) =>
      column.or([column('last_used_at', 'is', null), column('last_used_at', '<', noteUseBefore)]),
    )
    .execute()
}

const PROOFS = { token: 'machine_tokens', trust: 'machine_trusts' } as const

type Proof = { id: string; tenant_id: string; machine_id: string }
type Standing = { tenantId: string; delivery: NewMachineDelivery }

type StandingValue = 'tenantId' | 'proofId' | 'machineId' | 'bundleId' | 'at'

/** Reads whether the proof, the machine and the grant still hold; none of them changes until the transaction ends. */
function standingRead({ query, holdShared }: Queries, kind: keyof typeof PROOFS) {
  return preparedInTransaction((value: (name: StandingValue) => string) =>
    query
      .selectFrom(sql<Proof>`${sql.table(PROOFS[kind])}`.as('proof'))
      .innerJoin('machines', (join) =>
        join
          .onRef('machines.tenant_id', '=', 'proof.tenant_id')
          .onRef('machines.id', '=', 'proof.machine_id'),
      )
      .innerJoin('machine_grants as granted', (join) =>
        join
          .onRef('granted.tenant_id', '=', 'proof.tenant_id')
          .onRef('granted.machine_id', '=', 'proof.machine_id'),
      )
      .select('proof.id')
      .where('proof.tenant_id', '=', value('tenantId'))
      .where('proof.id', '=', value('proofId'))
      .$if(kind === 'token', (select) =>
        select.where(sql<boolean>`proof.expires_at > ${value('at')} and proof.ended_at is null`),
      )
      .where('machines.id', '=', value('machineId'))
      .where('machines.is_active', '=', 1)
      .where('granted.bundle_id', '=', value('bundleId'))
      .where('granted.scope', '=', 'deliver')
      .modifyEnd(holdShared),
  )
}

async function lostStanding(
  transaction: Query,
  tenantId: string,
  { proof, machine, at }: NewMachineDelivery,
): Promise<DeliveryOutcome> {
  if (proof.kind === 'token') {
    const token = await selectOf(transaction, 'machine_tokens', { tenantId, id: proof.id })
      .select(['ended_at', 'expires_at'])
      .executeTakeFirst()
    if (!token || token.ended_at !== null) return 'token_ended'
    if (token.expires_at <= at) return 'token_expired'
  } else if (!(await isFound(selectOf(transaction, 'machine_trusts', { tenantId, id: proof.id }))))
    return 'trust_ended'
  const row = await selectOf(transaction, 'machines', { tenantId, id: machine.id })
    .select('is_active')
    .executeTakeFirst()
  return row?.is_active === 1 ? 'not_granted' : 'machine_inactive'
}

async function insert(
  { hold }: Queries,
  transaction: Recorded,
  { tenantId, delivery }: Standing,
): Promise<void> {
  const { id, machine, proof, bundle, holder, label, via, keys, at } = delivery
  const row = {
    tenant_id: tenantId,
    id,
    kind: 'machine',
    state: 'collected',
    request_id: null,
    bundle_id: bundle.id,
    bundle_name: bundle.name,
    user_id: null,
    machine_id: machine.id,
    proof_id: proof.id,
    holder,
    label: JSON.stringify(label),
    via,
    versions: JSON.stringify(keys.map(storedKey)),
    created_at: at,
    collected_at: at,
  } as const
  await transaction.insertAll('deliveries', [row])
  const given = { tenantId, userId: null, machineId: machine.id, deliveryId: id, holder, keys, at }
  if (await noteCollectedAgain({ hold }, transaction, given)) return
  await noteCollected(transaction, { ...given, approvedAt: at })
}

function deliveredEvent(tenantId: string, delivery: NewMachineDelivery): Event {
  const { machine, proof, bundle, at, origin } = delivery
  return {
    tenantId,
    action: 'delivery.machine',
    at,
    actor: { kind: 'machine', id: machine.id },
    target: { kind: 'bundle', ...bundle },
    data: { ...deliveredData(delivery), [proof.kind]: proof.id },
    origin,
  }
}
