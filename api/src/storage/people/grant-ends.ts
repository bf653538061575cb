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

/** End remembered approvals, each that contains now with an event. One that is over makes its terminal known no more.
 * @returns how many held */
export async function endGrants(
  transaction: Recorded,
  { tenantId, folder, bundleId, userId, deviceKey, id: grantId }: GrantsFilter,
  { reason, ...end }: GrantEnding,
): Promise<number> {
  let update = transaction.updateTable('grants').set({ ended: reason }).where('ended', 'is', null)
  if (tenantId !== undefined) update = update.where('tenant_id', '=', tenantId)
  if (folder !== undefined)
    update = update.where('bundle_id', 'in', bundlesIn(transaction, tenantId ?? '', folder))
  if (bundleId !== undefined) update = update.where('bundle_id', '=', bundleId)
  if (userId !== undefined) update = update.where('user_id', '=', userId)
  if (deviceKey !== undefined) update = update.where('device_key', '=', deviceKey)
  if (grantId !== undefined) update = update.where('id', '=', grantId)
  const all = await update.returning(['tenant_id', 'id', 'bundle_id', 'expires_at']).execute()
  const ended = all.filter(({ expires_at }) => expires_at > end.at)
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
