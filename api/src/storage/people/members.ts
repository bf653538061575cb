import { emailForOthers } from '../../domain/base/email.ts'
import type { EventOrigin } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import {
  endsOf,
  type Member,
  type MemberChange,
  type MemberStore,
  type MemberWish,
} from '../../domain/people/member.ts'
import type { Membership, MembershipStore, SignedCaller } from '../../domain/people/membership.ts'
import { ask } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { limitIn, REACH, requireFewPatterns, storedPatterns, withReach } from '../reach/membership-reach.ts'
import { endWaiting } from './approval-keys.ts'
import { endGrants } from './grant-ends.ts'
import { endProposalsOf } from './proposal-ends.ts'
import { lockTenant } from './tenants.ts'

export function createMemberStore({ query }: Queries): MemberStore {
  return { list: (tenantId) => list(query, tenantId) }
}

/** @see MemberRecords.change */
export async function changeMember(
  transaction: Recorded,
  { userId, to, expected }: MemberWish,
  { tenantId, ...made }: EventOrigin & { tenantId: string },
): Promise<MemberChange> {
  const locked = await lockMember(transaction, tenantId, userId)
  if (locked === null) return 'absent'
  const limited_to = locked.patterns
  if (typeof to === 'object') requireExpected({ ...to, expected }, { limited_to })
  else if (to !== 'removed') requireExpected({ role: to, expected }, { role: locked.role })
  if (typeof to === 'object' && locked.role === 'owner') return 'owner'
  if (to !== 'owner' && locked.isLastOwner) return 'last_owner'
  const membership = { tenantId, user_id: userId }
  const event = { ...made, tenantId, target: { kind: 'user', id: userId, name: null } } as const
  if (to === 'removed') {
    // Not with the membership, so that the log tells that they ended.
    await deleteOf(transaction, 'group_members', membership).execute()
    await deleteOf(transaction, 'memberships', membership).execute()
    await deleteOf(transaction, 'approval_keys', membership).execute()
    transaction.record({ ...event, action: 'member.removed' })
  } else if (typeof to === 'object') {
    const limit = { limited_to: storedPatterns(to.limited_to) }
    const isNarrower = !limited_to?.every((pattern) => to.limited_to?.includes(pattern))
    const since = isNarrower ? { limited_at: made.at } : {}
    await updateOf(transaction, 'memberships', membership)
      .set({ ...limit, ...since })
      .execute()
    const isWider = limited_to && to.limited_to?.some((pattern) => !limited_to.includes(pattern))
    if (isWider) await requireFewPatterns(transaction, tenantId, [userId])
    transaction.record({ ...event, action: 'member.limited', data: { limited_to: to.limited_to ?? [] } })
  } else {
    // A limit that counts again begins anew: an owner saw everything until now.
    const since = to === 'member' && locked.role === 'owner' ? { limited_at: made.at } : {}
    await updateOf(transaction, 'memberships', membership)
      .set({ role: to, ...since })
      .execute()
    transaction.record({ ...event, action: 'member.role_changed', data: { role: to } })
  }
  if (to === 'removed' || to === 'member') await endWaiting(transaction, { tenantId, userId })
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
    .select(['memberships.created_at', 'memberships.role', 'memberships.limited_to'])
    .orderBy('users.username')
    .execute()
  return rows.map(({ user_id, username, role, created_at, limited_to, email, email_verified }) => ({
    user_id,
    username,
    role,
    created_at,
    limited_to: limitIn({ role, limited_to }),
    email: emailForOthers(email, email_verified === 1),
  }))
}

// Those to the member's own e-mail, or to who takes over, too: one that is still open would undo the removal.
async function endInvitations(transaction: Query, tenantId: string, userId: string): Promise<void> {
  await deleteOf(transaction, 'invitations', tenantId)
    .where((either) =>
      either.or([
        either('created_by', '=', userId),
        either('replaces', '=', userId),
        either('email_key', 'in', either.selectFrom('users').select('email_key').where('id', '=', userId)),
      ]),
    )
    .execute()
}

// Locks the tenant, so that changes run one after another and two owners cannot remove each other.
async function lockMember(transaction: Query, tenantId: string, userId: string) {
  await lockTenant(transaction, tenantId)
  const memberships = await selectOf(transaction, 'memberships', tenantId)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['user_id', 'role', 'limited_to', 'users.is_active'])
    .where((either) => either.or([either('role', '=', 'owner'), either('user_id', '=', userId)]))
    .execute()
  const locked = memberships.find(({ user_id }) => user_id === userId)
  if (locked === undefined) return null
  const isLastOwner = !memberships.some(
    ({ user_id, role, is_active }) => user_id !== userId && role === 'owner' && is_active === 1,
  )
  return { role: locked.role, patterns: limitIn(locked), isLastOwner }
}

/** Reads what an active person is in a tenant. Nobody removes, disables or limits them or changes their role until the
 * transaction ends. */
export function memberLocker({ lockShared, lockToChange }: Queries) {
  return async (
    transaction: Query,
    { userId, tenantId }: SignedCaller,
    isAlone: boolean,
  ): Promise<Membership | null> => {
    const member = selectOf(transaction, 'memberships', { tenantId, user_id: userId })
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(REACH)
      .where('users.is_active', '=', 1)
    const locked = await ask(transaction, member.modifyEnd(isAlone ? lockToChange : lockShared))
    const [row] = await withReach(transaction, locked)
    return row === undefined ? null : { role: row.role, reach: row.reach }
  }
}

/** Lock a workspace, and wait until nobody in it decides. */
export async function lockPeople(
  { lockToChange }: Queries,
  transaction: Query,
  tenantId: string,
): Promise<void> {
  await lockTenant(transaction, tenantId)
  await selectOf(transaction, 'memberships', tenantId)
    .select('user_id')
    .orderBy('user_id')
    .modifyEnd(lockToChange)
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
      .select(['users.username', 'users.is_active', 'users.epoch', 'tenants.id as tenant', ...REACH])
      .where('users.id', '=', value('userId')),
  )
  return {
    async findStanding({ userId, tenantId }) {
      const found = await ask(query, readStanding({ userId, tenantId }))
      const [row] = await withReach(query, found)
      if (!row) return null
      const { username, role, reach, is_active, epoch, tenant } = row
      const states = { isActive: is_active === 1, tenantExists: tenant !== null, epoch: epoch ?? 0 }
      return { username, role, reach, ...states }
    },
    async listActive(tenantId) {
      const rows = await selectOf(query, 'memberships', tenantId)
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select(['users.username', ...REACH])
        .where('users.is_active', '=', 1)
        .orderBy('users.username')
        .execute()
      const members = await withReach(query, rows)
      return members.map(({ user_id: userId, username, role, reach }) => ({ userId, username, role, reach }))
    },
  }
}
