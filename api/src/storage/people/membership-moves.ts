import type { EventOrigin } from '../../domain/base/event.ts'
import type { Role } from '../../domain/people/membership.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'
import { changeMember } from './members.ts'
import { holdTenant } from './tenants.ts'

/** `before`: the role that the receiver had already. */
export type MovedMembership = { tenantId: string; role: Role; before: Role | null }

/** `membershipId`: for a receiver who is no member yet. `role`: what is given, if not all of it. `leaves`: what is left
 * to the giver. */
type MembershipMove = {
  tenantId: string
  from: string
  to: string
  membershipId: string
  role?: Role
  leaves?: Role | 'removed'
}

/** Give the membership of one person to another, who keeps the stronger of two roles. Approval keys, remembered
 * approvals and proposals end with the membership that they belong to.
 * @returns null: there is nothing to move */
export async function moveMembership(
  transaction: Recorded,
  { tenantId, from, to, membershipId: id, leaves = 'removed', ...given }: MembershipMove,
  made: EventOrigin,
): Promise<MovedMembership | null> {
  await holdTenant(transaction, tenantId)
  const held = await roleOf(transaction, tenantId, from)
  if (held === null) return null
  // Rights that the giver lost in the meantime neither move nor come back.
  const role = held === 'owner' ? (given.role ?? held) : held
  const left = leaves === 'owner' ? held : leaves
  const before = await roleOf(transaction, tenantId, to)
  if (before === null) {
    const row = { id, user_id: to, tenant_id: tenantId, role, created_at: made.at }
    await transaction.insertInto('memberships').values(row).execute()
  } else if (role === 'owner') {
    await updateOf(transaction, 'memberships', { tenantId, user_id: to }).set({ role }).execute()
  }
  const target = { kind: 'user', id: to, name: null } as const
  transaction.record({ ...made, tenantId, action: 'member.moved', target, data: { role, person: from } })
  if (left !== held) await changeMember(transaction, { userId: from, to: left }, { ...made, tenantId })
  return { tenantId, role, before }
}

async function roleOf(query: Query, tenantId: string, userId: string): Promise<Role | null> {
  const row = selectOf(query, 'memberships', { tenantId, user_id: userId }).select('role')
  return (await row.executeTakeFirst())?.role ?? null
}
