import { emailForOthers } from '../../domain/base/email.ts'
import { type EventOrigin, madeBy } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import { endsOf, type Member, type MemberChange, type MemberStore } from '../../domain/people/member.ts'
import type { MembershipStore, Role, SignedCaller } from '../../domain/people/membership.ts'
import { ask } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing } from '../base/statements.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { removeApprovalKeys } from './approval-keys.ts'
import { endGrants } from './grant-ends.ts'
import { endProposalsOf } from './proposal-ends.ts'
import { holdTenant } from './tenants.ts'

export function createMemberStore(queries: Queries): MemberStore {
  return {
    list: (tenantId) => list(queries.query, tenantId),
    change: changing(queries, (transaction, change, stamp) =>
      changeMember(transaction, change, madeBy(stamp)),
    ),
  }
}

/** @see MemberStore.change */
export async function changeMember(
  transaction: Recorded,
  { userId, to, expected }: Parameters<MemberStore['change']>[0],
  { tenantId, ...made }: EventOrigin & { tenantId: string },
): Promise<MemberChange> {
  const held = await holdMember(transaction, tenantId, userId)
  if (held === null) return 'absent'
  if (to !== 'removed') requireExpected({ role: to, expected }, { role: held.role })
  if (to !== 'owner' && held.isLastOwner) return 'last_owner'
  const membership = { tenantId, user_id: userId }
  const event = { ...made, tenantId, target: { kind: 'user', id: userId, name: null } } as const
  if (to === 'removed') {
    await deleteOf(transaction, 'memberships', membership).execute()
    await removeApprovalKeys(transaction, { tenantId, userId, now: made.at })
    transaction.record({ ...event, action: 'member.removed' })
  } else {
    await updateOf(transaction, 'memberships', membership).set({ role: to }).execute()
    transaction.record({ ...event, action: 'member.role_changed', data: { role: to } })
  }
  const { invitations, grants: reason } = endsOf(to)
  if (invitations) await endInvitations(transaction, tenantId, userId)
  await endGrants(transaction, { tenantId, userId }, { reason, ...made })
  if (to === 'removed') await endProposalsOf(transaction, { tenantId, userId }, made)
  return 'done'
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

// Locks the tenant, so that changes run one after another and two owners cannot remove each other.
async function holdMember(transaction: Query, tenantId: string, userId: string) {
  await holdTenant(transaction, tenantId)
  const memberships = await selectOf(transaction, 'memberships', tenantId)
    .select(['user_id', 'role'])
    .where((either) => either.or([either('role', '=', 'owner'), either('user_id', '=', userId)]))
    .execute()
  const held = memberships.find(({ user_id }) => user_id === userId)
  if (held === undefined) return null
  const isLastOwner = !memberships.some(({ user_id, role }) => user_id !== userId && role === 'owner')
  return { role: held.role, isLastOwner }
}

/** Reads the role of an active person. Nobody removes or disables them or changes their role until the transaction
 * ends. */
export function memberHolder({ holdShared, holdToChange }: Queries) {
  return async (
    transaction: Query,
    { userId, tenantId }: SignedCaller,
    isAlone: boolean,
  ): Promise<Role | null> => {
    const member = selectOf(transaction, 'memberships', { tenantId, user_id: userId })
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select('memberships.role')
      .where('users.is_active', '=', 1)
      .modifyEnd(isAlone ? holdToChange : holdShared)
    return (await ask(transaction, member))[0]?.role ?? null
  }
}

/** Hold a workspace, and wait until nobody in it decides. */
export async function holdPeople(
  { holdToChange }: Queries,
  transaction: Query,
  tenantId: string,
): Promise<void> {
  await holdTenant(transaction, tenantId)
  await selectOf(transaction, 'memberships', tenantId)
    .select('user_id')
    .orderBy('user_id')
    .modifyEnd(holdToChange)
    .execute()
}

export function createMembershipStore({ query }: Queries): MembershipStore {
  const readStanding = preparedStatement((value: (name: 'userId' | 'tenantId') => string) =>
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
      const [row] = await ask(query, readStanding({ userId, tenantId }))
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
