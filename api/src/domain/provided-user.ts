import type { ApprovalStore } from './approval-store.ts'
import { DomainError } from './errors.ts'
import { type Source, timestamp } from './source.ts'
import type { ProvidedChange, UserStore } from './user.ts'

export type ProvidedUserParts = { users: UserStore; approvals: ApprovalStore; source: Source }

/** Take over what the identity provider says of a user. Somebody who is gone approves nothing any more: what they
 * approved and nobody fetched is removed.
 * @throws DomainError not_found: nobody has this id */
export async function changeProvidedUser(
  { users, approvals, source }: ProvidedUserParts,
  idpUserId: string,
  change: ProvidedChange,
): Promise<void> {
  const userId = await users.change(idpUserId, change, timestamp(source))
  if (userId === null) throw new DomainError('not_found', 'User not found')
  if (change.isActive === false) await approvals.removeApprovedBy(userId, source.now().getTime())
}
