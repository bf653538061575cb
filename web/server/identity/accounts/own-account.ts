import type { FastifyInstance, FastifyRequest } from 'fastify'
import { serveOwn } from '../../http/own-endpoints.ts'
import { unauthorized } from '../../http/refusal.ts'
import { headersToHandOn } from '../../http/request-headers.ts'
import type { ApiConnection } from '../../internal-api/api-connection.ts'
import type { Sign } from '../../internal-api/signed-call.ts'
import type { Session } from '../../sessions/session-store.ts'
import type { Sessions } from '../../sessions/sessions.ts'

export type OwnAccountOptions = { api: ApiConnection; sessions: Sessions; sign: Sign }

/** What a signed-in person changes about their local account. */
export function addOwnAccountRoutes(app: FastifyInstance, options: OwnAccountOptions): void {
  const { api, sessions } = options
  serveOwn(app, 'changeOwnPassword', async ({ request, reply, body }) => {
    const session = await signedIn(sessions, request)
    const path = '/api/v1/auth/password'
    const call = { request, method: 'PUT', path, body } as const
    await api.call('PUT', path, { body, headers: headersFor(session, call, options) })
    await sessions.store.removeAll({ idpUserId: session.idpUserId })
    const { idpUserId, userId, personalTenantId, tenantId, providerSessionId, idToken } = session
    const signIn = { idpUserId, userId, personalTenantId, tenantId, providerSessionId, idToken }
    await sessions.begin(request, reply, signIn)
    return { ok: true }
  })
  serveOwn(app, 'changeOwnEmail', async ({ request, body }) => {
    const session = await signedIn(sessions, request)
    const path = '/api/v1/auth/email'
    const call = { request, method: 'PUT', path, body } as const
    await api.call('PUT', path, { body, headers: headersFor(session, call, options) })
    return { ok: true }
  })
}

/** @throws Refusal unauthorized */
export async function signedIn(sessions: Sessions, request: FastifyRequest): Promise<Session> {
  const session = await sessions.find(request)
  if (!session) throw unauthorized()
  return session
}

type Change = { request: FastifyRequest; method: 'POST' | 'PUT'; path: string; body: object }

/** The headers of a call that this layer makes for the person of a session. */
export function headersFor(
  { userId, personalTenantId }: Session,
  { request, method, path, body }: Change,
  { sign }: OwnAccountOptions,
): Record<string, string> {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const caller = { userId, tenantId: personalTenantId }
  return {
    ...headersToHandOn(request),
    ...sign(caller, { method, path, body: bytes, clientAddress: request.ip }),
  }
}
