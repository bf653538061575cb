import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Note } from '../http/refusal.ts'

/** A signed-in person. */
export type Person = {
  readonly userId: string
  /** The tenant worked in. */
  readonly tenantId: string
  /** The tenant that is always the person's own. */
  readonly personalTenantId: string
}

/** The browser app's own pages. */
export type AppPages = {
  /** @param entry `index.html` or `approve.html` */
  send(reply: FastifyReply, entry: string): Promise<FastifyReply>
  /** A page that says one thing, for where the app cannot. */
  sendNote(reply: FastifyReply, note: Note): Promise<FastifyReply>
}

/** Who the person behind a request is: one implementation for each AUTH_MODE. */
export type Identity = {
  /** @returns null: signed out
   * @throws Refusal unauthorized (a request that no honest browser sends) · unavailable */
  identify(request: FastifyRequest): Promise<Person | null>
  /** Whether somebody is signed in; asks nothing of the API. */
  isSignedIn(request: FastifyRequest): Promise<boolean>
  /** Asks nobody whether the session is good. @throws Refusal unauthorized: the request carries two */
  requireOneSession(request: FastifyRequest): void
  /** Work in this tenant from the person's next call on. */
  chooseTenant(request: FastifyRequest, reply: FastifyReply, tenantId: string): Promise<void>
  /** Whether nobody can sign in before the first account is set up. */
  isSetupRequired(): Promise<boolean>
  /** Where a signed-out person goes who wanted to see a page of ours.
   * @param path of that page, with its query */
  signInPath(path: string): string
  /** Sign-in, sign-out and whatever else the mode needs. */
  addRoutes(app: FastifyInstance, pages: AppPages): void
}
