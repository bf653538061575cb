import type { MembershipStore } from '../domain/membership.ts'
import type { Query } from './database.ts'

export function createMembershipStore(query: Query): MembershipStore {
  return {
    async findStanding({ userId, tenantId }) {
      const row = await query
        .selectFrom('users')
        .leftJoin('tenants', (join) => join.on('tenants.id', '=', tenantId))
        .leftJoin('memberships', (join) =>
          join.onRef('memberships.user_id', '=', 'users.id').on('memberships.tenant_id', '=', tenantId),
        )
        .select(['users.is_active', 'tenants.id as tenant_id', 'memberships.role'])
        .where('users.id', '=', userId)
        .executeTakeFirst()
      if (!row) return null
      return { isActive: row.is_active === 1, tenantExists: row.tenant_id !== null, role: row.role }
    },
  }
}
