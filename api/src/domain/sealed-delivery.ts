import type { Bundle } from './bundle.ts'
import type { EntryStores } from './bundle-entry.ts'
import type { ClockAndIds } from './clock-and-ids.ts'
import type { DeliveryStore } from './delivery.ts'
import type { Caller } from './membership.ts'
import { publicKeyOf } from './request.ts'
import { deliveryOf, expiredNames } from './request-delivery.ts'
import type { ApprovalRequest, FirstApproval, Hold, Sealed } from './request-store.ts'
import { sealValues, valuesOf } from './sealed-values.ts'
import { findSelf, type TenantStore } from './tenant.ts'

/*
 * From an approval to a sealed box with its record. The record of the delivery is written before the box can leave.
 */

export type SealingParts = {
  clock: ClockAndIds
  stores: EntryStores & { deliveries: DeliveryStore; tenants: TenantStore }
  /** Bound of the plaintext that is sealed. */
  maxPayloadBytes: number
}

type ToSeal = {
  /** Who approves. */
  caller: Caller
  bundle: Bundle
  request: ApprovalRequest
  /** Delivered names. */
  names: readonly string[]
  hold: Hold | null
  first: FirstApproval | null
}

/** Seal values to the client's key, and record that they are about to leave.
 * @throws DomainError invalid (a name that the bundle does not hold) · too_large · not_found (the approver was removed) */
export async function sealDelivery(parts: SealingParts, toSeal: ToSeal): Promise<Sealed> {
  const { caller, bundle, request, names, hold, first } = toSeal
  const { tenant } = await findSelf(parts.stores.tenants, caller)
  const place = { tenantId: tenant.id, bundleId: bundle.id }
  const { values, entries, missingRequired } = await valuesOf(parts, place, names)
  const sealing = { publicKey: publicKeyOf(request.publicKey), maxBytes: parts.maxPayloadBytes }
  const ciphertextBase64 = sealValues(values, sealing)
  const delivery = deliveryOf(parts.clock, { caller, request, bundle, entries, hold, first })
  const approval = {
    approverId: caller.userId,
    tenant,
    bundle: { id: bundle.id, name: bundle.name },
    missingRequired,
    deliveryId: delivery.id,
    versions: delivery.keys.flatMap(({ name, version, isPart }) =>
      isPart === true ? [] : [{ name, version }],
    ),
    expired: expiredNames(entries, parts.clock.now()),
  }
  await parts.stores.deliveries.begin(tenant.id, delivery)
  return { ciphertextBase64, approval }
}
