import { type SqlBool, sql } from 'kysely'
import { latestStart } from '../../domain/base/clock-and-ids.ts'
import { emailForOthers, emailKey } from '../../domain/base/email.ts'
import { madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { groupNotFound } from '../../domain/people/group.ts'
import {
  type Acceptance,
  type Invitation,
  type InvitationStore,
  type InvitedAlready,
  invitationNotFound,
  type JoinedTenant,
  type NewInvitation,
  type PreviewedInvitation,
} from '../../domain/people/invitation.ts'
import { userNotFound } from '../../domain/people/membership.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing, hasChanged } from '../base/statements.ts'
import { countOf, deleteOf, isFound, selectOf } from '../base/tenant-rows.ts'
import { patternsIn, storedPatterns } from '../reach/membership-reach.ts'
import { addMembers, marksOf, TAKEN_OUT } from './groups.ts'
import { moveMembership } from './membership-moves.ts'
import { lockTenant, tenantsOf } from './tenants.ts'
import { proveEmail } from './user-events.ts'

export function createInvitationStore(queries: Queries): InvitationStore {
  const { query } = queries
  return {
    insert: changing(queries, insert),
    list: (tenantId, now) => list(query, tenantId, now),
    delete: changing(queries, remove),
    openEmail: (tokenHash, now) => openEmail(query, tokenHash, now),
    findOffer: (tokenHash, now) => findOffer(query, tokenHash, now),
    waitsForVerification: (acceptance) => waitsForVerification(query, acceptance),
  }
}

async function insert(
  transaction: Recorded,
  invitation: NewInvitation,
  stamp: Stamp,
): Promise<InvitedAlready | null> {
  const email_key = emailKey(invitation.email)
  const member = await selectOf(transaction, 'memberships', stamp.tenantId)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.username'])
    .where('users.email_key', '=', email_key)
    .where('users.id', '<>', invitation.replaces ?? '')
    .executeTakeFirst()
  if (member) return member
  const replaced = selectOf(transaction, 'memberships', stamp.tenantId)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('users.id', '=', invitation.replaces ?? '')
    .where('users.email_key', '=', email_key)
  if (invitation.replaces !== null && !(await isFound(replaced))) throw userNotFound()
  await deleteOf(transaction, 'invitations', stamp.tenantId)
    .where('expires_at', '<=', invitation.created_at)
    .execute()
  const limited_to = storedPatterns(invitation.limited_to)
  const { groups = [], ...terms } = invitation
  const known = selectOf(transaction, 'member_groups', stamp.tenantId).where('id', 'in', groups)
  if (groups.length > 0 && (await countOf(known)) < groups.length) throw groupNotFound()
  // An owner lets the person in again whom one took out before.
  if (invitation.replaces !== null && groups.length > 0)
    await deleteOf(transaction, 'group_members', {
      tenantId: stamp.tenantId,
      user_id: invitation.replaces,
      confirmed: TAKEN_OUT,
    })
      .where('group_id', 'in', groups)
      .execute()
  const row = { ...terms, limited_to, group_ids: storedPatterns(groups), email_key, created_by: stamp.by }
  await transaction
    .insertInto('invitations')
    .values({ ...row, tenant_id: stamp.tenantId })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'email_key']).doUpdateSet(row))
    .execute()
  const { id, email, role } = invitation
  // The address is personal, so it goes where it can be erased.
  const made = { ...madeBy(stamp), origin: { ...stamp.origin, email } }
  const target = { kind: 'invitation', id, name: null } as const
  const person = invitation.replaces === null ? {} : { person: invitation.replaces }
  const limit = invitation.limited_to ? { limited_to: invitation.limited_to } : {}
  const data = { role, ...person, ...limit, ...(groups.length > 0 && { groups }) }
  transaction.record({ ...made, action: 'member.invited', target, data })
  return null
}

async function list(query: Query, tenantId: string, now: string): Promise<Invitation[]> {
  const rows = await selectOf(query, 'invitations', tenantId)
    .select(['id', 'email', 'role', 'limited_to', 'group_ids', 'created_at', 'expires_at'])
    .where(isOpen(now))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ limited_to, group_ids, ...row }) => ({
    ...row,
    limited_to: patternsIn(limited_to),
    groups: patternsIn(group_ids) ?? [],
  }))
}

async function remove(transaction: Recorded, id: string, stamp: Stamp): Promise<void> {
  const { tenantId } = stamp
  if (!(await hasChanged(deleteOf(transaction, 'invitations', { tenantId, id })))) throw invitationNotFound()
  const target = { kind: 'invitation', id, name: null } as const
  transaction.record({ ...madeBy(stamp), action: 'member.invitation_revoked', target })
}

/** End every open invitation of a workspace. */
export async function endInvitations(transaction: Recorded, stamp: Stamp): Promise<void> {
  const open = await selectOf(transaction, 'invitations', stamp.tenantId).select('id').execute()
  for (const { id } of open) await remove(transaction, id, stamp)
}

const isOpen = (now: string) =>
  sql<SqlBool>`invitations.expires_at > ${now} and invitations.created_at <= ${latestStart(now)}`

function openInvitation(query: Query, tokenHash: string, now: string) {
  return query.selectFrom('invitations').where('token_hash', '=', tokenHash).where(isOpen(now))
}

async function openEmail(query: Query, tokenHash: string, now: string): Promise<string | null> {
  const row = await openInvitation(query, tokenHash, now).select('email').executeTakeFirst()
  return row?.email ?? null
}

async function findOffer(query: Query, tokenHash: string, now: string): Promise<PreviewedInvitation | null> {
  const row = await openInvitation(query, tokenHash, now)
    .innerJoin('tenants', 'tenants.id', 'invitations.tenant_id')
    .innerJoin('users', 'users.id', 'invitations.created_by')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'invitations.created_by')
        .onRef('memberships.tenant_id', '=', 'invitations.tenant_id'),
    )
    .select(['invitations.email', 'invitations.role', 'invitations.expires_at'])
    .select([
      'tenants.id',
      'tenants.name',
      'users.username',
      'users.email as inviter',
      'users.email_verified',
    ])
    .where('memberships.role', '=', 'owner')
    .where('users.is_active', '=', 1)
    .executeTakeFirst()
  if (!row) return null
  const { id, name, username, inviter, email_verified, ...offer } = row
  const email = emailForOthers(inviter, email_verified === 1)
  return { ...offer, tenant: { id, name }, invited_by: { username, email } }
}

// Deleting the invitation is what uses it: of any number of acceptances at once one finds it.
export async function acceptIn(transaction: Recorded, acceptance: Acceptance): Promise<JoinedTenant | null> {
  const { tokenHash, userId, membershipId, now, isMailed, origin } = acceptance
  const invitation = await transaction
    .deleteFrom('invitations')
    .where('token_hash', '=', tokenHash)
    .where(isOpen(now))
    .where('email_key', '=', (users) =>
      users.selectFrom('users').select('email_key').where('id', '=', userId).where('email_verified', '=', 1),
    )
    .where((rows) =>
      rows.exists(
        rows
          .selectFrom('memberships')
          .innerJoin('users', 'users.id', 'memberships.user_id')
          .select('memberships.id')
          .whereRef('memberships.user_id', '=', 'invitations.created_by')
          .whereRef('memberships.tenant_id', '=', 'invitations.tenant_id')
          .where('memberships.role', '=', 'owner')
          .where('users.is_active', '=', 1),
      ),
    )
    .returning(['id', 'tenant_id', 'role', 'replaces', 'limited_to', 'group_ids', 'created_by'])
    .executeTakeFirst()
  if (!invitation) return null
  if (isMailed) await proveEmail(transaction, userId)
  const { tenant_id, role, replaces: from, limited_to, created_by } = invitation
  // A membership that ended takes its limit with it, so there is nothing to take over.
  if (from !== null && !(await isMember(transaction, tenant_id, from))) return null
  const limit = { limited_to, limited_at: limited_to && now }
  // MACs are checked only in what a query returns, not in its conditions.
  await selectOf(transaction, 'memberships', { tenantId: tenant_id, user_id: created_by })
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .executeTakeFirstOrThrow()
  const made = madeBy({ tenantId: tenant_id, by: userId, at: now, origin })
  const move = { tenantId: tenant_id, from: from ?? '', to: userId, membershipId }
  const moved = from === null || from === userId ? null : await moveMembership(transaction, move, made)
  await transaction
    .insertInto('memberships')
    .values({ id: membershipId, user_id: userId, tenant_id, role, created_at: now, ...limit })
    .onConflict((conflict) => conflict.columns(['user_id', 'tenant_id']).doNothing())
    .execute()
  const groups = patternsIn(invitation.group_ids) ?? []
  await joinGroups(transaction, { tenantId: tenant_id, userId, groups })
  transaction.record({
    ...made,
    action: 'member.joined',
    target: { kind: 'user', id: userId, name: null },
    data: { role, invitation: invitation.id },
  })
  const joined = tenantsOf(transaction, userId).where('tenants.id', '=', tenant_id)
  return { tenant: await joined.executeTakeFirstOrThrow(), left: moved === null ? null : from }
}

// Groups that were deleted since give nothing, and an owner may have taken the person out since.
async function joinGroups(
  transaction: Recorded,
  { tenantId, userId, groups }: { tenantId: string; userId: string; groups: readonly string[] },
): Promise<void> {
  if (groups.length === 0) return
  const found = selectOf(transaction, 'member_groups', tenantId).select('id').where('id', 'in', groups)
  const marks = await marksOf(transaction, tenantId, userId)
  const groupIds = (await found.execute()).flatMap(({ id }) => (marks.get(id) === TAKEN_OUT ? [] : [id]))
  await addMembers(transaction, { tenantId, groupIds, userIds: [userId] })
}

async function isMember(transaction: Recorded, tenantId: string, user_id: string): Promise<boolean> {
  await lockTenant(transaction, tenantId)
  return isFound(selectOf(transaction, 'memberships', { tenantId, user_id }))
}

function waitsForVerification(query: Query, { tokenHash, userId, now }: Acceptance): Promise<boolean> {
  const ofUser = openInvitation(query, tokenHash, now)
    .innerJoin('users', 'users.email_key', 'invitations.email_key')
    .where('users.id', '=', userId)
    .where('users.email_verified', '=', 0)
  return isFound(ofUser)
}
