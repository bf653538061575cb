import { changeProvidedUser } from '../domain/approvals/leaving.ts'
import { providedGroups } from '../domain/people/group.ts'
import { ensureUser, recordSignOut } from '../domain/people/user.ts'
import { type Handlers, originOf, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function userHandlers({
  stores,
  clock,
  requestParts,
  authMode,
  takeNewUser,
  usedToken,
  providedGroups: filled,
  signUp,
}: HandlerParts) {
  const parts = { ...stores, clock }
  return {
    async ensureUser({ caller, body, peer }) {
      const profile = {
        idp_user_id: body.idp_user_id,
        email: body.email,
        email_verified: body.email_verified === true,
        email_as_of: canonical(body.as_of),
        auth_provider: authMode,
      }
      const unsigned = caller === 'layer' ? null : { takeNewUser: () => takeNewUser(peer.address) }
      const invitation = body.invitation && usedToken(body.invitation).token
      const arrived = { unsigned, invitation }
      const { epoch, ...home } = await ensureUser(
        { ...parts, signUp, origin: originOf(peer) },
        profile,
        arrived,
      )
      const ensured = caller === 'layer' && epoch > 0 ? { ...home, epoch } : home
      return ensured.created ? new Reply({ status: 201, body: ensured }) : ensured
    },
    async changeProvidedUser({ params, body, peer }) {
      const change = {
        ...(body.email === undefined ? {} : { email: providedEmail(body.email, body) }),
        ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
        ...(body.groups && { groups: providedGroups(filled, body.groups) }),
      }
      await changeProvidedUser({ ...requestParts, origin: originOf(peer) }, params.idp_user_id, change)
    },
    recordSignOut: ({ params, body, peer }) =>
      recordSignOut({ ...parts, origin: originOf(peer) }, params.idp_user_id, body),
  } satisfies Partial<Handlers>
}

function providedEmail(
  address: string,
  body: { email_verified?: boolean | undefined; as_of?: string | undefined },
) {
  return { address, isVerified: body.email_verified === true, asOf: canonical(body.as_of) }
}

// Times are compared as text, so all of them have milliseconds.
function canonical(time: string | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
