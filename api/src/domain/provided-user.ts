import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import type { RequestStore } from './request-store.ts'
import type { ProvidedChange, UserStore } from './user.ts'

/*
 * An identity provider reports changes of its users: a new e-mail, or that a user is gone. A user who is gone is inactive
 * at once, and what they approved and no client has fetched is removed.
 */

export type ProvidedUserParts = { users: UserStore; requests: RequestStore; clock: ClockAndIds }

/** Apply a change that the identity provider reports.
 * @throws DomainError not_found: no user has this id */
export async function changeProvidedUser(
  { users, requests, clock }: ProvidedUserParts,
  idpUserId: string,
  change: ProvidedChange,
): Promise<void> {
  const userId = await users.change(idpUserId, change, timestamp(clock))
  if (userId === null) throw new DomainError('not_found', 'User not found')
  if (change.isActive === false) {
    await requests.removeApprovedBy({ userId, tenantId: null }, clock.now().getTime())
  }
}
