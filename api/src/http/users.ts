import { ensureUser } from '../domain/user.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function userHandlers({ stores, source, authMode }: HandlerParts): Pick<Handlers, 'ensureUser'> {
  return {
    async ensureUser({ body }) {
      const profile = { idp_user_id: body.idp_user_id, email: body.email, auth_provider: authMode }
      const ensured = await ensureUser(stores.users, profile, source)
      return ensured.created ? { status: 201, body: ensured } : { status: 200, body: ensured }
    },
  }
}
