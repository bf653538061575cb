import type { FastifyRequest } from 'fastify'
import { serveOwn } from '../http/own-endpoints.ts'
import { callerHeaders } from '../http/request-headers.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Identity } from './identity.ts'

const LOCAL_USER = { idp_user_id: 'user_local', email: 'local@keyferry.localhost' }

/** Every caller is the server's one user. On Linux only the server's own user and root get in; elsewhere anyone on the
 * machine does. */
export function localIdentity(api: ApiConnection): Identity {
  const ensured = once((request: FastifyRequest) =>
    api.call('POST', '/api/v1/users/ensure', { body: LOCAL_USER, headers: callerHeaders(request) }),
  )
  let chosenTenantId: string | null = null
  return {
    async identify(request) {
      const { user_id: userId, tenant_id: personalTenantId } = await ensured(request)
      return { userId, tenantId: chosenTenantId ?? personalTenantId, personalTenantId }
    },
    isSignedIn: async () => true,
    async chooseTenant(_request, _reply, tenantId) {
      chosenTenantId = tenantId
    },
    requireOneSession: () => null,
    signInPath: () => '/',
    addRoutes(app) {
      serveOwn(app, 'showSignIn', async ({ reply }) => reply.redirect('/', 302))
      serveOwn(app, 'showSignUp', async ({ reply }) => reply.redirect('/', 302))
    },
  }
}

/** Keep the first success. After a failure, the next caller tries again. */
function once<A, T>(work: (argument: A) => Promise<T>): (argument: A) => Promise<T> {
  let kept: Promise<T> | null = null
  return (argument) => {
    kept ??= work(argument).catch((error: unknown) => {
      kept = null
      throw error
    })
    return kept
  }
}
