import type { ReleaseWay } from '@keyferry/contract'
import type { DeliveryEnd } from '../deliveries/delivery.ts'

/*
 * A delivery whose values are sealed while its approval waits for the return to the terminal. If the approval never
 * returns, the person approved a request of another person's terminal, or their browser could not reach their own.
 * Owners see it in the audit log as `delivery.not_released`: the clearest sign of phishing.
 */

/** Why a held delivery never left the server. `expired`, `wrong_code`: the approval did not return to the terminal. */
export type HeldEnd = DeliveryEnd & { reason: 'denied' | 'withdrawn' | 'expired' | 'wrong_code' }

export interface HeldDeliveryStore {
  /** The approval came back through the terminal. */
  release(tenantId: string, release: DeliveryEnd & { by: ReleaseWay }): Promise<void>
  /** The delivery never left the server. Does nothing to one that is not held. */
  end(tenantId: string, end: HeldEnd): Promise<void>
  /** Deliveries of all tenants that were held until before this time, an ISO timestamp; some of them. */
  overdue(time: string): Promise<{ tenantId: string; deliveryId: string }[]>
}
