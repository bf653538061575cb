import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serveOwn } from '../http/own-endpoints.ts'
import { Refusal } from '../http/refusal.ts'
import type { Session } from './session-store.ts'
import type { Sessions } from './sessions.ts'

/** Enough of a token's hash to distinguish a person's sessions; useless for signing in. */
const PUBLIC_ID_LENGTH = 16

export type SessionRoutesOptions = {
  sessions: Sessions
  /** Where the browser goes after its session has ended: a path of ours, or the provider's sign-out page. */
  afterSignOut: (session: Session | null) => Promise<string>
  /** Records in the audit log that the person ended sessions.
   * @returns all ways to sign in as this person, and how many remembered approvals ended; null: unknown */
  recordEnd: (
    request: FastifyRequest,
    idpUserId: string,
    reason: SessionEndReason,
  ) => Promise<RecordedEnd | null>
}

export type RecordedEnd = { ended: readonly string[]; remembered_ended?: number | undefined }

export type SessionEndReason = 'session' | 'other_session' | 'all_sessions'

/** Sign-out, and the list of a person's sessions, each of which they can end. */
export function addSessionRoutes(
  app: FastifyInstance,
  { sessions, afterSignOut, recordEnd }: SessionRoutesOptions,
): void {
  serveOwn(app, 'signOut', async ({ request, reply }) => {
    const session = await sessions.end(request, reply)
    if (session) await recordEnd(request, session.idpUserId, 'session')
    return leave(request, reply, await afterSignOut(session))
  })
  serveOwn(app, 'listSessions', async ({ request }) => {
    const current = await sessions.required(request)
    return (await sessions.list(current)).map((session) => shown(session, current))
  })
  serveOwn(app, 'endSession', async ({ request, params }) => {
    const own = await sessions.list(await sessions.required(request))
    const ended = own.find((session) => publicId(session) === params.id)
    if (!ended) throw new Refusal(404, 'not_found', 'session not found')
    await sessions.store.remove(ended.tokenHash)
    await recordEnd(request, ended.idpUserId, 'other_session')
    return { ok: true }
  })
  serveOwn(app, 'endAllSessions', async ({ request, reply }) => {
    const session = await sessions.required(request)
    await sessions.endAll([session.idpUserId])
    const recorded = await recordEnd(request, session.idpUserId, 'all_sessions')
    await sessions.end(request, reply)
    if (recorded === null) throw new Refusal(503, 'unavailable', OTHERS_GO_ON)
    await sessions.endAll(recorded.ended)
    const left = leave(request, reply, await afterSignOut(session))
    return 'ok' in left ? { ...left, remembered_ended: recorded.remembered_ended } : left
  })
}

/** Whether a person who is signed in wants to sign in again (`/sign-in?again=1`). */
export function asksAgain({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return new URL(url, 'http://localhost').searchParams.get('again') === '1'
}

const OTHERS_GO_ON =
  'Your sessions of this sign-in ended. Those of linked sign-ins may go on: sign in and repeat this'

/** Redirect a form; return the address to a script. */
export function leave(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): FastifyReply | { ok: true; redirect_to: string } {
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
