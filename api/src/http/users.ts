import { removeApprovalsOf } from '../domain/approvals/approver-removal.ts'
import { changeProvidedUser, type ProvidedUserParts, recordSignOut } from '../domain/people/provided-user.ts'
import { ensureUser } from '../domain/people/user.ts'
import { type Handlers, originOf, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function userHandlers({ stores, clock, requestParts, authMode }: HandlerParts) {
  return {
    async ensureUser({ body, peer }) {
      const profile = {
        idp_user_id: body.idp_user_id,
        email: body.email,
        email_verified: body.email_verified === true,
        email_as_of: canonical(body.as_of),
        auth_provider: authMode,
      }
      const ensured = await ensureUser(stores.users, profile, { clock, origin: originOf(peer) })
      return ensured.created ? new Reply({ status: 201, body: ensured }) : ensured
    },
    async changeProvidedUser({ params, body, peer }) {
      const parts: ProvidedUserParts = {
        users: stores.users,
        endApprovals: (approver) => removeApprovalsOf(requestParts, approver),
        clock,
        origin: originOf(peer),
      }
      const change = {
        ...(body.email === undefined ? {} : { email: providedEmail(body.email, body) }),
        ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
      }
      await changeProvidedUser(parts, params.idp_user_id, change)
    },
    recordSignOut: ({ params, body, peer }) =>
      recordSignOut({ users: stores.users, clock, origin: originOf(peer) }, params.idp_user_id, body),
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
