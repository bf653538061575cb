import type { GrantEnd } from '../../domain/approvals/grant.ts'
import type { EventOrigin } from '../../domain/base/event.ts'
import type { Recorded } from '../base/queries.ts'
import { bundlesIn, selectOf } from '../base/tenant-rows.ts'

/** Which grants end: those that fit everything that is given. */
type GrantsFilter = {
  tenantId?: string
  /** Of bundles in it; needs the tenant. */
  folder?: string
  bundleId?: string
  userId?: string
  deviceKey?: string
  id?: string
}

export type GrantEnding = EventOrigin & { reason: GrantEnd }

/** End the remembered approvals that are valid at this time, each with an event.
 * @returns how many */
export async function endGrants(
  transaction: Recorded,
  { tenantId, folder, bundleId, userId, deviceKey, id: grantId }: GrantsFilter,
  { reason, ...end }: GrantEnding,
): Promise<number> {
  let update = transaction
    .updateTable('grants')
    .set({ ended: reason })
    .where('ended', 'is', null)
    .where('expires_at', '>', end.at)
  if (tenantId !== undefined) update = update.where('tenant_id', '=', tenantId)
  if (folder !== undefined)
    update = update.where('bundle_id', 'in', bundlesIn(transaction, tenantId ?? '', folder))
  if (bundleId !== undefined) update = update.where('bundle_id', '=', bundleId)
  if (userId !== undefined) update = update.where('user_id', '=', userId)
  if (deviceKey !== undefined) update = update.where('device_key', '=', deviceKey)
  if (grantId !== undefined) update = update.where('id', '=', grantId)
  const ended = await update.returning(['tenant_id', 'id', 'bundle_id']).execute()
  for (const { tenant_id, id, bundle_id } of ended) {
    const { name } = await selectOf(transaction, 'bundles', { tenantId: tenant_id, id: bundle_id })
      .select('name')
      .executeTakeFirstOrThrow()
    const target = { kind: 'bundle', id: bundle_id, name } as const
    const data = { grant: id, reason }
    transaction.record({ ...end, tenantId: tenant_id, action: 'grant.ended', target, data })
  }
  return ended.length
}
