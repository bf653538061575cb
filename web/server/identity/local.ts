import type { EnsuredUser } from '@keyferry/contract'
import type { z } from 'zod'
import { serveOwn } from '../http/own-endpoints.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Identity } from './identity.ts'

const LOCAL_USER = { idp_user_id: 'user_local', email: 'local@keyferry.localhost' }

/** Every caller is the server's one user. On Linux only the server's own user and root get in; elsewhere anyone on the
 * machine does. */
export function localIdentity(api: ApiConnection): Identity {
  const ensured = once(() => api.call('POST', '/api/v1/users/ensure', { body: LOCAL_USER }))
  let chosenTenantId: string | null = null
  return {
    async identify() {
      const user: z.output<typeof EnsuredUser> = await ensured()
      const personalTenantId = user.tenant_id
      return { userId: user.user_id, tenantId: chosenTenantId ?? personalTenantId, personalTenantId }
    },
    async isSignedIn() {
      return true
    },
    async chooseTenant(_request, _reply, tenantId) {
      chosenTenantId = tenantId
    },
    requireOneSession: () => null,
    async isSetupRequired() {
      return false
    },
    signInPath: () => '/',
    addRoutes(app) {
      serveOwn(app, 'showSignIn', async ({ reply }) => reply.redirect('/', 302))
      serveOwn(app, 'showSignUp', async ({ reply }) => reply.redirect('/', 302))
    },
  }
}

/** Keep the first success. After a failure, the next caller tries again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | null = null
  return () => {
    kept ??= work().catch((error: unknown) => {
      kept = null
      throw error
    })
    return kept
  }
}
