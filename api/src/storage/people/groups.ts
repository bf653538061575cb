import { LIMITS } from '@keyferry/contract'
import { DomainError } from '../../domain/base/errors.ts'
import { type EventData, type EventOrigin, madeBy } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Moment, Stamp } from '../../domain/base/stamp.ts'
import {
  type Group,
  type GroupChange,
  type GroupSetting,
  type GroupStore,
  groupNotFound,
  nameTaken,
  type ProvidedGroups,
  tooManyGroups,
} from '../../domain/people/group.ts'
import type { SignedCaller } from '../../domain/people/membership.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing } from '../base/statements.ts'
import type { Tables } from '../base/tables.ts'
import { countOf, deleteOf, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'
import { patternsIn, requireFewPatterns } from '../reach/membership-reach.ts'
import { endGrants } from './grant-ends.ts'
import { personOf } from './person-identities.ts'
import { lockTenant } from './tenants.ts'

// The claim of a provider never takes back TAKEN_OUT, so nobody comes back by an edit of their own claim.
const UNCONFIRMED = 0
export const CONFIRMED = 1
export const TAKEN_OUT = 2

export type GroupMark = Tables['group_members']['confirmed']

export function createGroupStore(queries: Queries): GroupStore {
  return { list: (tenantId) => listGroups(queries.query, tenantId), create: changing(queries, create) }
}

export async function listGroups(query: Query, tenantId: string): Promise<Group[]> {
  const groups = await selectOf(query, 'member_groups', tenantId)
    .select(['id', 'name', 'adds'])
    .orderBy('name')
    .execute()
  const members = await selectOf(query, 'group_members', tenantId)
    .select(['group_id', 'user_id', 'confirmed', 'row_version'])
    .orderBy('user_id')
    .execute()
  // The version of a row is the time of its last change.
  const since = (id: string) => {
    const waiting = members.filter((row) => row.group_id === id && row.confirmed === UNCONFIRMED)
    const first = Math.min(...waiting.map(({ row_version }) => row_version ?? Number.POSITIVE_INFINITY))
    return Number.isFinite(first) ? new Date(first).toISOString() : null
  }
  const idsOf = (id: string, confirmed: number) =>
    members.flatMap((row) => (row.group_id === id && row.confirmed === confirmed ? [row.user_id] : []))
  return groups.map(({ id, name, adds }) => ({
    id,
    name,
    adds: patternsIn(adds) ?? [],
    people: idsOf(id, CONFIRMED),
    unconfirmed: idsOf(id, UNCONFIRMED),
    unconfirmed_since: since(id),
  }))
}

async function create(
  transaction: Recorded,
  { id, name, adds, people }: { id: string } & GroupSetting,
  stamp: Stamp,
): Promise<void> {
  const { tenantId: tenant_id } = stamp
  await lockTenant(transaction, tenant_id)
  if ((await countOf(selectOf(transaction, 'member_groups', tenant_id))) >= LIMITS.groups)
    throw tooManyGroups()
  await requireFree(transaction, tenant_id, name)
  await transaction
    .insertInto('member_groups')
    .values({ id, tenant_id, name, adds: adds.join(' ') })
    .execute()
  await addMembers(transaction, { tenantId: tenant_id, groupIds: [id], userIds: people })
  const data = { limited_to: adds, people_added: people }
  record(transaction, { id, name }, { ...madeBy(stamp), action: 'group.created', data })
}

async function requireFree(query: Query, tenantId: string, name: string): Promise<void> {
  if (await isFound(selectOf(query, 'member_groups', { tenantId, name }))) throw nameTaken()
}

/** @see GroupRecords.change */
export async function changeGroup(
  transaction: Recorded,
  { id, to, expected }: GroupChange,
  stamp: Stamp,
): Promise<string[]> {
  const { tenantId } = stamp
  await lockTenant(transaction, tenantId)
  const locked = (await listGroups(transaction, tenantId)).find((group) => group.id === id)
  if (locked === undefined) throw groupNotFound()
  const { id: _, ...before } = locked
  const { name, adds, people, unconfirmed } = before
  const wanted = { ...before, ...to }
  requireExpected({ ...wanted, expected }, before)
  const isNarrower = to === null || adds.some((pattern) => !wanted.adds.includes(pattern))
  const isWider = wanted.adds.some((pattern) => !adds.includes(pattern))
  const added = wanted.people.filter((person) => !people.includes(person))
  const staying = [...wanted.people, ...wanted.unconfirmed.filter((person) => unconfirmed.includes(person))]
  const left = [...people, ...unconfirmed].filter((person) => !staying.includes(person))
  if (to === null) await deleteOf(transaction, 'member_groups', { tenantId, id }).execute()
  else await write(transaction, { tenantId, id, name }, { ...wanted, left, added, isWider })
  const data = {
    ...(name !== wanted.name && { changed: ['name'] }),
    ...(JSON.stringify(adds) !== JSON.stringify(wanted.adds) && { limited_to: wanted.adds }),
    ...(added.length > 0 && { people_added: added }),
    ...(left.length > 0 && { people_removed: left }),
  }
  const action = to === null ? 'group.deleted' : 'group.changed'
  record(transaction, { id, name: wanted.name }, { ...madeBy(stamp), action, data })
  const losing = isNarrower ? [...people, ...unconfirmed] : left
  await takeFrom(transaction, { tenantId, userIds: losing }, madeBy(stamp))
  return losing
}

type Written = GroupSetting & { left: readonly string[]; added: readonly string[]; isWider: boolean }

async function write(
  transaction: Recorded,
  { name: before, ...group }: { tenantId: string; id: string; name: string },
  { name, adds, people, left, added, isWider }: Written,
): Promise<void> {
  const { tenantId, id: group_id } = group
  if (name !== before) await requireFree(transaction, tenantId, name)
  await updateOf(transaction, 'member_groups', group)
    .set({ name, adds: adds.join(' ') })
    .execute()
  for (const user_id of left)
    await updateOf(transaction, 'group_members', { tenantId, group_id, user_id })
      .set({ confirmed: TAKEN_OUT })
      .execute()
  await addMembers(transaction, { tenantId, groupIds: [group_id], userIds: added })
  if (isWider) await requireFewPatterns(transaction, tenantId, people)
}

type GroupAction = Pick<EventOrigin, 'actor' | 'at' | 'origin'> & {
  tenantId: string
  action: 'group.created' | 'group.changed' | 'group.deleted'
  data: EventData
}

function record(transaction: Recorded, { id, name }: { id: string; name: string }, event: GroupAction): void {
  transaction.record({ ...event, target: { kind: 'group', id, name } })
}

/** @see GroupRecords.provide */
export async function provideGroups(
  transaction: Recorded,
  idpUserId: string,
  { filled, listed }: ProvidedGroups,
  { at, origin }: Moment,
): Promise<SignedCaller[]> {
  const userId = await personOf(transaction, idpUserId)
  if (userId === null || filled.length === 0) return []
  const made = { actor: { kind: 'server', id: null }, at, origin } as const
  const differing = async () =>
    (await ownGroups(transaction, userId, filled)).filter(
      ({ id, confirmed }) => confirmed !== TAKEN_OUT && listed.includes(id) === (confirmed === null),
    )
  const locked = new Set((await differing()).map(({ tenantId }) => tenantId))
  for (const tenantId of locked) await lockTenant(transaction, tenantId)
  const losing: SignedCaller[] = []
  // Another sign-in can change a workspace that is not locked here.
  const changes = (await differing()).filter(({ tenantId }) => locked.has(tenantId))
  for (const { tenantId, id, name, confirmed } of changes) {
    const row = { tenant_id: tenantId, group_id: id, user_id: userId }
    const isJoining = confirmed === null
    if (isJoining)
      await transaction
        .insertInto('group_members')
        .values({ ...row, confirmed: UNCONFIRMED })
        .execute()
    else await deleteOf(transaction, 'group_members', { tenantId, group_id: id, user_id: userId }).execute()
    const data = isJoining ? { people_added: [userId] } : { people_removed: [userId] }
    record(transaction, { id, name }, { ...made, tenantId, action: 'group.changed', data })
    if (isJoining) continue
    await takeFrom(transaction, { tenantId, userIds: [userId] }, made)
    losing.push({ userId, tenantId })
  }
  return losing
}

/** These groups, as far as the person belongs to their workspaces. `confirmed`: null where nothing is known. */
function ownGroups(query: Query, userId: string, ids: readonly string[]) {
  return query
    .selectFrom('member_groups')
    .innerJoin('memberships', 'memberships.tenant_id', 'member_groups.tenant_id')
    .leftJoin('group_members', (join) =>
      join
        .onRef('group_members.tenant_id', '=', 'member_groups.tenant_id')
        .onRef('group_members.group_id', '=', 'member_groups.id')
        .onRef('group_members.user_id', '=', 'memberships.user_id'),
    )
    .select(['member_groups.tenant_id as tenantId', 'member_groups.id', 'member_groups.name'])
    .select('group_members.confirmed')
    .where('memberships.user_id', '=', userId)
    .where('member_groups.id', 'in', ids)
    .orderBy('member_groups.tenant_id')
    .execute()
}

/** Add people to groups. An owner stands behind them, so they are confirmed.
 * @throws DomainError invalid: a person who is no member */
export async function addMembers(transaction: Recorded, people: PeopleInGroups): Promise<void> {
  const { tenantId, groupIds, userIds } = people
  if (groupIds.length === 0 || userIds.length === 0) return
  const members = selectOf(transaction, 'memberships', tenantId).where('user_id', 'in', userIds)
  if ((await countOf(members)) < userIds.length)
    throw new DomainError('invalid', 'people must be members of the workspace', {
      details: { field: 'people' },
    })
  await markMembers(transaction, people, CONFIRMED)
  await requireFewPatterns(transaction, tenantId, userIds)
}

type PeopleInGroups = { tenantId: string; groupIds: readonly string[]; userIds: readonly string[] }

/** Give each of these people a mark in each of these groups. */
export async function markMembers(
  transaction: Recorded,
  { tenantId, groupIds, userIds }: PeopleInGroups,
  confirmed: GroupMark,
): Promise<void> {
  const rows = groupIds.flatMap((group_id) =>
    userIds.map((user_id) => ({ tenant_id: tenantId, group_id, user_id, confirmed })),
  )
  await transaction
    .insertInto('group_members')
    .values(rows)
    .onConflict((known) => known.columns(['tenant_id', 'group_id', 'user_id']).doUpdateSet({ confirmed }))
    .execute()
}

/** The marks of a person, by the ids of groups. */
export async function marksOf(
  query: Query,
  tenantId: string,
  user_id: string,
): Promise<Map<string, GroupMark>> {
  const rows = selectOf(query, 'group_members', { tenantId, user_id }).select(['group_id', 'confirmed'])
  return new Map((await rows.execute()).map(({ group_id, confirmed }) => [group_id, confirmed]))
}

/** Take from members whom no owner confirmed what groups add, because people sign from now on. */
export async function takeUnconfirmed(transaction: Recorded, stamp: Stamp): Promise<void> {
  const { tenantId } = stamp
  const rows = await selectOf(transaction, 'group_members', tenantId)
    .where('confirmed', '=', UNCONFIRMED)
    .select('user_id')
    .distinct()
    .execute()
  await takeFrom(transaction, { tenantId, userIds: rows.map(({ user_id }) => user_id) }, madeBy(stamp))
}

/** These members lose what a group gave. Their remembered approvals end, and their limit begins anew. Their memberships
 * are locked, so that no concurrent decision counts what they lose. */
export async function takeFrom(
  transaction: Recorded,
  { tenantId, userIds }: { tenantId: string; userIds: readonly string[] },
  made: EventOrigin,
): Promise<void> {
  for (const userId of userIds.toSorted()) {
    await updateOf(transaction, 'memberships', { tenantId, user_id: userId })
      .set({ limited_at: made.at })
      .execute()
    await endGrants(transaction, { tenantId, userId }, { ...made, reason: 'role_changed' })
  }
}
