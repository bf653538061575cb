import { Email } from '@keyferry/contract'
import { INVITATION_HEADER, invitationIn } from '@keyferry/contract/invitation-path'
import { askedReturn } from '@keyferry/contract/return-path'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clearCookie, cookieValues, setCookie } from '../../cookies.ts'
import { type OwnExchange, serveOwn } from '../../http/own-endpoints.ts'
import { forbidden } from '../../http/refusal.ts'
import { SESSION_COOKIE, sessionCookie } from '../../sessions/session-cookie.ts'
import { leave } from '../../sessions/session-routes.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { ClerkSettings } from '../../settings.ts'
import type { Identity, Person } from '../identity.ts'
import { provision } from '../provision.ts'
import { type EndRecorderOptions, endRecorder } from '../session-end.ts'
import { ClerkBackend, type ClerkEmail } from './clerk-backend.ts'
import { type ClerkSession, ClerkTokens } from './clerk-token.ts'

const TENANT_COOKIE = '__tenant'
const TENANT_SECONDS = 7 * 24 * 60 * 60

/** A token stays valid for a minute after its session ended here, so the end is remembered for longer. */
const ENDED_MS = 10 * 60 * 1_000

export type ClerkOptions = EndRecorderOptions & {
  settings: ClerkSettings
  store: SessionStore
  publicUrl: string
  now: () => number
  /** Whether the provider proves e-mail addresses. */
  provesEmail: boolean
}

/** People sign in at the provider's pages. The provider's token in the cookie is the session. */
export function clerkIdentity(options: ClerkOptions): Identity {
  const { settings, now } = options
  const tokens = new ClerkTokens(settings)
  const backend = new ClerkBackend(settings.apiUrl, settings.secretKey)
  const personOf = remembered((session, request) => provisionSession({ session, request }, options, backend))
  const sessionOf = async (request: FastifyRequest): Promise<ClerkSession | null> => {
    const token = sessionCookie(request)
    const session = token ? await tokens.read(token, new Date(now())) : null
    return session && !(await hasEnded(options, session)) ? session : null
  }
  return {
    async identify(request) {
      const session = await sessionOf(request)
      if (!session) return null
      const known = await personOf(session, request)
      return { ...known, tenantId: chosenTenant(request, known.userId) ?? known.personalTenantId }
    },
    isSignedIn: async (request) => (await sessionOf(request)) !== null,
    async chooseTenant(request, reply, tenantId) {
      const session = await sessionOf(request)
      if (session) rememberTenant(reply, { ...(await personOf(session, request)), tenantId }, options)
    },
    requireOneSession: sessionCookie,
    signInPath: (path) => `/sign-in?return_to=${encodeURIComponent(path)}`,
    addRoutes: (app) => addRoutes(app, { ...options, backend, sessionOf }),
  }
}

// Tokens seldom say whether an e-mail is verified; the provider's API always does.
async function emailOf({ email, subject }: ClerkSession, backend: ClerkBackend): Promise<ClerkEmail | null> {
  return email?.isVerified === true ? email : ((await backend.emailOf(subject)) ?? email)
}

const NO_EMAIL = 'Forbidden: the identity provider sent no usable e-mail address'
const noEmailNote = {
  title: 'No usable e-mail address',
  text: 'Keyferry needs an e-mail address such as sam@example.com. Change it at the identity provider, then sign in again.',
  way: { kind: 'link', label: 'Sign in again', path: '/sign-in' },
} as const

type ProvisionedPerson = Pick<Person, 'userId' | 'personalTenantId'>

async function provisionSession(
  { session, request }: { session: ClerkSession; request: FastifyRequest },
  { api, provesEmail }: Pick<ClerkOptions, 'api' | 'provesEmail'>,
  backend: ClerkBackend,
): Promise<ProvisionedPerson> {
  const { subject, issuedAtSeconds } = session
  const email = await emailOf(session, backend)
  if (!email || !Email.safeParse(email.address).success) throw forbidden(NO_EMAIL, { note: noEmailNote })
  // The provider's own session is in no epoch of ours.
  const { userId, personalTenantId } = await provision(api, request, {
    idp_user_id: subject,
    email: email.address,
    email_verified: email.isVerified && provesEmail,
    ...invited(request),
    as_of: new Date(issuedAtSeconds * 1_000).toISOString(),
  })
  return { userId, personalTenantId }
}

function invited({ headers }: FastifyRequest): { invitation?: string } {
  const token = headers[INVITATION_HEADER]
  const invitation = typeof token === 'string' ? invitationIn(`/invite/${token}`) : null
  return invitation === null ? {} : { invitation }
}

// Another person may have used the same browser, so the cookie names who chose. The API checks the membership on each
// call.
function chosenTenant(request: FastifyRequest, userId: string): string | null {
  const [value = ''] = cookieValues(request, TENANT_COOKIE)
  const [chooser, tenantId] = value.split('.')
  return chooser === userId && tenantId !== undefined && /^[0-9a-f-]{36}$/.test(tenantId) ? tenantId : null
}

function rememberTenant(reply: FastifyReply, person: Person, { publicUrl }: ClerkOptions): void {
  const isSecure = publicUrl.startsWith('https:')
  const value = `${person.userId}.${person.tenantId}`
  setCookie(reply, { name: TENANT_COOKIE, value, maxAgeSeconds: TENANT_SECONDS, isSecure })
}

async function hasEnded({ store, now }: ClerkOptions, { sessionId }: ClerkSession): Promise<boolean> {
  return await store.isUsed(`ended:${sessionId}`, now())
}

type RouteOptions = ClerkOptions & {
  backend: ClerkBackend
  sessionOf: (request: FastifyRequest) => Promise<ClerkSession | null>
}

function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { settings, store, publicUrl, now, backend, sessionOf } = options
  const recordEnd = endRecorder(options)
  const lead =
    (page: string) =>
    async ({ request, reply }: OwnExchange) => {
      const returnTo = askedReturn(request.url)
      if (await sessionOf(request)) return reply.redirect(returnTo, 302)
      const address = new URL(page, accountPortal(settings.issuer))
      address.searchParams.set('redirect_url', publicUrl + returnTo)
      return reply.redirect(address.href, 302)
    }
  serveOwn(app, 'showSignIn', lead('/sign-in'))
  serveOwn(app, 'showSignUp', lead('/sign-up'))
  serveOwn(app, 'signOut', async ({ request, reply }) => {
    const session = await sessionOf(request)
    const isSecure = publicUrl.startsWith('https:')
    // Without a secret key the provider's session stays open, so its next token must stay valid.
    if (session) await recordEnd(request, session.subject, 'session')
    if (session && backend.canEndSessions) {
      await store.firstUse(`ended:${session.sessionId}`, now() + ENDED_MS, now())
      await backend.endSession(session.sessionId).catch(() => undefined)
    }
    for (const name of [SESSION_COOKIE, TENANT_COOKIE]) clearCookie(reply, { name, isSecure })
    return leave(request, reply, '/')
  })
}

/** Where the provider's sign-in and sign-up pages are, which follows from where it issues tokens:
 * `clerk.example.com` → `accounts.example.com`, `name.clerk.accounts.dev` → `name.accounts.dev`. */
export function accountPortal(issuer: string): string {
  const address = new URL(issuer)
  if (address.hostname.endsWith('.clerk.accounts.dev')) {
    address.hostname = address.hostname.replace('.clerk.accounts.dev', '.accounts.dev')
  } else {
    address.hostname = address.hostname.replace(/^clerk\./, 'accounts.')
  }
  return address.origin
}

const MAX_KNOWN = 10_000

type Provision = (session: ClerkSession, request: FastifyRequest) => Promise<ProvisionedPerson>

/** Provisions a person once for each session at the provider, and remembers the result, but not failures. */
function remembered(provisioning: Provision): Provision {
  const people = new BoundedMap<string, Promise<ProvisionedPerson>>(MAX_KNOWN)
  return async (session, request) => {
    const id = `${session.sessionId} ${session.subject}`
    const known = people.get(id)
    if (known) return await known
    const person = provisioning(session, request)
    people.set(id, person)
    try {
      return await person
    } catch (error) {
      people.delete(id)
      throw error
    }
  }
}
