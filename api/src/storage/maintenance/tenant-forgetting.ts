import { madeByOperator, ofTenant } from '../../domain/base/event.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'

/** `isSole`: its name means no other tenant. */
export type KnownTenant = { id: string; name: string; isSole: boolean }

export async function findTenant(query: Query, id: string): Promise<KnownTenant | null> {
  const tenant = await query.selectFrom('tenants').select('name').where('id', '=', id).executeTakeFirst()
  if (!tenant) return null
  const others = query
    .selectFrom('tenants')
    .where('id', '<>', id)
    .where((other) => other.or([other('name', '=', tenant.name), other('id', '=', tenant.name)]))
  return { id, ...tenant, isSole: !(await isFound(others)) }
}

/** Whether a tenant was forgotten: only its log is left. */
export function isForgotten(query: Query, id: string): Promise<boolean> {
  return isFound(selectOf(query, 'audit_heads', id))
}

/** Delete a tenant in a transaction, with its key and everything that it has, except for its audit log, which says so.
 * Does nothing to one that is gone already. */
export async function forgetTenant(
  transaction: Recorded,
  { id, now }: Pick<KnownTenant, 'id'> & { now: string },
): Promise<void> {
  const gone = transaction.deleteFrom('tenants').where('id', '=', id)
  if (!(await hasChanged(gone))) return
  const target = ofTenant(id)
  transaction.record({ ...madeByOperator(now), tenantId: id, action: 'tenant.forgotten', target, data: {} })
}
