import { CallError } from '@keyferry/contract/client'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ApiConnection } from '../api-connection.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../request-body.ts'
import { loggedFailure } from '../request-log.ts'
import type { OriginRules } from '../same-origin.ts'
import { sessionCookie } from '../session-cookie.ts'
import type { OidcSettings } from '../settings.ts'
import { type LogoutOrder, LogoutTokens } from './back-channel-logout.ts'
import type { AppPages, Identity } from './identity.ts'
import { idpUserId } from './idp-user-id.ts'
import { type OidcPerson, OidcProvider } from './oidc-provider.ts'
import { provision } from './provision.ts'
import { askedReturn } from './return-path.ts'
import { addSessionRoutes } from './session-routes.ts'
import { personOf, type Sessions } from './sessions.ts'
import { beginAttempt, endAttempt } from './sign-in-attempt.ts'

const MAX_TOKEN_BYTES = 65_536
const REPLAY_MS = 10 * 60 * 1_000

export type OidcOptions = {
  settings: OidcSettings
  api: ApiConnection
  sessions: Sessions
  originRules: () => OriginRules
  now: () => number
  log: Logger
}

/** People sign in at an OpenID Connect provider and get a session of ours. */
export function oidcIdentity(options: OidcOptions): Identity {
  const { settings, sessions, originRules, now } = options
  const provider = new OidcProvider(settings, now)
  return {
    async identify(request) {
      const session = await sessions.find(request)
      return session && personOf(session)
    },
    isSignedIn: async (request) => (await sessions.find(request)) !== null,
    chooseTenant: async (request, _reply, tenantId) => await sessions.chooseTenant(request, tenantId),
    requireOneSession: sessionCookie,
    isSetupRequired: async () => false,
    signInPath: (path) => `/sign-in?return_to=${encodeURIComponent(path)}`,
    addRoutes(app, pages) {
      addSignIn(app, provider, { ...options, pages })
      addCallback(app, provider, { ...options, pages })
      addBackChannelLogout(app, provider, options)
      const home = () => `${originRules().publicUrl}/`
      const afterSignOut = async (session: { idToken: string | null } | null) =>
        (await provider.signOutAddress(session?.idToken ?? null, home())) ?? '/'
      addSessionRoutes(app, { sessions, originRules, afterSignOut })
    },
  }
}

type PageOptions = OidcOptions & { pages: AppPages }

function redirectUri(originRules: () => OriginRules): string {
  return `${originRules().publicUrl}/auth/callback`
}

function isSecure(originRules: () => OriginRules): boolean {
  return originRules().publicUrl.startsWith('https:')
}

function addSignIn(
  app: FastifyInstance,
  provider: OidcProvider,
  { sessions, originRules, pages }: PageOptions,
): void {
  const signIn = (prompt?: 'create') => async (request: FastifyRequest, reply: FastifyReply) => {
    const returnTo = askedReturn(request.url)
    if (await sessions.find(request)) return reply.redirect(returnTo, 302)
    const attempt = beginAttempt(reply, returnTo, isSecure(originRules))
    const wanted = { redirectUri: redirectUri(originRules), ...(prompt ? { prompt } : {}) }
    const address = await provider.signInAddress(attempt, wanted).catch(whenAway)
    if (!address)
      return await sendSignInFailure(pages, reply.code(503), 'The identity provider does not answer.')
    return reply.redirect(address.href, 302)
  }
  app.get('/sign-in', signIn())
  app.get('/sign-up', signIn('create'))
}

// A page of its own, for the app may not be able to do anything yet.
async function sendSignInFailure(pages: AppPages, reply: FastifyReply, text: string): Promise<FastifyReply> {
  const way = { kind: 'link', label: 'Try again', path: '/sign-in' } as const
  return await pages.sendNote(reply, { title: 'Sign-in did not work', text, way })
}

function whenAway(error: unknown): null {
  if (error instanceof Refusal) return null
  throw error
}

function addCallback(app: FastifyInstance, provider: OidcProvider, options: PageOptions): void {
  const { api, log, settings, sessions, originRules, pages } = options
  app.get<{ Querystring: { state?: unknown } }>('/auth/callback', async (request, reply) => {
    const { state } = request.query
    const exchange = { request, reply }
    const attempt = typeof state === 'string' ? endAttempt(exchange, state, isSecure(originRules)) : null
    if (!attempt)
      return await sendSignInFailure(
        pages,
        reply.code(400),
        'It was not begun in this browser, or it took too long.',
      )
    const callback = new URL(request.url, originRules().publicUrl)
    const person = await provider
      .redeem(callback, attempt)
      .catch((cause: unknown) => refused(log, request, cause))
    if (!person)
      return await sendSignInFailure(pages, reply.code(400), 'The identity provider did not confirm it.')
    const problem = problemOf(person)
    if (problem !== null) return await sendSignInFailure(pages, reply.code(400), problem)
    const profile = profileOf(idpUserId(settings.issuer, person.subject), person)
    const known = await provision(api, profile).catch(whenSwitchedOff)
    if (!known) return await sendSignInFailure(pages, reply.code(403), 'You are switched off here.')
    const { providerSessionId, idToken } = person
    const facts = { ...known, tenantId: known.personalTenantId, providerSessionId, idToken }
    await sessions.begin(request, reply, { idpUserId: profile.idp_user_id, ...facts })
    return reply.redirect(attempt.returnTo, 302)
  })
}

function refused(log: Logger, request: FastifyRequest, cause: unknown): null {
  log.warn({ request: request.id, ...loggedFailure(cause) }, 'sign-in refused')
  return null
}

// An invitation is for an e-mail address, so one that the provider itself doubts must not open it.
function problemOf({ email, isEmailRefuted }: OidcPerson): string | null {
  if (email === null) return 'The identity provider told no e-mail address.'
  return isEmailRefuted ? 'Confirm your e-mail address at the identity provider first.' : null
}

function whenSwitchedOff(error: unknown): null {
  if (error instanceof CallError && error.status === 403) return null
  throw error
}

function profileOf(idp_user_id: string, { email, name }: OidcPerson) {
  return { idp_user_id, email: email ?? '', ...(name === null ? {} : { name: name.slice(0, 255) }) }
}

function addBackChannelLogout(app: FastifyInstance, provider: OidcProvider, options: OidcOptions): void {
  const { settings, now } = options
  const tokens = new LogoutTokens(settings, provider)
  app.post('/auth/backchannel-logout', async (request, reply) => {
    const form = new URLSearchParams((await readBody(request, MAX_TOKEN_BYTES)).toString('utf8'))
    const token = form.get('logout_token') ?? ''
    const order = await tokens.read(token, new Date(now())).catch(() => null)
    const isDone = order !== null && (await carryOut(order, options))
    if (!isDone) return reply.code(400).send({ error: 'invalid_request', code: 'invalid' })
    return reply.code(200).send()
  })
}

/** @returns false: this order was carried out before */
async function carryOut(order: LogoutOrder, { sessions: { store }, now }: OidcOptions): Promise<boolean> {
  const use = `logout:${order.jti}`
  if (!(await store.firstUse(use, now() + REPLAY_MS, now()))) return false
  try {
    await store.removeAll(order.ending)
    return true
  } catch (error) {
    await store.forgetUse(use)
    throw error
  }
}
