import type { EventOrigin } from '../../domain/base/event.ts'
import type { Role } from '../../domain/people/membership.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { REACH } from '../reach/membership-reach.ts'
import { changeMember } from './members.ts'
import { holdTenant } from './tenants.ts'

/** By the group's id. */
type Unconfirmed = Readonly<Record<string, 0 | 2>>

type HeldLimit = { limited_to: string | null; limited_at: string | null }

/** `before`: the role that the receiver had already. `limit`: the giver's.
 * `groups`: those that the receiver was not in before. `unconfirmed`: the giver's mark where
 * no owner had confirmed them. */
export type MovedMembership = {
  tenantId: string
  role: Role
  before: Role | null
  limit: HeldLimit
  groups: string[]
  unconfirmed: Unconfirmed
}

/** `membershipId`: for a receiver who is no member yet. `role` and `groups`: what is given, if not all of it. `leaves`:
 * what is left to the giver. `limit`: what the receiver had, which counts unless the giver was limited `since` then. */
type MembershipMove = {
  tenantId: string
  from: string
  to: string
  membershipId: string
  role?: Role
  leaves?: Role | 'removed'
  limit?: (HeldLimit & { since: string }) | undefined
  groups?: readonly string[] | undefined
  unconfirmed?: Unconfirmed | undefined
}

/** Give the membership of one person to another, who keeps the stronger of two roles, and their own limit. Approval
 * keys, remembered approvals and proposals end with the membership that they belong to.
 * @returns null: there is nothing to move */
export async function moveMembership(
  transaction: Recorded,
  { tenantId, from, to, membershipId: id, leaves = 'removed', ...given }: MembershipMove,
  made: EventOrigin,
): Promise<MovedMembership | null> {
  await holdTenant(transaction, tenantId)
  const giver = await membershipOf(transaction, tenantId, from)
  if (giver === undefined) return null
  const { role: held, added: _, ...own } = giver
  const isNewer = own.limited_to !== null && (own.limited_at ?? '') > (given.limit?.since ?? '')
  const { limited_to, limited_at } = isNewer ? own : (given.limit ?? own)
  // Rights that the giver lost in the meantime neither move nor come back.
  const role = held === 'owner' ? (given.role ?? held) : held
  const left = leaves === 'owner' ? held : leaves
  const before = (await membershipOf(transaction, tenantId, to))?.role ?? null
  if (before === null) {
    const row = { id, user_id: to, tenant_id: tenantId, role, created_at: made.at, limited_to, limited_at }
    await transaction.insertInto('memberships').values(row).execute()
  } else if (role === 'owner') {
    await updateOf(transaction, 'memberships', { tenantId, user_id: to }).set({ role }).execute()
  }
  const groups = await moveGroups(transaction, { tenantId, from, to, ...given })
  const target = { kind: 'user', id: to, name: null } as const
  transaction.record({ ...made, tenantId, action: 'member.moved', target, data: { role, person: from } })
  if (left !== held) await changeMember(transaction, { userId: from, to: left }, { ...made, tenantId })
  return { tenantId, role, before, limit: own, ...groups }
}

async function moveGroups(
  transaction: Recorded,
  {
    tenantId,
    from,
    to,
    groups: given,
    unconfirmed = {},
  }: Pick<MembershipMove, 'tenantId' | 'from' | 'to' | 'groups' | 'unconfirmed'>,
): Promise<Pick<MovedMembership, 'groups' | 'unconfirmed'>> {
  const held = await selectOf(transaction, 'group_members', { tenantId, user_id: from }).selectAll().execute()
  const moved = held.filter(({ group_id }) => given?.includes(group_id) ?? true)
  if (moved.length === 0) return { groups: [], unconfirmed: {} }
  // Whom an owner confirmed is the receiver.
  const flagOf = ({ group_id, confirmed }: (typeof held)[number]) =>
    confirmed === 1 ? (unconfirmed[group_id] ?? confirmed) : confirmed
  const fresh = await transaction
    .insertInto('group_members')
    .values(moved.map((row) => ({ ...row, confirmed: flagOf(row), user_id: to })))
    .onConflict((known) => known.doNothing())
    .returning(['group_id', 'confirmed'])
    .execute()
  if (given !== undefined)
    for (const { group_id } of moved)
      await deleteOf(transaction, 'group_members', { tenantId, group_id, user_id: from }).execute()
  const marks = fresh.flatMap(({ group_id, confirmed }) => (confirmed === 1 ? [] : [[group_id, confirmed]]))
  return { groups: fresh.map(({ group_id }) => group_id), unconfirmed: Object.fromEntries(marks) }
}

function membershipOf(query: Query, tenantId: string, userId: string) {
  return selectOf(query, 'memberships', { tenantId, user_id: userId }).select(REACH).executeTakeFirst()
}
