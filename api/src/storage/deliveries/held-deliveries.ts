import type { HeldDeliveryStore, HeldEnd } from '../../domain/approvals/held-delivery.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { updateOf } from '../base/tenant-rows.ts'
import { endVoid } from './delivery-end.ts'

type Release = Parameters<HeldDeliveryStore['release']>[1] & { tenantId: string }

/** How many deliveries one look takes. */
const BATCH = 100

export function createHeldDeliveryStore({ query, write }: Queries): HeldDeliveryStore {
  return {
    release: (tenantId, given) => write((transaction) => release(transaction, { tenantId, ...given })),
    end: (tenantId, held) =>
      write(async (transaction) => {
        if (await unhold(transaction, tenantId, held.deliveryId)) await end(transaction, tenantId, held)
      }),
    async overdue(time) {
      const rows = await query
        .selectFrom('deliveries')
        .select(['tenant_id', 'id'])
        .where('held_until', '<', time)
        .limit(BATCH)
        .execute()
      return rows.map(({ tenant_id, id }) => ({ tenantId: tenant_id, deliveryId: id }))
    },
  }
}

async function release(
  transaction: Recorded,
  { tenantId, deliveryId, at, origin, by }: Release,
): Promise<void> {
  const held = await unhold(transaction, tenantId, deliveryId)
  if (!held) return
  transaction.record({
    tenantId,
    action: 'delivery.released',
    actor: { kind: 'client', id: null },
    at,
    origin,
    target: { kind: 'bundle', id: held.bundle_id, name: held.bundle_name },
    data: { delivery: deliveryId, release: by },
  })
}

// A delivery that is not held counts as approved.
function unhold(transaction: Query, tenantId: string, deliveryId: string) {
  return updateOf(transaction, 'deliveries', { tenantId, id: deliveryId })
    .set({ held_until: null })
    .where('held_until', 'is not', null)
    .returning(['bundle_id', 'bundle_name'])
    .executeTakeFirst()
}

function end(transaction: Recorded, tenantId: string, { reason, ...ending }: HeldEnd): Promise<void> {
  const isAlarm = reason === 'expired' || reason === 'wrong_code'
  const action = isAlarm ? 'delivery.not_released' : 'delivery.void'
  return endVoid(transaction, { ...ending, tenantId, action, reason })
}
