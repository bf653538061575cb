import { DomainError } from '../base/errors.ts'
import { type Arrival, momentOf } from '../base/stamp.ts'
import type { EndApprovals } from './member.ts'
import type { ProvidedChange, SignOut, UserStore } from './user.ts'

/*
 * An identity provider reports changes of its users: a new e-mail, or that a user is gone. A user who is gone is
 * inactive at once, and what they approved and no client has fetched is removed.
 */

export type ProvidedUserParts = { users: UserStore; endApprovals: EndApprovals } & Arrival

/** Apply a change that the identity provider reports.
 * @throws DomainError not_found: no user has this id */
export async function changeProvidedUser(
  { users, endApprovals, ...arrival }: ProvidedUserParts,
  idpUserId: string,
  change: ProvidedChange,
): Promise<void> {
  const userId = await users.change(idpUserId, change, momentOf(arrival))
  if (userId === null) throw new DomainError('not_found', 'User not found')
  if (change.isActive === false) await endApprovals({ userId, tenantId: null })
}

/** Record that sessions of a user ended.
 * @throws DomainError not_found: no user has this id */
export async function recordSignOut(
  { users, ...arrival }: { users: UserStore } & Arrival,
  idpUserId: string,
  ended: SignOut,
): Promise<void> {
  const isKnown = await users.recordSignOut(idpUserId, ended, momentOf(arrival))
  if (!isKnown) throw new DomainError('not_found', 'User not found')
}
