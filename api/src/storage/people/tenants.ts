import { madeBy } from '../../domain/base/event.ts'
import type { TenantStore } from '../../domain/people/tenant.ts'
import type { Queries, Query } from '../base/queries.ts'

export function createTenantStore({ query, prepare, write }: Queries): TenantStore {
  const readSelf = prepare((value: (name: 'userId' | 'tenantId') => string) =>
    query
      .selectFrom('users')
      .innerJoin('tenants', (join) => join.on('tenants.id', '=', value('tenantId')))
      .select(['users.id as user_id', 'users.username', 'users.email', 'users.email_verified'])
      .select('tenants.name')
      .where('users.id', '=', value('userId')),
  )
  return {
    listOf: (userId) => tenantsOf(query, userId).orderBy('tenants.name').orderBy('tenants.id').execute(),
    findOf: async (userId, tenantId) =>
      (await tenantsOf(query, userId).where('tenants.id', '=', tenantId).executeTakeFirst()) ?? null,
    async findSelf(userId, tenantId) {
      const [row] = await readSelf({ userId, tenantId })
      if (!row) return null
      const { name, email_verified, ...user } = row
      return { ...user, email_verified: email_verified === 1, tenant: { id: tenantId, name } }
    },
    rename: (tenant, stamp) =>
      write(async (transaction) => {
        const { by, at } = stamp
        if (!(await rename(transaction, by, { ...tenant, now: at }))) return false
        const target = { kind: 'tenant', ...tenant } as const
        transaction.record({ tenantId: tenant.id, action: 'tenant.renamed', target, ...madeBy(stamp) })
        return true
      }),
  }
}

async function rename(
  transaction: Query,
  userId: string,
  { id, name, now }: { id: string; name: string; now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('tenants')
    .set({ name, updated_at: now })
    .where('id', '=', id)
    .where('id', 'in', (memberships) =>
      memberships
        .selectFrom('memberships')
        .select('tenant_id')
        .where('user_id', '=', userId)
        .where('tenant_id', '=', id)
        .where('role', '=', 'owner'),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The tenants of a user, with the user's role in each. */
export function tenantsOf(query: Query, userId: string) {
  return query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.name', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
}

/** Have the other transactions that hold this tenant wait until this one ends. */
export async function holdTenant(transaction: Query, tenantId: string): Promise<void> {
  await transaction
    .updateTable('tenants')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', tenantId)
    .execute()
}
