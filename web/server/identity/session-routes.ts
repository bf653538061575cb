import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, unauthorized } from '../refusal.ts'
import { type OriginRules, requireSameOrigin } from '../same-origin.ts'
import type { Session } from '../session-store/session-store.ts'
import type { Sessions } from './sessions.ts'

/** Enough of a token's hash to tell a person's sessions apart; nobody signs in with it. */
const PUBLIC_ID_LENGTH = 16

export type SessionRoutesOptions = {
  sessions: Sessions
  originRules: () => OriginRules
  /** Where the browser goes once its session here has ended: an address of ours, or the provider's. */
  afterSignOut: (session: Session | null) => Promise<string>
}

/** Sign-out, and what a person can see and end of the own sessions. */
export function addSessionRoutes(app: FastifyInstance, options: SessionRoutesOptions): void {
  const { sessions, originRules, afterSignOut } = options
  const signedIn = async (request: FastifyRequest): Promise<Session> => {
    requireSameOrigin(request, originRules())
    const session = await sessions.find(request)
    if (!session) throw unauthorized()
    return session
  }
  app.post('/sign-out', async (request, reply) => {
    requireSameOrigin(request, originRules())
    return await leave(request, reply, await afterSignOut(await sessions.end(request, reply)))
  })
  app.get('/auth/sessions', async (request) => {
    const current = await signedIn(request)
    return (await sessions.list(current)).map((session) => shown(session, current))
  })
  app.delete<{ Params: { id: string } }>('/auth/sessions/:id', async (request) => {
    const own = await sessions.list(await signedIn(request))
    const ended = own.find((session) => publicId(session) === request.params.id)
    if (!ended) throw new Refusal(404, 'not_found', 'session not found')
    await sessions.store.remove(ended.tokenHash)
    return { ok: true }
  })
  app.post('/auth/sessions/end-all', async (request, reply) => {
    const session = await signedIn(request)
    await sessions.store.removeAll({ idpUserId: session.idpUserId })
    return await leave(request, reply, await afterSignOut((await sessions.end(request, reply)) ?? session))
  })
}

/** A form is led on; a script is told where to go. */
async function leave(request: FastifyRequest, reply: FastifyReply, address: string): Promise<unknown> {
  const isForm = request.headers.accept?.includes('text/html') === true
  return isForm ? reply.redirect(address, 303) : { ok: true, redirect_to: address }
}

function publicId({ tokenHash }: Session): string {
  return tokenHash.slice(0, PUBLIC_ID_LENGTH)
}

function shown(session: Session, current: Session) {
  return {
    id: publicId(session),
    user_agent: session.userAgent,
    created_at: new Date(session.createdAtMs).toISOString(),
    last_seen_at: new Date(session.lastSeenAtMs).toISOString(),
    current: session.tokenHash === current.tokenHash,
  }
}
