import { changeProvidedUser, type ProvidedUserParts, recordSignOut } from '../domain/people/provided-user.ts'
import { ensureUser } from '../domain/people/user.ts'
import { removeApprovalsOf } from '../domain/requests/approver-removal.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type UserEndpoint = 'ensureUser' | 'changeProvidedUser' | 'recordSignOut'

export function userHandlers({
  stores,
  clock,
  requestParts,
  authMode,
}: HandlerParts): Pick<Handlers, UserEndpoint> {
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
      return ensured.created ? { status: 201, body: ensured } : { status: 200, body: ensured }
    },
    async changeProvidedUser({ params, body, peer }) {
      const arrival = { clock, origin: originOf(peer) }
      const parts: ProvidedUserParts = {
        users: stores.users,
        endApprovals: (approver) => removeApprovalsOf(requestParts, approver),
        ...arrival,
      }
      const change = {
        ...(body.email === undefined ? {} : { email: providedEmail(body.email, body) }),
        ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
      }
      await changeProvidedUser(parts, params.idp_user_id, change)
      return { status: 200, body: { ok: true } }
    },
    async recordSignOut({ params, body, peer }) {
      const parts = { users: stores.users, clock, origin: originOf(peer) }
      await recordSignOut(parts, params.idp_user_id, body)
      return { status: 200, body: { ok: true } }
    },
  }
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
