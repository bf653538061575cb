import { emailKey } from '../../domain/base/email.ts'
import { type Event, type EventOrigin, madeBy } from '../../domain/base/event.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { Ended, HomeTenant, ProvidedChange, ProvidedEmail, SignOut } from '../../domain/people/user.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import { flag } from '../base/tables.ts'
import { endWaiting } from './approval-keys.ts'
import { endCredentials } from './credential-ends.ts'
import { credentials } from './credentials.ts'
import { endGrants } from './grant-ends.ts'
import { identitiesOf, personOf } from './person-identities.ts'
import { endProposalsOf } from './proposal-ends.ts'

/*
 * What happens to a user is recorded in the audit log of the workspace that the user starts in.
 */

export function signedIn(tenantId: string, userId: string, moment: Moment): Event {
  const target = { kind: 'user', id: userId, name: null } as const
  return { action: 'user.signed_in', target, ...madeBy({ tenantId, by: userId, ...moment }) }
}

/** Record that sessions ended: the person ended them, or the identity provider. What terminals may repeat for a person
 * ends with all their sessions. An order of the provider leaves out a session that began after it, so it ends no epoch.
 * @returns null when no user has this id at the provider */
export async function recordSignOut(
  transaction: Recorded,
  idpUserId: string,
  { reason, ...moment }: SignOut & Moment,
): Promise<Ended | null> {
  const id = await personOf(transaction, idpUserId)
  if (id === null) return null
  const actor = reason === 'provider' ? PROVIDER : ({ kind: 'user', id } as const)
  const event = { action: 'user.signed_out', actor, data: { reason }, ...moment } as const
  await recordOfUser(transaction, id, event)
  const end = { actor, ...moment }
  let remembered_ended = 0
  if (reason === 'all_sessions') remembered_ended = await endCredentials(transaction, id, end)
  if (reason === 'provider')
    remembered_ended = await endGrants(transaction, { userId: id }, { reason: 'signed_out', ...end })
  return { ended: await identitiesOf(transaction, id), remembered_ended }
}

/** Who acts where the identity provider reports something. */
const PROVIDER = { kind: 'server', id: null } as const

export async function recordOfUser(
  transaction: Recorded,
  userId: string,
  event: Omit<Event, 'tenantId' | 'target'>,
): Promise<void> {
  const home = await findHome(transaction, userId)
  if (home === null) return
  transaction.record({ ...event, tenantId: home.tenant_id, target: { kind: 'user', id: userId, name: null } })
}

export async function findHome(query: Query, userId: string): Promise<HomeTenant | null> {
  const rows = await query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.owner_id', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.created_at')
    .orderBy('tenants.id')
    .execute()
  const owned = rows.filter(({ role }) => role === 'owner')
  const home = owned.find(({ owner_id }) => owner_id === userId) ?? owned[0] ?? rows[0]
  return home === undefined ? null : { tenant_id: home.id, role: home.role }
}

/** Take over what the identity provider says of a user, and record what it changed.
 * @returns the user's id; null when no user has this id at the provider */
export async function changeProvided(
  transaction: Recorded,
  idpUserId: string,
  { email, isActive, ...moment }: ProvidedChange & Moment,
): Promise<string | null> {
  const id = await personOf(transaction, idpUserId)
  if (id === null) return null
  const before = await transaction
    .updateTable('users')
    .set({ updated_at: moment.at })
    .where('id', '=', id)
    .returning(['id', 'email', 'is_active'])
    .executeTakeFirst()
  if (!before) return null
  if (email && (await applyEmail(transaction, before.id, email)) && email.address !== before.email) {
    const origin = email.isVerified ? { ...moment.origin, email: email.address } : moment.origin
    const event = { action: 'user.changed', actor: PROVIDER, data: { changed: ['email'] } } as const
    await recordOfUser(transaction, before.id, { ...event, ...moment, origin })
  }
  if (isActive !== undefined && flag(isActive) !== before.is_active)
    await applyActive(transaction, before.id, { isActive, actor: PROVIDER, ...moment })
  return before.id
}

/** Let a user act again, or no more. Each workspace of the user records it, because their part there begins or ends.
 * What their credentials gave before ends both times.
 * @returns how many remembered approvals ended */
export async function applyActive(
  transaction: Recorded,
  userId: string,
  { isActive, ...made }: EventOrigin & { isActive: boolean },
): Promise<number> {
  await transaction
    .updateTable('users')
    .set({ is_active: flag(isActive) })
    .where('id', '=', userId)
    .execute()
  const rows = await transaction
    .selectFrom('memberships')
    .select('tenant_id')
    .where('user_id', '=', userId)
    .orderBy('tenant_id')
    .execute()
  const action = isActive ? 'user.reactivated' : 'user.deactivated'
  const target = { kind: 'user', id: userId, name: null } as const
  for (const { tenant_id: tenantId } of rows) {
    transaction.record({ tenantId, action, target, ...made })
    if (isActive) continue
    await endWaiting(transaction, { tenantId, userId })
    await endProposalsOf(transaction, { tenantId, userId }, made)
  }
  return await endCredentials(transaction, userId, { reason: 'person_removed', ...made })
}

// Events can arrive out of order: what the provider stated last counts. False when it counted already, or when another
// person signs in here with this address.
async function applyEmail(query: Query, id: string, { address, isVerified, asOf }: ProvidedEmail) {
  const update = query
    .updateTable('users')
    .set(addressColumns(address, isVerified))
    .where('id', '=', id)
    .where(credentials.mayHaveAddress(id, address))
  if (asOf === null) return hasChanged(update)
  const isNewer = update.where((either) =>
    either.or([either('email_as_of', 'is', null), either('email_as_of', '<=', asOf)]),
  )
  return hasChanged(isNewer.set({ email_as_of: asOf }))
}

/** An address as the identity provider or an account states it. The person proved to read it if the provider verified
 * it. Who invites a person chooses the address of the account, so an account alone proves none: see `proveEmail`. */
export function addressColumns(email: string, isVerified: boolean, isOfAccount = false) {
  const email_key = emailKey(email)
  const proven_key = isVerified && !isOfAccount ? email_key : null
  return { email, email_key, email_verified: flag(isVerified), proven_key }
}

/** Note that the person proved to read their present address: they used a link that only a mail to it had, or the
 * set-up code.
 * @param isReplacing also where they proved another one before. Only the link of the new address proves that: it is
 *   sent together with a warning to the one before */
export async function proveEmail(query: Query, userId: string, isReplacing = false): Promise<void> {
  const proof = query.updateTable('users').set((users) => ({ proven_key: users.ref('email_key') }))
  const ofUser = proof.where('id', '=', userId)
  await (isReplacing ? ofUser : ofUser.where('proven_key', 'is', null)).execute()
}

/** The address went to another person, so this one proves nothing until the identity provider states their own. */
export async function disproveEmail(query: Query, userId: string): Promise<void> {
  const address = { email_verified: flag(false), proven_key: null }
  await query.updateTable('users').set(address).where('id', '=', userId).execute()
}
