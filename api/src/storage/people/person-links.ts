import { z } from 'zod'
import type { EventOrigin } from '../../domain/base/event.ts'
import {
  type ChangedLink,
  isUndoable,
  LINK_REFUSALS,
  type WantedLink,
} from '../../domain/people/person-link.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import type { Tables } from '../base/tables.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { programs } from '../programs/programs.ts'
import { endCredentials } from './credential-ends.ts'
import { credentials } from './credentials.ts'
import { type MovedMembership, moveMembership } from './membership-moves.ts'
import { identitiesOf, personOf } from './person-identities.ts'
import { lockTenant } from './tenants.ts'
import { disproveEmail } from './user-events.ts'

const Role = z.enum(['owner', 'member'])
const Limit = z.object({ limited_to: z.string().nullable(), limited_at: z.string().nullable() })

/** What a link did, for its undoing. */
const Deeds = z.object({
  moved: z.array(
    z.object({
      tenantId: z.string(),
      role: Role,
      before: Role.nullable(),
      limit: Limit.optional(),
      groups: z.array(z.string()).default([]),
      unconfirmed: z.record(z.string(), z.literal([0, 2])).default({}),
    }),
  ),
  password: z.boolean(),
})
type Deeds = z.infer<typeof Deeds>

/** `made`: by whom and when the link is made or undone. */
type LinkTerms = { made: EventOrigin; newId: () => string }

/** The links that count. */
export function linksOf(query: Query) {
  return query
    .selectFrom('person_links')
    .select(['id', 'user_id', 'from_user_id', 'deeds', 'linked_at'])
    .where('state', '=', 'linked')
    .orderBy('created_at')
    .orderBy('id')
}

type User = Pick<Tables['users'], 'id' | 'is_active'>
type Pair = { old: User; fresh: User | null; idpUserId: string }

/** Link a way to sign in to a person.
 * @returns a text: why it cannot be linked */
export async function linkWay(
  transaction: Recorded,
  wanted: WantedLink,
  terms: LinkTerms,
): Promise<ChangedLink | string> {
  const pair = await pairOf(transaction, wanted)
  if (typeof pair === 'string') return pair
  const { old, fresh, idpUserId } = pair
  const { made, newId } = terms
  const ended = [...(await identitiesOf(transaction, old.id)), idpUserId]
  const remembered = await endBoth(transaction, { from: fresh?.id ?? null, to: old.id }, made)
  const moved = fresh === null ? [] : await moveAll(transaction, { from: fresh.id, to: old.id }, terms)
  const kept = fresh && (await credentials.move(transaction, { from: fresh.id, to: old.id }))
  const id = newId()
  const row = { id, idp_user_id: kept ?? idpUserId, user_id: old.id, from_user_id: fresh?.id ?? null }
  const deeds = { moved, password: kept !== null } satisfies Deeds
  const times = { created_at: made.at, linked_at: made.at }
  await transaction
    .insertInto('person_links')
    .values({ ...row, ...times, state: 'linked', deeds: JSON.stringify(deeds) })
    .execute()
  await recordEverywhere(transaction, old.id, { ...made, action: 'user.linked', id })
  return { id, ended, remembered, left: fresh?.id ?? null }
}

async function pairOf(
  transaction: Recorded,
  { idpUserId, oldIdpUserId }: WantedLink,
): Promise<Pair | string> {
  const oldId = await personOf(transaction, oldIdpUserId)
  const freshId = await personOf(transaction, idpUserId)
  if (oldId === null) return LINK_REFUSALS.absent
  if (oldId === freshId) return LINK_REFUSALS.same
  await lockTenants(transaction, freshId === null ? [oldId] : [oldId, freshId])
  // In the order of their ids, so that no two links wait for each other.
  const locked = await transaction
    .updateTable('users')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', 'in', [oldId, freshId ?? oldId].toSorted())
    .returning(['id', 'is_active'])
    .execute()
  // Another link, or an undoing, may have come first while this one waited.
  if ((await personOf(transaction, oldIdpUserId)) !== oldId) return LINK_REFUSALS.chained
  if ((await personOf(transaction, idpUserId)) !== freshId) return LINK_REFUSALS.chained
  const old = locked.find(({ id }) => id === oldId)
  if (old?.is_active !== 1) return LINK_REFUSALS.inactive
  const fresh = locked.find(({ id }) => id === freshId) ?? null
  if (fresh === null) return { old, fresh, idpUserId }
  if (fresh.is_active !== 1) return LINK_REFUSALS.inactive
  const chained = transaction.selectFrom('person_links').where('user_id', '=', fresh.id)
  if (await isFound(chained.where('state', '=', 'linked'))) return LINK_REFUSALS.chained
  const refusal = await credentials.moveRefusal(transaction, { from: fresh.id, to: old.id })
  return refusal ?? { old, fresh, idpUserId }
}

// Before the people, as every transaction that locks both.
async function lockTenants(transaction: Recorded, userIds: readonly string[]): Promise<void> {
  for (const tenantId of await tenantsOf(transaction, userIds)) await lockTenant(transaction, tenantId)
}

async function tenantsOf(query: Query, userIds: readonly string[]): Promise<string[]> {
  const rows = await query
    .selectFrom('memberships')
    .select('tenant_id')
    .distinct()
    .where('user_id', 'in', userIds)
    .orderBy('tenant_id')
    .execute()
  return rows.map(({ tenant_id }) => tenant_id)
}

// A workspace that began with the new sign-in and contains nothing stays behind.
async function moveAll(
  transaction: Recorded,
  { from, to }: { from: string; to: string },
  { newId, made }: LinkTerms,
): Promise<MovedMembership[]> {
  const moved: (MovedMembership | null)[] = []
  for (const tenantId of await tenantsOf(transaction, [from]))
    if (!(await isUnused(transaction, tenantId)))
      moved.push(await moveMembership(transaction, { tenantId, from, to, membershipId: newId() }, made))
  return moved.filter((each) => each !== null)
}

type Both = { from: string | null; to: string | null }

async function endBoth(transaction: Recorded, { from, to }: Both, made: EventOrigin): Promise<number> {
  let remembered = 0
  // In the order of their ids, as every transaction that locks both.
  for (const userId of [from, to].filter((id) => id !== null).toSorted())
    remembered += await endCredentials(transaction, userId, made)
  return remembered
}

async function isUnused(query: Query, tenantId: string): Promise<boolean> {
  const members = await selectOf(query, 'memberships', tenantId).select('id').limit(2).execute()
  if (members.length > 1) return false
  for (const table of ['bundles', 'keys', 'invitations'] as const)
    if (await isFound(selectOf(query, table, tenantId))) return false
  return (await programs.list(query, tenantId, { limit: 1, offset: 0, after: null })).length === 0
}

/** Undo a link. After a month the memberships stay where they are.
 * @returns null: there is none */
export async function undoLink(
  transaction: Recorded,
  id: string,
  terms: LinkTerms,
): Promise<ChangedLink | null> {
  const row = await linksOf(transaction).where('id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const { user_id: from, from_user_id: to } = row
  const { made } = terms
  await lockTenants(transaction, to === null ? [from] : [from, to])
  const ended = await identitiesOf(transaction, from)
  const ending = transaction.updateTable('person_links').set({ state: 'undone' }).where('id', '=', id)
  if (!(await hasChanged(ending.where('state', '=', 'linked')))) return null
  await recordEverywhere(transaction, from, { ...made, action: 'user.unlinked', id })
  const remembered = await endBoth(transaction, { from, to }, made)
  const since = row.linked_at
  if (to !== null)
    await giveBack(transaction, { from, to, deeds: deedsOf(row.deeds, since, made.at), since }, terms)
  const others = to === null ? [] : await identitiesOf(transaction, to)
  return { id, ended: [...ended, ...others], remembered, left: from }
}

// Credentials always go back. Memberships do so for a month.
function deedsOf(deeds: string, linkedAt: string, now: string): Deeds {
  const all = Deeds.parse(JSON.parse(deeds))
  return isUndoable(linkedAt, now) ? all : { ...all, moved: [] }
}

async function giveBack(
  transaction: Recorded,
  { from, to, deeds, since }: { from: string; to: string; deeds: Deeds; since: string },
  { newId, made }: LinkTerms,
): Promise<void> {
  for (const { tenantId, role, before, limit: own, ...groups } of deeds.moved) {
    // Who was a member already kept their own limit, so the moved one is here only.
    const limit = before === null || own === undefined ? undefined : { ...own, since }
    const move = {
      tenantId,
      from,
      to,
      membershipId: newId(),
      role,
      leaves: before ?? 'removed',
      limit,
      ...groups,
    } as const
    await moveMembership(transaction, move, made)
  }
  if (!deeds.password) return
  await credentials.moveBack(transaction, { from, to })
  await disproveEmail(transaction, from)
}

type LinkEvent = EventOrigin & { action: 'user.linked' | 'user.unlinked'; id: string }

async function recordEverywhere(
  transaction: Recorded,
  userId: string,
  { action, id, actor, at, origin }: LinkEvent,
): Promise<void> {
  const target = { kind: 'user', id: userId, name: null } as const
  for (const tenantId of await tenantsOf(transaction, [userId]))
    transaction.record({ tenantId, action, actor, at, origin, target, data: { link: id } })
}
