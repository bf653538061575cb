import { emailKey } from '../../domain/base/email.ts'
import type { Event } from '../../domain/base/event.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { ProvidedChange, ProvidedEmail } from '../../domain/people/user.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { endProposalsOf } from './proposal-ends.ts'
import { PROVIDER, recordOfUser } from './user-events.ts'

type Change = { idpUserId: string; change: ProvidedChange; moment: Moment }

/** Take over what the identity provider says of a user, and record what it changed.
 * @returns the user's id; null when no user has this id at the provider */
export async function changeProvided(
  transaction: Recorded,
  { idpUserId, change, moment }: Change,
): Promise<string | null> {
  const { email, isActive } = change
  const before = await transaction
    .updateTable('users')
    .set({ updated_at: moment.at })
    .where('idp_user_id', '=', idpUserId)
    .returning(['id', 'email', 'is_active'])
    .executeTakeFirst()
  if (!before) return null
  if (email && (await applyEmail(transaction, before.id, email)) && email.address !== before.email) {
    const origin = email.isVerified ? { ...moment.origin, email: email.address } : moment.origin
    const data = { changed: ['email'] }
    const event = { action: 'user.changed', actor: PROVIDER, at: moment.at, data, origin } as const
    await recordOfUser(transaction, before.id, event)
  }
  if (isActive !== undefined && flag(isActive) !== before.is_active)
    await applyActive(transaction, before.id, { isActive, actor: PROVIDER, moment })
  return before.id
}

/** Let a user act again, or no more. Each workspace of the user records it, because their part there begins or ends. */
export async function applyActive(
  transaction: Recorded,
  userId: string,
  { isActive, actor, moment }: { isActive: boolean; actor: Event['actor']; moment: Moment },
): Promise<void> {
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
    transaction.record({ tenantId, action, actor, target, ...moment })
    if (!isActive) await endProposalsOf(transaction, { tenantId, userId }, { actor, ...moment })
  }
}

// Events can arrive out of order: what the provider stated last counts. False when it counted already.
async function applyEmail(
  query: Query,
  id: string,
  { address, isVerified, asOf }: ProvidedEmail,
): Promise<boolean> {
  const update = query
    .updateTable('users')
    .set({ email: address, email_key: emailKey(address), email_verified: isVerified ? 1 : 0 })
    .where('id', '=', id)
  if (asOf === null) {
    await update.execute()
    return true
  }
  const { numUpdatedRows } = await update
    .set({ email_as_of: asOf })
    .where((either) => either.or([either('email_as_of', 'is', null), either('email_as_of', '<=', asOf)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
