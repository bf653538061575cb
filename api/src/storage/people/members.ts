import { emailForOthers } from '../../domain/base/email.ts'
import { madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { endsOf, type Member, type MemberStore } from '../../domain/people/member.ts'
import type { MembershipStore } from '../../domain/people/membership.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { endGrants } from './grant-ends.ts'
import { endProposalsOf } from './proposal-ends.ts'
import { holdTenant } from './tenants.ts'

export function createMemberStore({ query, write }: Queries): MemberStore {
  return {
    list: (tenantId) => list(query, tenantId),
    changeRole: (tenantId, { userId, role }, stamp) =>
      write(async (transaction) => {
        const refusal = await refusalFor(transaction, { tenantId, userId, keepsOwner: role === 'owner' })
        if (refusal) return refusal
        await updateOf(transaction, 'memberships', { tenantId, user_id: userId }).set({ role }).execute()
        transaction.record({
          ...memberEvent(tenantId, userId, stamp),
          action: 'member.role_changed',
          data: { role },
        })
        await carryOut(transaction, { tenantId, userId, stamp }, endsOf(role))
        return 'done'
      }),
    remove: (tenantId, userId, stamp) =>
      write(async (transaction) => {
        const refusal = await refusalFor(transaction, { tenantId, userId, keepsOwner: false })
        if (refusal) return refusal
        await deleteOf(transaction, 'memberships', { tenantId, user_id: userId }).execute()
        transaction.record({ ...memberEvent(tenantId, userId, stamp), action: 'member.removed' })
        await carryOut(transaction, { tenantId, userId, stamp }, endsOf('removed'))
        await endProposalsOf(transaction, { tenantId, userId }, madeBy(stamp))
        return 'done'
      }),
  }
}

async function list(query: Query, tenantId: string): Promise<Member[]> {
  const rows = await selectOf(query, 'memberships', tenantId)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id as user_id', 'users.username', 'users.email', 'users.email_verified'])
    .select(['memberships.role', 'memberships.created_at'])
    .orderBy('users.username')
    .execute()
  return rows.map(({ email, email_verified, ...member }) => ({
    ...member,
    email: emailForOthers(email, email_verified === 1),
  }))
}

async function carryOut(
  transaction: Recorded,
  { tenantId, userId, stamp }: { tenantId: string; userId: string; stamp: Stamp },
  { invitations, grants: reason }: ReturnType<typeof endsOf>,
): Promise<void> {
  if (invitations) await endInvitations(transaction, tenantId, userId)
  await endGrants(transaction, { tenantId, userId }, { reason, ...madeBy(stamp) })
}

// Those to the member's own e-mail too: one that is still open would undo the removal.
async function endInvitations(transaction: Query, tenantId: string, userId: string): Promise<void> {
  await deleteOf(transaction, 'invitations', tenantId)
    .where((either) =>
      either.or([
        either('created_by', '=', userId),
        either('email_key', 'in', either.selectFrom('users').select('email_key').where('id', '=', userId)),
      ]),
    )
    .execute()
}

function memberEvent(tenantId: string, userId: string, stamp: Stamp) {
  return { tenantId, target: { kind: 'user', id: userId, name: null }, ...madeBy(stamp) } as const
}

type Change = { tenantId: string; userId: string; keepsOwner: boolean }

// Locks the tenant, so that changes run one after another and two owners cannot remove each other.
async function refusalFor(transaction: Query, { tenantId, userId, keepsOwner }: Change) {
  await holdTenant(transaction, tenantId)
  const memberships = await selectOf(transaction, 'memberships', tenantId)
    .select(['user_id', 'role'])
    .where((either) => either.or([either('role', '=', 'owner'), either('user_id', '=', userId)]))
    .execute()
  if (!memberships.some(({ user_id }) => user_id === userId)) return 'absent'
  const isOwned =
    keepsOwner || memberships.some(({ user_id, role }) => user_id !== userId && role === 'owner')
  return isOwned ? null : 'last_owner'
}

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
      .select(['users.username', 'users.is_active', 'tenants.id as tenant_id', 'memberships.role'])
      .where('users.id', '=', value('userId')),
  )
  return {
    async findStanding({ userId, tenantId }) {
      const [row] = await readStanding({ userId, tenantId })
      if (!row) return null
      const { username, role } = row
      return { username, isActive: row.is_active === 1, tenantExists: row.tenant_id !== null, role }
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
