import type { ExpressionBuilder } from 'kysely'
import { z } from 'zod'
import type { EventOrigin } from '../../domain/base/event.ts'
import {
  type ChangedLink,
  type EndedLink,
  type LinkOutcome,
  type LinkReads,
  type LinkRefusal,
  type LinkStore,
  type LinkTerms,
  linkTimes,
  mayEnd,
  type UndoRefusal,
  undoableUntil,
  type WantedLink,
} from '../../domain/people/person-link.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import type { Tables } from '../base/tables.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { touchRules } from '../rules/set-rules.ts'
import { endGrants } from './grant-ends.ts'
import { type MovedMembership, moveMembership } from './membership-moves.ts'
import { removePasskeys } from './passkeys.ts'
import { identitiesOf, personOf } from './person-identities.ts'
import { holdTenant } from './tenants.ts'

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

export function createLinkReads({ query }: Queries): LinkReads {
  return {
    async listOf(userId, now) {
      const links = await openLinks(query, now).where(concerns(userId)).execute()
      return {
        links: links.map(({ id, linked_at, counts_from }) => ({
          id,
          linked_at,
          counts_from,
          undoable_until: linked_at && undoableUntil(linked_at, now),
        })),
        offered: await hasNamesake(query, userId),
      }
    },
  }
}

/** The links of ways to sign in, in a transaction. */
export function linksIn(transaction: Recorded): LinkStore {
  return {
    link: (wanted, terms) => link(transaction, wanted, terms),
    undo: (which, terms) => undo(transaction, which, terms),
  }
}

const OPEN = [
  'id',
  'idp_user_id',
  'user_id',
  'from_user_id',
  'state',
  'deeds',
  'linked_at',
  'counts_from',
] as const

/** Links, and those that wait to be one. */
export function openLinks(query: Query, now: string) {
  return query
    .selectFrom('person_links')
    .select(OPEN)
    .where((row) =>
      row.or([
        row('state', '=', 'linked'),
        row.and([row('state', '=', 'waiting'), row('created_at', '>', linkTimes(now).waitingSince)]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
}

// Both sides see a link that waits, so that either can stop it.
function concerns(userId: string) {
  return (row: ExpressionBuilder<Tables, 'person_links'>) =>
    row.or([
      row('user_id', '=', userId),
      row.and([row('from_user_id', '=', userId), row('state', '=', 'waiting')]),
    ])
}

async function linkOfWay(query: Query, idpUserId: string) {
  const links = query.selectFrom('person_links').select(['id', 'linked_at'])
  const row = links.where('idp_user_id', '=', idpUserId).where('state', '=', 'linked')
  return (await row.executeTakeFirst()) ?? null
}

// Another active person with the same verified address, who is not linked to this one already.
function hasNamesake(query: Query, userId: string): Promise<boolean> {
  const rows = query
    .selectFrom('users as own')
    .innerJoin('users as other', 'other.email_key', 'own.email_key')
    .leftJoin('person_links as links', (join) =>
      join.onRef('links.from_user_id', '=', 'other.id').on('links.state', '=', 'linked'),
    )
    .where('own.id', '=', userId)
    .whereRef('other.id', '<>', 'own.id')
    .where('own.email_verified', '=', 1)
    .where('other.email_verified', '=', 1)
    .where('other.is_active', '=', 1)
    .where('links.id', 'is', null)
  return isFound(rows)
}

const ADDRESS = ['email', 'email_key', 'email_verified', 'proven_key'] as const

type User = Pick<Tables['users'], 'id' | 'is_active' | 'password_hash' | (typeof ADDRESS)[number]>
type Pair = { old: User; fresh: User | null; idpUserId: string }

async function link(transaction: Recorded, wanted: WantedLink, terms: LinkTerms): Promise<LinkOutcome> {
  const pair = await pairOf(transaction, wanted)
  if (typeof pair === 'string') return pair
  const { old, fresh, idpUserId } = pair
  const made = madeIn(terms, old.id)
  if (terms.mayWait && (await asksForTouch(transaction, pair))) {
    const waits = await waitsUntil(transaction, pair, { ...terms, made })
    if (waits !== null) return { waits }
  }
  const ended = [...(await identitiesOf(transaction, old.id)), idpUserId]
  const moved =
    fresh === null ? [] : await moveAll(transaction, { from: fresh.id, to: old.id }, { ...terms, made })
  const password = fresh !== null && (await movePassword(transaction, fresh, old))
  const deeds: Deeds = { moved, password }
  const id = terms.newId()
  // The id of a local account follows from the person, so the one that the password had ends.
  const linkedId = password ? `user_${old.id}` : idpUserId
  const row = { id, idp_user_id: linkedId, user_id: old.id, from_user_id: fresh?.id ?? null }
  const times = { created_at: terms.at, linked_at: terms.at, counts_from: terms.at }
  await transaction
    .insertInto('person_links')
    .values({ ...row, ...times, state: 'linked', deeds: JSON.stringify(deeds) })
    .execute()
  await recordEverywhere(transaction, [old.id], { ...made, action: 'user.linked', id })
  await endGrants(transaction, { userId: old.id }, { ...made, reason: 'signed_out' })
  return { id, ended, left: fresh?.id ?? null }
}

async function pairOf(
  transaction: Recorded,
  { idpUserId, confirmed }: WantedLink,
): Promise<Pair | LinkRefusal> {
  const oldId = await personOf(transaction, confirmed)
  const freshId = await personOf(transaction, idpUserId)
  if (oldId === null) return 'absent'
  if (oldId === freshId) return 'same'
  await holdTenants(transaction, freshId === null ? [oldId] : [oldId, freshId])
  // In the order of their ids, so that no two links wait for each other.
  const held = await transaction
    .updateTable('users')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', 'in', [oldId, freshId ?? oldId].toSorted())
    .returning(['id', 'is_active', 'password_hash', 'passkey_after_password', ...ADDRESS])
    .execute()
  // Another link, or an undoing, may have come first while this one waited.
  if ((await personOf(transaction, confirmed)) !== oldId) return 'chained'
  if ((await personOf(transaction, idpUserId)) !== freshId) return 'chained'
  const old = held.find(({ id }) => id === oldId)
  if (old?.is_active !== 1) return 'inactive'
  const fresh = held.find(({ id }) => id === freshId) ?? null
  if (fresh === null) return { old, fresh, idpUserId }
  if (fresh.is_active !== 1) return 'inactive'
  const chained = transaction.selectFrom('person_links').where('user_id', '=', fresh.id)
  if (await isFound(chained.where('state', '=', 'linked'))) return 'chained'
  if (fresh.password_hash !== null && old.password_hash !== null) return 'two_passwords'
  if (fresh.password_hash !== null && fresh.passkey_after_password === 1) return 'second_factor'
  return { old, fresh, idpUserId }
}

function madeIn({ actor, at, origin }: LinkTerms, userId: string): EventOrigin {
  return { actor: actor ?? { kind: 'user', id: userId }, at, origin }
}

// Before the people, as every transaction that holds both.
async function holdTenants(transaction: Recorded, userIds: readonly string[]): Promise<void> {
  for (const tenantId of await tenantsOf(transaction, userIds)) await holdTenant(transaction, tenantId)
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

async function asksForTouch(query: Query, { old, fresh }: Pair): Promise<boolean> {
  for (const tenantId of await tenantsOf(query, fresh === null ? [old.id] : [old.id, fresh.id]))
    if ((await touchRules(query, tenantId)).length > 0) return true
  return false
}

type Making = LinkTerms & { made: EventOrigin }

/** Begins to wait, or goes on. @returns null: the wait is over */
async function waitsUntil(
  transaction: Recorded,
  { old, fresh, idpUserId: idp_user_id }: Pair,
  { at, newId, made }: Making,
): Promise<string | null> {
  const { countsFrom, waitingSince } = linkTimes(at)
  const waiting = await transaction
    .deleteFrom('person_links')
    .where('idp_user_id', '=', idp_user_id)
    .where('user_id', '=', old.id)
    .where('state', '=', 'waiting')
    .returning(['created_at', 'counts_from'])
    .executeTakeFirst()
  const isKnown = waiting !== undefined && waiting.created_at > waitingSince
  if (isKnown && waiting.counts_from <= at) return null
  const times = isKnown ? waiting : { created_at: at, counts_from: countsFrom }
  const row = { id: newId(), idp_user_id, user_id: old.id, from_user_id: fresh?.id ?? null }
  await transaction
    .insertInto('person_links')
    .values({ ...row, ...times, linked_at: null, state: 'waiting', deeds: '' })
    .execute()
  const event = { ...made, action: 'user.link_announced', id: row.id } as const
  if (!isKnown) await recordEverywhere(transaction, fresh === null ? [old.id] : [old.id, fresh.id], event)
  return times.counts_from
}

// A workspace that began with the new sign-in and holds nothing stays behind.
async function moveAll(
  transaction: Recorded,
  { from, to }: { from: string; to: string },
  { newId, made }: Making,
): Promise<MovedMembership[]> {
  const moved: (MovedMembership | null)[] = []
  for (const tenantId of await tenantsOf(transaction, [from]))
    if (!(await isUnused(transaction, tenantId)))
      moved.push(await moveMembership(transaction, { tenantId, from, to, membershipId: newId() }, made))
  await endGrants(transaction, { userId: from }, { ...made, reason: 'signed_out' })
  return moved.filter((each) => each !== null)
}

async function isUnused(query: Query, tenantId: string): Promise<boolean> {
  const members = await selectOf(query, 'memberships', tenantId).select('id').limit(2).execute()
  if (members.length > 1) return false
  for (const table of ['bundles', 'keys', 'machines', 'invitations'] as const)
    if (await isFound(selectOf(query, table, tenantId))) return false
  return true
}

/** A local account signs in with its password, so the person takes it over, with its address.
 * @returns whether there was one */
async function movePassword(transaction: Recorded, from: User, to: User): Promise<boolean> {
  const { id: _, is_active: _active, password_hash, ...address } = from
  if (password_hash === null) return false
  const users = () => transaction.updateTable('users')
  await users().set({ password_hash: null }).where('id', '=', from.id).execute()
  await users()
    .set({ password_hash, ...address })
    .where('id', '=', to.id)
    .execute()
  return true
}

async function undo(
  transaction: Recorded,
  { id, by }: EndedLink,
  terms: LinkTerms,
): Promise<ChangedLink | UndoRefusal> {
  const found = openLinks(transaction, terms.at).where('id', '=', id)
  const row = await (by === null ? found : found.where(concerns(by.userId))).executeTakeFirst()
  if (row === undefined) return 'no_link'
  const isWaiting = row.state === 'waiting'
  if (by !== null && !isWaiting && !mayEnd(await linkOfWay(transaction, by.idpUserId), row))
    return 'earlier_way'
  const { user_id: from, from_user_id: to } = row
  const made = madeIn(terms, from)
  await holdTenants(transaction, to === null ? [from] : [from, to])
  const ended = await identitiesOf(transaction, from)
  const ending = transaction.updateTable('person_links').set({ state: 'undone' }).where('id', '=', id)
  if (!(await hasChanged(ending.where('state', '=', row.state)))) return 'no_link'
  const action = isWaiting ? 'user.link_stopped' : 'user.unlinked'
  await recordEverywhere(transaction, isWaiting && to !== null ? [from, to] : [from], { ...made, action, id })
  if (isWaiting) return { id, ended: [], left: null }
  if (to !== null)
    await giveBack(
      transaction,
      { from, to, deeds: deedsOf(row, terms.at), since: row.linked_at ?? '' },
      { ...terms, made },
    )
  await endGrants(transaction, { userId: from }, { ...made, reason: 'signed_out' })
  return { id, ended: [...ended, ...(to === null ? [] : await identitiesOf(transaction, to))], left: from }
}

// After a month the memberships stay. A password always goes with its way.
function deedsOf({ deeds, linked_at }: { deeds: string; linked_at: string | null }, now: string): Deeds {
  const all = Deeds.parse(JSON.parse(deeds))
  return undoableUntil(linked_at ?? '', now) === null ? { ...all, moved: [] } : all
}

async function giveBack(
  transaction: Recorded,
  { from, to, deeds, since }: { from: string; to: string; deeds: Deeds; since: string },
  { newId, made }: Making,
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
  // Passkeys that were added during the link end, or they would count when this person has a password again.
  await removePasskeys(transaction, from)
  const users = transaction.selectFrom('users').select(['id', 'is_active', 'password_hash', ...ADDRESS])
  const [giver, receiver] = await Promise.all(
    [from, to].map((id) => users.where('id', '=', id).executeTakeFirstOrThrow()),
  )
  if (giver && receiver) await movePassword(transaction, giver, receiver)
}

type LinkAction = 'user.linked' | 'user.unlinked' | 'user.link_announced' | 'user.link_stopped'
type LinkEvent = EventOrigin & { action: LinkAction; id: string }

async function recordEverywhere(
  transaction: Recorded,
  people: readonly [string, ...string[]],
  { action, id, actor, at, origin }: LinkEvent,
): Promise<void> {
  const target = { kind: 'user', id: people[0], name: null } as const
  for (const tenantId of await tenantsOf(transaction, people))
    transaction.record({ tenantId, action, actor, at, origin, target, data: { link: id } })
}
