import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { SignOut } from '../../domain/people/user.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { endGrants } from './grant-ends.ts'

/*
 * What happens to a user is recorded in the audit log of the workspace that the user starts in.
 */

/** The event of a sign-in. */
export function signedIn(tenantId: string, userId: string, moment: Moment): Event {
  const target = { kind: 'user', id: userId, name: null } as const
  return { tenantId, action: 'user.signed_in', target, ...madeBy({ by: userId, ...moment }) }
}

type Ended = { idpUserId: string; reason: SignOut['reason']; moment: Moment }

/** Ends of all sessions of a person: what terminals may repeat for that person ends with them. */
const ENDS_ALL: ReadonlySet<SignOut['reason']> = new Set(['all_sessions', 'provider'])

/** Record that sessions ended: the person ended them, or the identity provider.
 * @returns false when no user has this id at the provider */
export async function recordSignOut(
  transaction: Recorded,
  { idpUserId, reason, moment }: Ended,
): Promise<boolean> {
  const user = await transaction
    .selectFrom('users')
    .select('id')
    .where('idp_user_id', '=', idpUserId)
    .executeTakeFirst()
  if (!user) return false
  const actor = reason === 'provider' ? PROVIDER : ({ kind: 'user', id: user.id } as const)
  const event = { action: 'user.signed_out', actor, data: { reason }, ...moment } as const
  await recordOfUser(transaction, user.id, event)
  if (ENDS_ALL.has(reason)) {
    const end = { reason: 'signed_out', actor, ...moment } as const
    await endGrants(transaction, { userId: user.id }, end)
  }
  return true
}

/** Who acts where the identity provider reports something. */
export const PROVIDER = { kind: 'server', id: null } as const

/** Record what happened to a user. */
export async function recordOfUser(
  transaction: Recorded,
  userId: string,
  event: Omit<Event, 'tenantId' | 'target'>,
): Promise<void> {
  const tenantId = await findHome(transaction, userId)
  if (tenantId === null) return
  transaction.record({ ...event, tenantId, target: { kind: 'user', id: userId, name: null } })
}

export async function findHome(query: Query, userId: string): Promise<string | null> {
  const rows = await query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.owner_id'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .orderBy('memberships.created_at')
    .orderBy('tenants.id')
    .execute()
  return (rows.find(({ owner_id }) => owner_id === userId) ?? rows[0])?.id ?? null
}
