import type { FastifyInstance } from 'fastify'
import { type OwnExchange, serveOwn } from '../http/own-endpoints.ts'
import { callerHeaders, headersToHandOn } from '../http/request-headers.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Sessions } from '../sessions/sessions.ts'

type PersonLinkOptions = { api: ApiConnection; sessions: Sessions }

/** Lets the person of this session be the person of the old way to sign in, who just signed in with it.
 * @param confirmed the id of the old way, as ensure-user has it */
export type ConfirmLink = (exchange: OwnExchange, confirmed: string) => Promise<{ ok: true }>

/** A link ends all sessions of both ways, so the browser signs in again. */
export function linkConfirmer({ api, sessions }: PersonLinkOptions): ConfirmLink {
  return async ({ request, reply }, confirmed) => {
    const { idpUserId: idp_user_id } = await sessions.required(request)
    const call = { body: { idp_user_id, confirmed }, headers: callerHeaders(request) }
    const { ended } = await api.call('POST', '/api/v1/auth/links', call)
    await sessions.end(request, reply)
    await sessions.endAll(ended)
    return { ok: true }
  }
}

/** The route that undoes a link, or stops one that waits. */
export function addUndoLink(app: FastifyInstance, { api, sessions }: PersonLinkOptions): void {
  serveOwn(app, 'undoOwnLink', async ({ request, reply, params: { link_id } }) => {
    const { userId, personalTenantId: tenantId, idpUserId: idp_user_id } = await sessions.required(request)
    const call = { params: { link_id }, body: { idp_user_id }, headers: headersToHandOn(request) }
    const path = '/api/v1/auth/links/{link_id}/undo'
    const { ended } = await api.callFor({ userId, tenantId })('POST', path, call)
    // A link that only waited gave no session.
    if (ended.length === 0) return { ok: true, redirect_to: '/account' }
    await sessions.end(request, reply)
    await sessions.endAll(ended)
    return { ok: true, redirect_to: '/sign-in' }
  })
}
