import { madeByOperator } from '../../domain/base/event.ts'
import type { Queries, Query } from '../base/queries.ts'
import { deleteOf, isFound, selectOf } from '../base/tenant-rows.ts'

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

/** Delete a tenant with its key and everything that it has, except for its audit log, which says so.
 * @returns false: it is gone already */
export async function forgetTenant(
  { write, hold }: Queries,
  { id, name, now }: KnownTenant & { now: string },
): Promise<boolean> {
  return write(async (transaction) => {
    const held = transaction.selectFrom('tenants').select('id').where('id', '=', id).modifyEnd(hold)
    if (!(await held.executeTakeFirst())) return false
    await transaction.deleteFrom('tenants').where('id', '=', id).execute()
    await deleteOf(transaction, 'recorded_once', id).execute()
    const target = { kind: 'tenant', id, name } as const
    transaction.record({ ...madeByOperator(now), tenantId: id, action: 'tenant.forgotten', target, data: {} })
    return true
  })
}
