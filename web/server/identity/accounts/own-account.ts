import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type OwnExchange, serveOwn } from '../../http/own-endpoints.ts'
import { headersToHandOn } from '../../http/request-headers.ts'
import type { ApiConnection } from '../../internal-api/api-connection.ts'
import type { Sessions } from '../../sessions/sessions.ts'

export type OwnAccountOptions = { api: ApiConnection; sessions: Sessions }

/** What a signed-in person changes about their local account. */
export function addOwnAccountRoutes(app: FastifyInstance, options: OwnAccountOptions): void {
  const { sessions } = options
  serveOwn(app, 'changeOwnPassword', async ({ request, reply, body }) => {
    const { session, headers, call } = await signedIn(options, request)
    const changed = await call('PUT', '/api/v1/auth/password', { body, headers })
    await sessions.store.removeAll({ idpUserId: session.idpUserId })
    await sessions.begin(request, reply, { ...session, epoch: changed.epoch ?? 0 })
    return changed
  })
  serveOwn(app, 'changeOwnEmail', async ({ request, body }) => {
    const { headers, call } = await signedIn(options, request)
    await call('PUT', '/api/v1/auth/email', { body, headers })
    return { ok: true }
  })
}

/** The session of a signed-in person, and how this layer calls the API for them.
 * @throws Refusal unauthorized */
export async function signedIn({ api, sessions }: OwnAccountOptions, request: FastifyRequest) {
  const session = await sessions.required(request)
  const { userId, personalTenantId: tenantId, epoch } = session
  return { session, headers: headersToHandOn(request), call: api.callFor({ userId, tenantId, epoch }) }
}

/** The account that the API accepted. `joined_tenant_id`: the tenant to begin in, instead of the personal one. */
type SignedInAccount = {
  user_id: string
  tenant_id: string
  joined_tenant_id?: string
  epoch?: number | undefined
}

/** Begin the session of a person whom the API let in. */
export async function beginSession(
  sessions: Sessions,
  { request, reply }: OwnExchange,
  account: SignedInAccount,
) {
  const { user_id: userId, tenant_id: personalTenantId, joined_tenant_id: joined, epoch = 0 } = account
  await sessions.begin(request, reply, {
    idpUserId: `user_${userId}`,
    userId,
    personalTenantId,
    tenantId: joined ?? personalTenantId,
    providerSessionId: null,
    idToken: null,
    epoch,
  })
  return { ok: true } as const
}
