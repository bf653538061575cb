import type { MembershipStore } from '../../domain/people/membership.ts'
import type { Queries } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

export function createMembershipStore({ query, prepare }: Queries): MembershipStore {
  const readStanding = prepare((value: (name: 'userId' | 'tenantId') => string) =>
    query
      .selectFrom('users')
      .leftJoin('tenants', (join) => join.on('tenants.id', '=', value('tenantId')))
      .leftJoin('memberships', (join) =>
        join
          .onRef('memberships.user_id', '=', 'users.id')
          .on('memberships.tenant_id', '=', value('tenantId')),
      )
      .select(['users.is_active', 'tenants.id as tenant_id', 'memberships.role'])
      .where('users.id', '=', value('userId')),
  )
  return {
    async findStanding({ userId, tenantId }) {
      const [row] = await readStanding({ userId, tenantId })
      if (!row) return null
      return { isActive: row.is_active === 1, tenantExists: row.tenant_id !== null, role: row.role }
    },
    listActive: (tenantId) =>
      selectOf(query, 'memberships', tenantId)
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select(['users.id as userId', 'users.username', 'memberships.role'])
        .where('users.is_active', '=', 1)
        .orderBy('users.username')
        .execute(),
  }
}
