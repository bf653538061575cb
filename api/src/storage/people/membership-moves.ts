import type { EventOrigin } from '../../domain/base/event.ts'
import type { Role } from '../../domain/people/membership.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { CONFIRMED, type GroupMark, markMembers, marksOf, TAKEN_OUT, takeFrom } from './groups.ts'
import { changeMember } from './members.ts'
import { lockTenant } from './tenants.ts'

/** By the group's id. */
type Unconfirmed = Readonly<Record<string, Exclude<GroupMark, typeof CONFIRMED>>>

type LimitColumns = { limited_to: string | null; limited_at: string | null }

/** `before`: the role that the receiver had already. `limit`: the giver's.
 * `groups`: those that the receiver was not in before. `unconfirmed`: the giver's mark where
 * no owner had confirmed them. */
export type MovedMembership = {
  tenantId: string
  role: Role
  before: Role | null
  limit: LimitColumns
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
  limit?: (LimitColumns & { since: string }) | undefined
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
  await lockTenant(transaction, tenantId)
  const giver = await membershipOf(transaction, tenantId, from)
  if (giver === undefined) return null
  const { role: theirs, ...own } = giver
  const isNewer = own.limited_to !== null && (own.limited_at ?? '') > (given.limit?.since ?? '')
  const { limited_to, limited_at } = isNewer ? own : (given.limit ?? own)
  // Rights that the giver lost in the meantime neither move nor come back.
  const role = theirs === 'owner' ? (given.role ?? theirs) : theirs
  const left = leaves === 'owner' ? theirs : leaves
  const before = (await membershipOf(transaction, tenantId, to))?.role ?? null
  if (before === null) {
    const row = { id, user_id: to, tenant_id: tenantId, role, created_at: made.at, limited_to, limited_at }
    await transaction.insertInto('memberships').values(row).execute()
  } else if (role === 'owner') {
    await updateOf(transaction, 'memberships', { tenantId, user_id: to }).set({ role }).execute()
  }
  const groups = await moveGroups(transaction, { tenantId, from, to, ...given }, made)
  const target = { kind: 'user', id: to, name: null } as const
  transaction.record({ ...made, tenantId, action: 'member.moved', target, data: { role, person: from } })
  if (left !== theirs) await changeMember(transaction, { userId: from, to: left }, { ...made, tenantId })
  return { tenantId, role, before, limit: own, ...groups }
}

type GroupsMove = Pick<MembershipMove, 'tenantId' | 'from' | 'to' | 'groups' | 'unconfirmed'>

// Whom an owner took out of a group stays out, on both sides.
async function moveGroups(
  transaction: Recorded,
  { tenantId, from, to, groups: given, unconfirmed = {} }: GroupsMove,
  made: EventOrigin,
): Promise<Pick<MovedMembership, 'groups' | 'unconfirmed'>> {
  const groups = await selectOf(transaction, 'member_groups', tenantId).select('id').orderBy('id').execute()
  const [gone, known] = [await marksOf(transaction, tenantId, from), await marksOf(transaction, tenantId, to)]
  const fresh: string[] = []
  const losing = new Set<string>()
  for (const { id } of groups) {
    const [own, before] = [gone.get(id), known.get(id)]
    const isGiven = own !== undefined && (given?.includes(id) ?? true)
    const isOut = own === TAKEN_OUT || unconfirmed[id] === TAKEN_OUT
    // Whom an owner confirmed is the receiver.
    const mark = isOut ? TAKEN_OUT : (before ?? (isGiven ? (unconfirmed[id] ?? own) : undefined))
    if (mark !== undefined && mark !== before)
      await markMembers(transaction, { tenantId, groupIds: [id], userIds: [to] }, mark)
    if (mark !== undefined && before === undefined) fresh.push(id)
    else if (mark !== before) losing.add(to)
    if (given === undefined || !isGiven || own === TAKEN_OUT) continue
    await deleteOf(transaction, 'group_members', { tenantId, group_id: id, user_id: from }).execute()
    losing.add(from)
  }
  await takeFrom(transaction, { tenantId, userIds: [...losing] }, made)
  const marks = [...gone].flatMap(([id, mark]) => (mark === CONFIRMED ? [] : [[id, mark] as const]))
  return { groups: fresh, unconfirmed: Object.fromEntries(marks) }
}

function membershipOf(query: Query, tenantId: string, userId: string) {
  return selectOf(query, 'memberships', { tenantId, user_id: userId })
    .select(['role', 'limited_to', 'limited_at'])
    .executeTakeFirst()
}
