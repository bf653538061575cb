import type { endpoints } from '@keyferry/contract'
import type { Answer } from '@keyferry/contract/client'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { RefusalNote } from '../http/refusal.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A signed-in person. */
export type Person = {
  readonly userId: string
  /** The session's current tenant. */
  readonly tenantId: string
  /** The person's personal tenant. */
  readonly personalTenantId: string
  /** Epoch milliseconds: when the session began, and when the person last proved who they are, if that was earlier.
   * Absent where the session is another server's. */
  readonly createdAtMs?: number
  readonly provedAtMs?: number | undefined
  /** The epoch that the session began in, in which alone the API lets it count. */
  readonly epoch?: number
}

/** The browser app's own pages. */
export type AppPages = {
  /** @param entry `index.html` or `approve.html` */
  send(reply: FastifyReply, entry: string): Promise<FastifyReply>
  /** A short page for when the app cannot be used. */
  sendNote(reply: FastifyReply, note: RefusalNote): Promise<FastifyReply>
}

/** Who the person behind a request is: one implementation for each AUTH_MODE. */
export type Identity = {
  /** @returns null: signed out
   * @throws Refusal unauthorized (two session cookies) · unavailable */
  identify(request: FastifyRequest): Promise<Person | null>
  /** Whether the request comes from a signed-in person. Does not call the API. */
  isSignedIn(request: FastifyRequest): Promise<boolean>
  /** Does not check whether the session is valid. @throws Refusal unauthorized: the request carries two sessions */
  requireOneSession(request: FastifyRequest): void
  /** End the request's session, which the API says has ended. */
  endSession?(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  /** Make this tenant current from the person's next call on. */
  chooseTenant(request: FastifyRequest, reply: FastifyReply, tenantId: string): Promise<void>
  /** What pages need to know of the mode. */
  sessionFacts?(): Promise<Partial<Answer<(typeof endpoints)['getSession']>>>
  /** Where to redirect a signed-out person who asked for a page.
   * @param path of that page, with its query */
  signInPath(path: string): string
  /** Sign-in, sign-out and the other routes of the mode. */
  addRoutes(app: FastifyInstance, pages: AppPages): void
}

export type SessionIdentityOptions = {
  api: ApiConnection
  sessions: Sessions
  /** The secret that the servers share. */
  secret: string
  publicUrl: string
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

/** A mode of sign-in that is an optional module. */
export type IdentityModule = { openIdentity(options: SessionIdentityOptions): Promise<Identity> }
