import { apiEndpoints } from '@keyferry/contract'
import { hashToken, randomToken } from '@keyferry/crypto/token'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clearCookie, setCookie } from '../cookies.ts'
import { unauthorized } from '../http/refusal.ts'
import { SESSION_COOKIE, sessionCookie } from './session-cookie.ts'
import type { Session, SessionStore } from './session-store.ts'

const USER_AGENT_LENGTH = 200

/** Who signed in, and how. */
export type SignIn = Omit<Session, 'tokenHash' | 'way' | 'userAgent' | 'createdAtMs' | 'lastSeenAtMs'>

export type SessionsOptions = {
  store: SessionStore
  /** Epoch milliseconds. */
  now: () => number
  /** Whether people reach us over https. */
  isSecure: boolean
  maxMs: number
  /** How people sign in now: sessions of another mode or issuer have ended. */
  way: string
}

/** Keyferry's sessions: a random token in the browser's cookie, everything else in the session store. */
export class Sessions {
  readonly store: SessionStore
  readonly #now: () => number
  readonly #isSecure: boolean
  readonly #maxMs: number
  readonly #way: string

  constructor({ store, now, isSecure, maxMs, way }: SessionsOptions) {
    this.#way = way
    this.#maxMs = maxMs
    this.store = store
    this.#now = now
    this.#isSecure = isSecure
  }

  /** The active session of the request's cookie.
   * @throws Refusal unauthorized: the request has two session cookies, and one of them is planted */
  async find(request: FastifyRequest): Promise<Session | null> {
    const tokenHash = carriedHash(request)
    const renews = !isOfItself(request)
    const session = tokenHash === null ? null : await this.store.find(tokenHash, this.#now(), renews)
    return session !== null && this.#isOfToday(session) ? session : null
  }

  /** As `find`, but throws if there is no session. @throws Refusal unauthorized */
  async required(request: FastifyRequest): Promise<Session> {
    const session = await this.find(request)
    if (session === null) throw unauthorized()
    return session
  }

  /** Begin a session with a new token, and end the one that the browser carried. */
  async begin(request: FastifyRequest, reply: FastifyReply, signIn: SignIn): Promise<void> {
    const carried = carriedHash(request)
    if (carried !== null) await this.store.remove(carried)
    const token = randomToken()
    const nowMs = this.#now()
    await this.store.create({
      ...signIn,
      tokenHash: hashToken(token),
      way: this.#way,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH),
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
    })
    const maxAgeSeconds = this.#maxMs / 1_000
    setCookie(reply, { name: SESSION_COOKIE, value: token, maxAgeSeconds, isSecure: this.#isSecure })
  }

  /** @returns the session that ended, if there was one */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<Session | null> {
    const session = await this.find(request)
    if (session) await this.store.remove(session.tokenHash)
    clearCookie(reply, { name: SESSION_COOKIE, isSecure: this.#isSecure })
    return session
  }

  /** End all sessions of these ways to sign in. */
  async endAll(idpUserIds: readonly string[]): Promise<void> {
    await Promise.all(idpUserIds.map((idpUserId) => this.store.removeAll({ idpUserId })))
  }

  /** The person's active sessions. */
  async list({ idpUserId }: Session): Promise<Session[]> {
    return (await this.store.list(idpUserId, this.#now())).filter((session) => this.#isOfToday(session))
  }

  #isOfToday({ way }: Session): boolean {
    return way === this.#way
  }

  async chooseTenant(request: FastifyRequest, tenantId: string): Promise<void> {
    const session = await this.find(request)
    if (session) await this.store.chooseTenant(session.tokenHash, tenantId)
  }
}

// Pages ask this again and again while nobody uses them, so it must not keep the session alive.
const OF_ITSELF: ReadonlySet<string> = new Set([
  apiEndpoints.listWaiting.path,
  apiEndpoints.listProposals.path,
])

function isOfItself({ url }: FastifyRequest): boolean {
  return OF_ITSELF.has(url.split('?', 1)[0] ?? '')
}

function carriedHash(request: FastifyRequest): string | null {
  const token = sessionCookie(request)
  return token === null ? null : hashToken(token)
}
