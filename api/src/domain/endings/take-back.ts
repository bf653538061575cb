import { recordFirstNotReleased } from '../approvals/held-delivery.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { EventStore } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import type { DeliveryStore } from '../deliveries/delivery.ts'
import { recordNamesNotReleased } from '../kinds/names-event.ts'
import type { ApprovedDelivery } from '../requests/approved.ts'
import { changeRequest } from '../requests/request.ts'
import { expireStep } from '../requests/request-steps.ts'
import type { RequestStore } from '../requests/request-store.ts'

/*
 * Approved values that no client has claimed can be taken back: when their client withdraws the request, or when the request
 * expires. A claim is given only once, so the server claims them itself: then no client has them or can get them, and
 * the delivery is void. Values that a client has claimed may have arrived; their delivery stays as it is.
 */

export type TakeBackParts = {
  requests: RequestStore
  clock: ClockAndIds
  stores: { deliveries: DeliveryStore; events: EventStore }
}

/** Record that a delivery never left the server. */
export async function voidUnclaimed(
  { stores, clock }: Pick<TakeBackParts, 'clock'> & { stores: Pick<TakeBackParts['stores'], 'deliveries'> },
  { tenant, deliveryId }: ApprovedDelivery,
  why: { reason: 'denied' | 'withdrawn' | 'expired'; origin: Origin | null },
): Promise<void> {
  await stores.deliveries.void(tenant.id, { ...why, deliveryId, at: timestamp(clock) })
}

/** After the end, the server cannot know whether a client has claimed the values. */
const BEFORE_END_MS = 250

/** Takes back what was approved on this node and no client has claimed, right before the request expires. If the node
 * stops before that, the delivery stays `approved`: not confirmed. If the first of two approvals, or that of a list of names,
 * is still held then, this raises an alarm. */
export class ExpiringApprovals {
  readonly #parts: TakeBackParts
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #isClosed = false

  constructor(parts: TakeBackParts) {
    this.#parts = parts
  }

  /** Watch the end of a request that was approved. */
  watch({ id, expiresAtMs }: { id: string; expiresAtMs: number }): void {
    if (this.#isClosed || this.#timers.has(id)) return
    const timer = setTimeout(
      () => {
        this.#timers.delete(id)
        // The delivery stays `approved` if a store is unavailable: it may have arrived.
        void this.#end(id).catch(() => {})
      },
      expiresAtMs - this.#parts.clock.now().getTime() - BEFORE_END_MS,
    ).unref()
    this.#timers.set(id, timer)
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  async #end(requestId: string): Promise<void> {
    const { stores, clock } = this.#parts
    const claimId = clock.newId()
    const found = await changeRequest(this.#parts, requestId, (stored) => expireStep(stored, claimId))
    if (found === null || typeof found === 'string') return
    const { status, approved, first } = found
    const why = { reason: 'expired', origin: null } as const
    const recording = { events: stores.events, clock }
    if (approved?.kind === 'delivery' && status === 'ready') await voidUnclaimed(this.#parts, approved, why)
    else if (approved?.kind === 'names') await recordNamesNotReleased(recording, approved, why)
    else if (approved === null && first) await recordFirstNotReleased(recording, first, why)
  }
}
