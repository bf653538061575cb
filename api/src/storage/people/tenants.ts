import { madeBy, ofTenant } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { TenantStore } from '../../domain/people/tenant.ts'
import { send } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing } from '../base/statements.ts'

export function createTenantStore(queries: Queries): TenantStore {
  const { query } = queries
  return {
    listOf: (userId) => tenantsOf(query, userId).orderBy('tenants.name').orderBy('tenants.id').execute(),
    findOf: async (userId, tenantId) =>
      (await tenantsOf(query, userId).where('tenants.id', '=', tenantId).executeTakeFirst()) ?? null,
    async findSelf(userId, tenantId) {
      const row = await query
        .selectFrom('users')
        .innerJoin('tenants', (join) => join.on('tenants.id', '=', tenantId))
        .select(['users.id as user_id', 'users.username', 'users.email', 'users.email_verified'])
        .select('tenants.name')
        .where('users.id', '=', userId)
        .executeTakeFirst()
      if (!row) return null
      const { name, email_verified, ...user } = row
      return { ...user, email_verified: email_verified === 1, tenant: { id: tenantId, name } }
    },
    rename: changing(queries, rename),
  }
}

async function rename(
  transaction: Recorded,
  { id, name, expected }: Parameters<TenantStore['rename']>[0],
  stamp: Stamp,
) {
  await lockTenant(transaction, id)
  const [before] = await tenantsOf(transaction, stamp.by).where('tenants.id', '=', id).execute()
  if (before?.role !== 'owner') return false
  requireExpected({ name, expected }, { name: before.name })
  const renamed = transaction.updateTable('tenants').set({ name, updated_at: stamp.at }).where('id', '=', id)
  await renamed.execute()
  const made = madeBy({ ...stamp, tenantId: id, origin: { ...stamp.origin, workspace: name } })
  transaction.record({ ...made, action: 'tenant.renamed', target: ofTenant(id) })
  return true
}

/** The tenants of a user, with the user's role in each. */
export function tenantsOf(query: Query, userId: string) {
  return query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.name', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
}

/** Have the other transactions that lock this tenant wait until this one ends. */
export async function lockTenant(transaction: Query, tenantId: string): Promise<void> {
  const unchanged = transaction
    .updateTable('tenants')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', tenantId)
  await send(transaction, unchanged)
}
