import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { NewDelivery } from '../../domain/deliveries/delivery.ts'
import { isMissingReference } from '../base/database.ts'
import { storedKey } from '../base/delivery-texts.ts'
import type { Recorded } from '../base/queries.ts'
import { noteApproved } from '../holders/holders.ts'
import { PROGRAM } from '../schema/column.ts'

// A key that is deleted between the look-up and the insert of its holding fails the insert; the next look-up misses it.
export async function despiteDeletedKeys<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!isMissingReference(error)) throw error
    return change()
  }
}

type Beginning = { tenantId: string; delivery: NewDelivery }

/** Record in a transaction a delivery that is about to leave. */
export async function begin(transaction: Recorded, { tenantId, delivery }: Beginning): Promise<void> {
  const { id, requestId, bundle, holder, label, via, keys, stamp, held, voucherId } = delivery
  const row = {
    tenant_id: tenantId,
    id,
    kind: delivery.grantId === null ? 'approval' : 'remembered',
    state: 'approved',
    request_id: requestId,
    held_until: held?.until ?? null,
    bundle_id: bundle.id,
    bundle_name: bundle.name,
    user_id: stamp.by,
    voucher_id: voucherId,
    [PROGRAM]: null,
    proof_id: null,
    holder,
    label: label && JSON.stringify(label),
    via,
    versions: JSON.stringify(keys.map(storedKey)),
    created_at: stamp.at,
    collected_at: null,
  } as const
  await transaction.insertAll('deliveries', [row])
  await noteApproved(transaction, {
    tenantId,
    userId: voucherId ?? stamp.by,
    deliveryId: id,
    holder,
    keys,
    at: stamp.at,
  })
  transaction.record(approvedEvent(delivery))
}

function approvedEvent(delivery: NewDelivery): Event {
  const { held, firstApproverId, voucherId, grantId } = delivery
  return {
    ...madeBy(delivery.stamp),
    ...(grantId === null
      ? { action: 'delivery.approved' }
      : { action: 'delivery.remembered', actor: { kind: 'client', id: null } }),
    target: { kind: 'bundle', ...delivery.bundle },
    data: {
      ...deliveredData(delivery),
      ...(held === null ? {} : { release: held.by }),
      ...(firstApproverId === null ? {} : { first: firstApproverId }),
      ...(voucherId === null ? {} : { vouched_by: voucherId }),
      ...(grantId === null ? {} : { grant: grantId }),
    },
  }
}

/** What an event tells of the values that leave. */
export function deliveredData({
  id,
  keys,
  unversioned,
  typed = [],
}: Pick<NewDelivery, 'id' | 'keys' | 'unversioned'> & Partial<Pick<NewDelivery, 'typed'>>): EventData {
  const versionsOf = (isPart: boolean) =>
    keys
      .filter((key) => (key.isPart ?? false) === isPart)
      .map(({ name, version }) => [name, version] as const)
  const parts = versionsOf(true)
  return {
    delivery: id,
    versions: versionsOf(false),
    ...(unversioned.length === 0 ? {} : { names: unversioned }),
    ...(typed.length === 0 ? {} : { typed }),
    ...(parts.length === 0 ? {} : { parts }),
  }
}
