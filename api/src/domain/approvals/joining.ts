import type { UsedToken } from '@keyferry/crypto/invitation-token'
import { hashToken } from '@keyferry/crypto/token'
import { timestamp } from '../base/clock-and-ids.ts'
import { type Arrival, momentOf } from '../base/stamp.ts'
import { type AccountStore, createInvitedAccount } from '../people/account.ts'
import { emailUnverified, type InvitationStore, invitationNotFound } from '../people/invitation.ts'
import type { Visitor } from '../people/membership.ts'
import type { Tenant } from '../people/tenant.ts'
import type { Home, UserStore } from '../people/user.ts'
import { removeApprovalsOf } from './ending.ts'
import { type LeavingParts, REMOVAL } from './leaving.ts'

type JoiningParts<Stores> = LeavingParts & { stores: Stores & { invitations: InvitationStore } }

/** Join by a token. If the person takes the place of a member, what that member approved ends.
 * @throws DomainError not_found (unknown, used, expired or another person's) · email_unverified (it is for the user's
 * e-mail, which the identity provider has not verified) */
export async function acceptInvitation(
  parts: JoiningParts<unknown>,
  { userId, origin }: Pick<Visitor, 'userId' | 'origin'>,
  { token, isMailed }: UsedToken,
): Promise<Tenant> {
  const { clock, stores } = parts
  const [tokenHash, membershipId, now] = [hashToken(token), clock.newId(), timestamp(clock)]
  const acceptance = { tokenHash, userId, membershipId, now, isMailed, origin }
  const joined = await parts.together(async (own) => {
    const accepted = await own.acceptInvitation(acceptance)
    if (accepted?.left)
      await removeApprovalsOf(own, parts, { userId: accepted.left, tenantId: accepted.tenant.id })
    return accepted
  }, REMOVAL)
  if (joined) return joined.tenant
  throw (await stores.invitations.waitsForVerification(acceptance)) ? emailUnverified() : invitationNotFound()
}

/** Create an account for the e-mail that an invitation is for, and join by it.
 * @throws DomainError what `createInvitedAccount` and `acceptInvitation` throw */
export async function joinWithAccount(
  { origin, ...parts }: JoiningParts<{ accounts: AccountStore; users: UserStore }> & Arrival,
  { password, ...used }: UsedToken & { password: string },
): Promise<Home & { joined_tenant_id: string }> {
  const { clock, stores } = parts
  const arrival = { clock, origin }
  const userId = await createInvitedAccount(stores, { ...used, password }, arrival)
  const { id, role } = await acceptInvitation(parts, { userId, origin }, used)
  // Joining signs in, and a later sign-in from elsewhere is new only beside an earlier one.
  await stores.users.recordSignIn(`user_${userId}`, momentOf(arrival))
  return { user_id: userId, epoch: 0, tenant_id: id, role, joined_tenant_id: id }
}
