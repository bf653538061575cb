import type { ClaimedMeta, MachineDelivery } from '@keyferry/contract'
import type { z } from 'zod'
import { deliveredKeys, expiredNames, labelOf, viaOf } from '../approvals/request-delivery.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { Origin } from '../base/origin.ts'
import type { DeliveredKey, DeliveryLabel, Via } from '../deliveries/delivery.ts'
import { machineHolder } from '../deliveries/holder.ts'
import { sealMarkedValues, valuesOf } from '../deliveries/sealed-values.ts'
import type { EntryStores } from '../library/bundle-entry.ts'
import {
  type MachineCaller,
  type MachineCallerStore,
  notGranted,
  refusedNow,
} from '../machines/machine-caller.ts'
import { requirePublicKey } from '../requests/new-request.ts'

/*
 * A machine fetches the values of a granted bundle, sealed to a key that it made for this call. One transaction checks
 * the machine once more, writes the event and the delivery, and notes what the machine holds; only then the box
 * leaves. So a token that has ended, and a grant that was taken away, deliver nothing from that moment on.
 */

export type NewMachineDelivery = {
  id: string
  machine: { id: string; name: string }
  /** What proved the machine. */
  proof: { kind: 'token' | 'trust'; id: string }
  /** Note there that it was used, unless it was used after this time; null: it was noted lately. */
  noteUseBefore: string | null
  bundle: { id: string; name: string }
  holder: string
  label: DeliveryLabel
  via: Via
  keys: readonly DeliveredKey[]
  /** Names that are delivered and have no version: legacy items. */
  unversioned: readonly string[]
  at: string
  origin: Origin
}

/** What the last look at a machine says, within the transaction. */
export type DeliveryOutcome =
  | 'done'
  | 'token_ended'
  | 'token_expired'
  | 'trust_ended'
  | 'machine_inactive'
  | 'not_granted'

export interface MachineDeliveryStore {
  /** @throws DomainError unavailable: then nothing may leave */
  deliver(tenantId: string, delivery: NewMachineDelivery): Promise<DeliveryOutcome>
}

export type MachineDeliveryParts = {
  stores: EntryStores & { machineCallers: MachineCallerStore; machineDeliveries: MachineDeliveryStore }
  clock: ClockAndIds
  maxPayloadBytes: number
}

export type DeliveryWish = {
  client_pubkey: string
  /** An id or a name. */
  bundle_id: string
  include_keys?: readonly string[] | undefined
  meta: z.output<typeof ClaimedMeta>
}

/** Seal the values of a granted bundle for a machine.
 * @throws MachineRefusal not_granted, or what the machine lost during the call · DomainError invalid (the public key,
 *   or names that are not in the bundle) · too_large */
export async function deliverToMachine(
  parts: MachineDeliveryParts,
  caller: MachineCaller,
  wish: DeliveryWish,
): Promise<z.output<typeof MachineDelivery>> {
  const publicKey = requirePublicKey(wish.client_pubkey)
  const { tenantId, machine, workspace } = caller
  const grant = await parts.stores.machineCallers.findGrant(tenantId, machine.id, wish.bundle_id)
  if (grant?.scope !== 'deliver') throw notGranted(caller)
  const place = { tenantId, bundleId: grant.bundle.id }
  const { values, entries, missingRequired } = await valuesOf(parts, place, wish.include_keys ?? null)
  const publicNames = entries.flatMap(({ name, is_secret }) => (is_secret ? [] : [name]))
  const boxes = sealMarkedValues(values, publicNames, { publicKey, maxBytes: parts.maxPayloadBytes })
  const delivery = newDelivery(parts.clock, caller, {
    meta: wish.meta,
    bundle: grant.bundle,
    keys: deliveredKeys(entries),
    unversioned: entries.flatMap(({ id, name }) => (id === null ? [name] : [])),
  })
  requireDelivered(caller, await parts.stores.machineDeliveries.deliver(tenantId, delivery))
  return {
    delivery_id: delivery.id,
    machine,
    workspace,
    bundle: grant.bundle,
    keys: entries.map(({ name, version }) => ({ name, version })),
    missing_required: missingRequired,
    expired: expiredNames(entries, parts.clock.now()),
    ...boxes,
  }
}

type MachineDeliveryFacts = Pick<NewMachineDelivery, 'bundle' | 'keys' | 'unversioned'> &
  Pick<DeliveryWish, 'meta'>

/** The use of a token is noted once in this time. */
const USE_SECONDS = 60

function newDelivery(
  clock: ClockAndIds,
  { machine, proof, origin }: MachineCaller,
  { meta, ...delivered }: MachineDeliveryFacts,
): NewMachineDelivery {
  const label = labelOf(meta)
  const lately = timestamp(clock, -USE_SECONDS)
  return {
    ...delivered,
    id: clock.newId(),
    machine,
    proof: { kind: proof.kind, id: proof.id },
    noteUseBefore: (proof.last_used_at ?? '') < lately ? lately : null,
    holder: machineHolder(machine.id),
    label,
    via: viaOf(meta),
    at: timestamp(clock),
    origin: { ...origin, ...label, ...(meta.os === undefined ? {} : { os: meta.os }) },
  }
}

function requireDelivered(caller: MachineCaller, outcome: DeliveryOutcome): void {
  if (outcome === 'not_granted') throw notGranted(caller)
  if (outcome !== 'done') throw refusedNow(caller, outcome)
}
