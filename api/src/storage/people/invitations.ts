import { emailForOthers, emailKey } from '../../domain/base/email.ts'
import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type {
  Acceptance,
  Invitation,
  InvitationStore,
  NewInvitation,
  Offer,
} from '../../domain/people/invitation.ts'
import type { Tenant } from '../../domain/people/tenant.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf } from '../base/tenant-rows.ts'
import { tenantsOf } from './tenants.ts'

export function createInvitationStore({ query, write }: Queries): InvitationStore {
  return {
    insert: (invitation, stamp) =>
      write(async (transaction) => {
        if (!(await insert(transaction, invitation))) return false
        transaction.record(invited(invitation, stamp))
        return true
      }),
    list: (tenantId, now) => list(query, tenantId, now),
    delete: (tenantId, invitationId, stamp) =>
      write(async (transaction) => {
        if (!(await remove(transaction, tenantId, invitationId))) return false
        const target = { kind: 'invitation', id: invitationId, name: null } as const
        const event = { tenantId, action: 'member.invitation_revoked', target } as const
        transaction.record({ ...event, ...madeBy(stamp) })
        return true
      }),
    openEmail: (tokenHash, now) => openEmail(query, tokenHash, now),
    findOffer: (tokenHash, now) => findOffer(query, tokenHash, now),
    waitsForVerification: (acceptance) => waitsForVerification(query, acceptance),
    accept: (acceptance) => write((transaction) => accept(transaction, acceptance)),
  }
}

// The address is personal, so it goes where it can be erased.
function invited({ id, tenant_id, email, role }: NewInvitation, stamp: Stamp): Event {
  const { actor, at, origin } = madeBy(stamp)
  const target = { kind: 'invitation', id, name: null } as const
  const event = { tenantId: tenant_id, action: 'member.invited', target, data: { role } } as const
  return { ...event, actor, at, origin: { ...origin, email } }
}

async function insert(transaction: Query, invitation: NewInvitation): Promise<boolean> {
  const email_key = emailKey(invitation.email)
  const member = await selectOf(transaction, 'memberships', invitation.tenant_id)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('users.email_key', '=', email_key)
    .executeTakeFirst()
  if (member) return false
  await deleteOf(transaction, 'invitations', invitation.tenant_id)
    .where('expires_at', '<=', invitation.created_at)
    .execute()
  const { id, email, role, token_hash, created_by, created_at, expires_at } = invitation
  await transaction
    .insertInto('invitations')
    .values({ ...invitation, email_key })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'email_key'])
        .doUpdateSet({ id, email, role, token_hash, created_by, created_at, expires_at }),
    )
    .execute()
  return true
}

function list(query: Query, tenantId: string, now: string): Promise<Invitation[]> {
  return selectOf(query, 'invitations', tenantId)
    .select(['id', 'email', 'role', 'created_at', 'expires_at'])
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

async function remove(transaction: Query, tenantId: string, invitationId: string): Promise<boolean> {
  const { numDeletedRows } = await deleteOf(transaction, 'invitations', {
    tenantId,
    id: invitationId,
  }).executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

async function openEmail(query: Query, tokenHash: string, now: string): Promise<string | null> {
  const row = await query
    .selectFrom('invitations')
    .select('email')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.email ?? null
}

async function findOffer(query: Query, tokenHash: string, now: string): Promise<Offer | null> {
  const row = await query
    .selectFrom('invitations')
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
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where('memberships.role', '=', 'owner')
    .where('users.is_active', '=', 1)
    .executeTakeFirst()
  if (!row) return null
  const { id, name, username, inviter, email_verified, ...offer } = row
  const email = emailForOthers(inviter, email_verified === 1)
  return { ...offer, tenant: { id, name }, invited_by: { username, email } }
}

// Deleting the invitation is what uses it: of any number of acceptances at once one finds it.
async function accept(transaction: Recorded, acceptance: Acceptance): Promise<Tenant | null> {
  const { tokenHash, userId, membershipId, now, origin } = acceptance
  const invitation = await transaction
    .deleteFrom('invitations')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
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
    .returning(['id', 'tenant_id', 'role'])
    .executeTakeFirst()
  if (!invitation) return null
  const { tenant_id, role } = invitation
  await transaction
    .insertInto('memberships')
    .values({ id: membershipId, user_id: userId, tenant_id, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'tenant_id']).doNothing())
    .execute()
  transaction.record({
    tenantId: tenant_id,
    action: 'member.joined',
    target: { kind: 'user', id: userId, name: null },
    data: { role, invitation: invitation.id },
    ...madeBy({ by: userId, at: now, origin }),
  })
  return tenantsOf(transaction, userId).where('tenants.id', '=', tenant_id).executeTakeFirstOrThrow()
}

async function waitsForVerification(query: Query, { tokenHash, userId, now }: Acceptance): Promise<boolean> {
  const row = await query
    .selectFrom('invitations')
    .innerJoin('users', 'users.email_key', 'invitations.email_key')
    .select('users.id')
    .where('users.id', '=', userId)
    .where('users.email_verified', '=', 0)
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}
