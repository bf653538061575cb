import type { ReleaseWay } from '@keyferry/contract'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { EventStore } from '../base/event.ts'
import type { DeliveryEnd } from '../deliveries/delivery.ts'
import type { FirstApproval } from '../requests/stored-request.ts'

/*
 * A delivery whose values are sealed while its approval waits for the return to the terminal. If the approval never returns,
 * the person approved a request of another person's terminal, or their browser could not reach their own. Owners see it in
 * the audit log as `delivery.not_released`: the clearest sign of phishing.
 */

/** Why a held delivery never left the server. `expired` and `wrong_code`: the approval did not return to the terminal. */
export type HeldEnd = DeliveryEnd & { reason: 'denied' | 'withdrawn' | 'expired' | 'wrong_code' }

export interface HeldDeliveryStore {
  /** The approval came back through the terminal. */
  release(tenantId: string, release: DeliveryEnd & { by: ReleaseWay }): Promise<void>
  /** The delivery never left the server. Does nothing to one that is not held. */
  end(tenantId: string, end: HeldEnd): Promise<void>
  /** Deliveries of all tenants that were held until before this time, an ISO timestamp; some of them. */
  overdue(time: string): Promise<{ tenantId: string; deliveryId: string }[]>
}

/** How long after the end of its request a held delivery is ended: a release in the last moment is recorded first. */
const GRACE_SECONDS = 5

/** End the deliveries whose approval never returned to the terminal. */
export async function endOverdue({
  heldDeliveries,
  clock,
}: {
  heldDeliveries: HeldDeliveryStore
  clock: ClockAndIds
}): Promise<void> {
  for (const { tenantId, deliveryId } of await heldDeliveries.overdue(timestamp(clock, -GRACE_SECONDS))) {
    await heldDeliveries.end(tenantId, { deliveryId, at: timestamp(clock), origin: null, reason: 'expired' })
  }
}

type FirstEnd = Pick<HeldEnd, 'origin'> & { reason: 'expired' | 'wrong_code' }

/** Record that the first of two approvals never returned to the terminal. It sealed nothing, so there is no delivery to
 * end. */
export async function recordFirstNotReleased(
  { events, clock }: { events: EventStore; clock: ClockAndIds },
  { tenantId, bundleId, bundleName, approverId, keys }: FirstApproval,
  { reason, origin }: FirstEnd,
): Promise<void> {
  await events.record({
    tenantId,
    action: 'delivery.not_released',
    actor: { kind: 'user', id: approverId },
    at: timestamp(clock),
    origin,
    target: { kind: 'bundle', id: bundleId, name: bundleName },
    data: { names: keys, reason },
  })
}
