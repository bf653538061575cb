import { sql } from 'kysely'
import type { Event } from '../../domain/base/event.ts'
import type {
  DeliveryOutcome,
  MachineDeliveryStore,
  NewMachineDelivery,
} from '../../domain/collection/machine-delivery.ts'
import { storedKey } from '../base/delivery-texts.ts'
import { send } from '../base/pipeline.ts'
import type { Queries, Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { deliveredData, despiteDeletedKeys } from '../deliveries/delivery-begin.ts'
import { countFetch } from '../deliveries/fetch-days.ts'
import { collectedAgain, noteCollected } from '../holders/holders.ts'

export function createMachineDeliveryStore(queries: Queries): MachineDeliveryStore {
  const { write, hold, holdShared } = queries
  return {
    deliver: (tenantId, delivery) =>
      despiteDeletedKeys(() =>
        write(async (transaction) => {
          if (delivery.noteUseBefore !== null) await noteUse(transaction, tenantId, delivery)
          const row = rowOf(tenantId, delivery)
          await send(transaction, insertion(transaction, holdShared, { row, kind: delivery.proof.kind }))
          const given = givenBy(tenantId, delivery)
          const others = await collectedAgain(transaction, hold, given)
          if (others.length > 0 || delivery.keys.length === 0) {
            const isInserted = await isFound(
              selectOf(transaction, 'deliveries', { tenantId, id: delivery.id }),
            )
            if (!isInserted) return lostStanding(transaction, tenantId, delivery)
            await noteCollected(transaction, { ...given, keys: others, approvedAt: delivery.at })
          }
          const { bundle, machine, at } = delivery
          await countFetch(transaction, { tenantId, bundleId: bundle.id, machineId: machine.id, at })
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
  const noted = transaction
    .updateTable(PROOFS[proof.kind])
    .set({ last_used_at: at, last_used_ip: origin.ip ?? null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', proof.id)
    .where((column) =>
      column.or([column('last_used_at', 'is', null), column('last_used_at', '<', noteUseBefore)]),
    )
  await send(transaction, noted)
}

const PROOFS = { token: 'machine_tokens', trust: 'machine_trusts' } as const

type DeliveryProof = { id: string; tenant_id: string; machine_id: string }
type DeliveryRow = ReturnType<typeof rowOf>

/** Inserts a delivery if the proof, the machine and the grant still hold; none of them changes until the transaction
 * ends. */
function insertion(
  query: Query,
  holdShared: Queries['holdShared'],
  { row, kind }: { row: DeliveryRow; kind: keyof typeof PROOFS },
) {
  return query
    .insertInto('deliveries')
    .columns([...COLUMNS])
    .expression(
      query
        .selectFrom(sql<DeliveryProof>`${sql.table(PROOFS[kind])}`.as('proof'))
        .innerJoin('machines', (join) => join.on(inOneTenant('machines.id', 'proof.machine_id')))
        .innerJoin('machine_grants as granted', (join) =>
          join.on(inOneTenant('granted.machine_id', 'proof.machine_id')),
        )
        .select(COLUMNS.map((column) => sql`${row[column]}`.as(column)))
        .where('proof.tenant_id', '=', row.tenant_id)
        .where('proof.id', '=', row.proof_id)
        .$if(kind === 'token', (select) =>
          select.where(sql<boolean>`proof.expires_at > ${row.created_at} and proof.ended_at is null`),
        )
        .where('machines.id', '=', row.machine_id)
        .where('machines.is_active', '=', 1)
        .where('granted.bundle_id', '=', row.bundle_id)
        .where('granted.scope', '=', 'deliver')
        .modifyEnd(holdShared),
    )
}

const COLUMNS = [
  'tenant_id',
  'id',
  'kind',
  'state',
  'bundle_id',
  'bundle_name',
  'machine_id',
  'proof_id',
  'holder',
  'label',
  'via',
  'versions',
  'created_at',
  'collected_at',
] as const

function rowOf(tenantId: string, delivery: NewMachineDelivery) {
  const { id, machine, proof, bundle, holder, label, via, keys, at } = delivery
  return {
    tenant_id: tenantId,
    id,
    kind: 'machine',
    state: 'collected',
    bundle_id: bundle.id,
    bundle_name: bundle.name,
    machine_id: machine.id,
    proof_id: proof.id,
    holder,
    label: JSON.stringify(label),
    via,
    versions: JSON.stringify(keys.map(storedKey)),
    created_at: at,
    collected_at: at,
  } satisfies Record<(typeof COLUMNS)[number], string | null>
}

function givenBy(tenantId: string, { id, machine, holder, keys, at }: NewMachineDelivery) {
  return { tenantId, userId: null, machineId: machine.id, deliveryId: id, holder, keys, at }
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
