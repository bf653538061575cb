import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import type { RequestStore } from './request-store.ts'
import type { ProvidedChange, UserStore } from './user.ts'

export type ProvidedUserParts = { users: UserStore; requests: RequestStore; clock: ClockAndIds }

/** Take over what the identity provider says of a user. Somebody who is gone approves nothing any more: what they
 * approved and nobody fetched is removed.
 * @throws DomainError not_found: nobody has this id */
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
