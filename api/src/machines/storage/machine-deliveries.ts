import type { ClaimedMeta } from '@keyferry/contract'
import type { CreateDelivery, MachineDelivery } from '@keyferry/contract/machines'
import { holderId } from '@keyferry/crypto/holder-id'
import { sql } from 'kysely'
import type { z } from 'zod'
import { deliveredKeys, expiredNames, labelOf, viaOf } from '../../domain/approvals/request-delivery.ts'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { sealMarkedValues, valuesOf } from '../../domain/deliveries/sealed-values.ts'
import type { BundleEntry, EntryStores } from '../../domain/library/bundle-entry.ts'
import { requirePublicKey } from '../../domain/requests/new-request.ts'
import { storedKey } from '../../storage/base/delivery-texts.ts'
import { send } from '../../storage/base/pipeline.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { inOneTenant } from '../../storage/base/statements.ts'
import { isFound, selectOf } from '../../storage/base/tenant-rows.ts'
import { deliveredData, despiteDeletedKeys } from '../../storage/deliveries/delivery-begin.ts'
import { countFetch } from '../../storage/deliveries/fetch-days.ts'
import { collectedAgain, noteCollected } from '../../storage/holders/holders.ts'
import { type LostStanding, type MachineCaller, refusedNow } from '../domain/machine-caller.ts'
import { findGrant } from './machine-callers.ts'

/*
 * A machine fetches the values of a granted bundle, sealed to a key that it made for this call. One transaction checks
 * the machine once more, writes the event and the delivery, and notes what the machine holds; only then does the
 * box leave. So a token that has ended or a grant that was removed delivers nothing from that moment on.
 */

type MachineDeliveryParts = {
  queries: Queries
  stores: EntryStores
  clock: ClockAndIds
  maxPayloadBytes: number
}

/** Seal the values of a granted bundle for a machine.
 * @throws MachineRefusal not_granted, or what the machine lost during the call · DomainError invalid (the public key,
 *   or names that are not in the bundle) · too_large · unavailable: then nothing may leave */
export async function deliverToMachine(
  parts: MachineDeliveryParts,
  caller: MachineCaller,
  wish: z.output<typeof CreateDelivery>,
): Promise<z.output<typeof MachineDelivery>> {
  const publicKey = requirePublicKey(wish.client_pubkey)
  const { tenantId, machine, workspace } = caller
  const grant = await findGrant(parts.queries.query, caller, wish.bundle_id)
  if (grant?.scope !== 'deliver') throw refusedNow(caller, 'not_granted')
  const { bundle } = grant
  const place = { tenantId, bundleId: bundle.id }
  const { values, entries, missingRequired } = await valuesOf(parts, place, wish.include_keys ?? null)
  const publicNames = entries.flatMap(({ name, is_secret }) => (is_secret ? [] : [name]))
  const boxes = sealMarkedValues(values, publicNames, { publicKey, maxBytes: parts.maxPayloadBytes })
  const delivery = newDelivery(parts.clock, caller, { meta: wish.meta, bundle, entries })
  const lost = await written(parts.queries, delivery)
  if (lost !== null) throw refusedNow(caller, lost)
  return {
    delivery_id: delivery.id,
    machine,
    workspace,
    bundle,
    keys: entries.map(({ name, version }) => ({ name, version })),
    missing_required: missingRequired,
    expired: expiredNames(entries, parts.clock.now()),
    ...boxes,
  }
}

type NewMachineDelivery = ReturnType<typeof newDelivery>

/** The use of a proof is noted at most once in this time. */
const USE_SECONDS = 60

function newDelivery(
  clock: ClockAndIds,
  { tenantId, machine, proof, origin }: MachineCaller,
  {
    meta,
    bundle,
    entries,
  }: {
    meta: z.output<typeof ClaimedMeta>
    bundle: { id: string; name: string }
    entries: readonly BundleEntry[]
  },
) {
  const label = labelOf(meta)
  const lately = timestamp(clock, -USE_SECONDS)
  return {
    tenantId,
    id: clock.newId(),
    machine,
    bundle,
    keys: deliveredKeys(entries),
    /** Names that have no version: legacy items. */
    unversioned: entries.flatMap(({ id, name }) => (id === null ? [name] : [])),
    proof: { kind: proof.kind, id: proof.id },
    /** Note the use of the proof unless it was used after this time; null: it was noted lately. */
    noteUseBefore: (proof.last_used_at ?? '') < lately ? lately : null,
    holder: holderId('machine', machine.id),
    label,
    via: viaOf(meta),
    at: timestamp(clock),
    origin: { ...origin, ...label, ...(meta.os === undefined ? {} : { os: meta.os }) },
  }
}

/** @returns what the machine has lost; null: the delivery is written */
function written(
  { write, lock, lockShared }: Queries,
  delivery: NewMachineDelivery,
): Promise<LostStanding | null> {
  const { tenantId, id, machine, proof, bundle, holder, keys, at, origin } = delivery
  const given = { tenantId, userId: null, programId: machine.id, deliveryId: id, holder, keys, at }
  return despiteDeletedKeys(() =>
    write(async (transaction) => {
      if (delivery.noteUseBefore !== null) await noteUse(transaction, delivery)
      await send(transaction, insertion(transaction, lockShared, delivery))
      const others = await collectedAgain(transaction, lock, given)
      if (others.length > 0 || keys.length === 0) {
        if (!(await isFound(selectOf(transaction, 'deliveries', { tenantId, id }))))
          return lostStanding(transaction, delivery)
        await noteCollected(transaction, { ...given, keys: others, approvedAt: at })
      }
      await countFetch(transaction, { tenantId, bundleId: bundle.id, programId: machine.id, at })
      transaction.record({
        tenantId,
        action: 'delivery.machine',
        at,
        actor: { kind: 'machine', id: machine.id },
        target: { kind: 'bundle', ...bundle },
        data: { ...deliveredData(delivery), [proof.kind]: proof.id },
        origin,
      })
      return null
    }),
  )
}

// Before the shared lock: two deliveries that both have it would deadlock here.
async function noteUse(
  transaction: Query,
  { tenantId, proof, at, noteUseBefore, origin }: NewMachineDelivery,
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

/** Inserts a delivery if the proof, the machine and the grant are still valid; none of them changes until the
 * transaction ends. */
function insertion(query: Query, lockShared: Queries['lockShared'], delivery: NewMachineDelivery) {
  const row = rowOf(delivery)
  const { kind } = delivery.proof
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
        .modifyEnd(lockShared),
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

function rowOf({ tenantId, ...delivery }: NewMachineDelivery) {
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

async function lostStanding(
  transaction: Query,
  { tenantId, proof, machine, at }: NewMachineDelivery,
): Promise<LostStanding> {
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
