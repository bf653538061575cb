import type { UsedToken } from '@keyferry/crypto/invitation-token'
import { hashToken } from '@keyferry/crypto/token'
import { timestamp } from '../base/clock-and-ids.ts'
import { emailUnverified, type InvitationStore, invitationNotFound } from '../people/invitation.ts'
import type { Visitor } from '../people/membership.ts'
import type { Tenant } from '../people/tenant.ts'
import { removeApprovalsOf } from './ending.ts'
import { type LeavingParts, REMOVAL } from './leaving.ts'

export type JoiningParts = LeavingParts & { stores: { invitations: InvitationStore } }

/** Join by a token. If the person takes the place of a member, what that member approved ends.
 * @throws DomainError not_found (unknown, used, expired or another person's) · email_unverified (it is for the user's
 * e-mail, which the identity provider has not verified) */
export async function acceptInvitation(
  parts: JoiningParts,
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
