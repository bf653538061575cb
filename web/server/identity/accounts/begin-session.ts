import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../../sessions/sessions.ts'

/** Whom the API let in. `joined_tenant_id`: the tenant to begin in, instead of the personal one. */
type NewSession = { user_id: string; tenant_id: string; joined_tenant_id?: string }

/** Begins the session of a person whom the API let in. */
export type BeginSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  account: NewSession,
) => Promise<{ ok: true }>

export function sessionBeginner(sessions: Sessions): BeginSession {
  return async (request, reply, account) => {
    const { user_id: userId, tenant_id: personalTenantId, joined_tenant_id: joined } = account
    const signIn = {
      idpUserId: `user_${userId}`,
      userId,
      personalTenantId,
      providerSessionId: null,
      idToken: null,
    }
    await sessions.begin(request, reply, { ...signIn, tenantId: joined ?? personalTenantId })
    return { ok: true }
  }
}
