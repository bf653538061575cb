import { Email, webEndpoints } from '@keyferry/contract'
import { CallError } from '@keyferry/contract/client'
import { invitationIn } from '@keyferry/contract/invitation-path'
import { askedReturn } from '@keyferry/contract/return-path'
import { failureFacts } from '@keyferry/plumbing/failure'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type OwnExchange, serveOwn } from '../../http/own-endpoints.ts'
import { Refusal } from '../../http/refusal.ts'
import { readBody } from '../../http/request-body.ts'
import type { ApiConnection } from '../../internal-api/api-connection.ts'
import { sessionCookie } from '../../sessions/session-cookie.ts'
import { addSessionRoutes, asksAgain } from '../../sessions/session-routes.ts'
import type { SessionFilter } from '../../sessions/session-store.ts'
import { doOnce } from '../../sessions/session-store.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { OidcSettings } from '../../settings.ts'
import type { AppPages, Identity } from '../identity.ts'
import { idpUserId, isValidSubject } from '../idp-user-id.ts'
import { providerFetch } from '../provider-fetch.ts'
import { provision } from '../provision.ts'
import { endRecorder } from '../session-end.ts'
import { isFresh, type OidcPerson, OidcProvider } from './oidc-provider.ts'
import { beginAttempt, endAttempt } from './sign-in-attempt.ts'
import { differingIssuers, SignInError, signInFailure } from './sign-in-failure.ts'

const MAX_TOKEN_BYTES = 65_536
const REPLAY_MS = 10 * 60 * 1_000

export type OidcOptions = {
  settings: OidcSettings
  api: ApiConnection
  sessions: Sessions
  publicUrl: string
  now: () => number
  log: Logger
  /** Whether the provider proves e-mail addresses. */
  provesEmail: boolean
}

/** People sign in at an OpenID Connect provider and get a session of ours. */
export function oidcIdentity(options: OidcOptions): Identity {
  const { settings, sessions, publicUrl, now } = options
  const provider = new OidcProvider(settings, now)
  return {
    identify: (request) => sessions.find(request),
    isSignedIn: async (request) => (await sessions.find(request)) !== null,
    endSession: (request, reply) => sessions.end(request, reply),
    chooseTenant: async (request, _reply, tenantId) => await sessions.chooseTenant(request, tenantId),
    requireOneSession: sessionCookie,
    signInPath: (path) => `/sign-in?return_to=${encodeURIComponent(path)}`,
    addRoutes(app, pages) {
      addSignIn(app, provider, { ...options, pages })
      addCallback(app, provider, { ...options, pages })
      addBackChannelLogout(app, provider, options)
      const afterSignOut = async (session: { idToken: string | null } | null) =>
        (await provider.signOutAddress(session?.idToken ?? null, `${publicUrl}/`)) ?? '/'
      addSessionRoutes(app, { sessions, afterSignOut, recordEnd: endRecorder(options) })
    },
  }
}

type OidcPageOptions = OidcOptions & { pages: AppPages }

function addSignIn(app: FastifyInstance, provider: OidcProvider, options: OidcPageOptions): void {
  const { sessions, publicUrl, now } = options
  const redirectUri = publicUrl + webEndpoints.finishSignIn.path
  const signIn =
    (prompt?: 'create') =>
    async ({ request, reply }: OwnExchange) => {
      const returnTo = askedReturn(request.url)
      const isAgain = asksAgain(request)
      if (!isAgain && (await sessions.find(request))) return reply.redirect(returnTo, 302)
      const purpose = { returnTo, againSince: isAgain ? Math.floor(now() / 1_000) : null }
      const attempt = beginAttempt({ request, reply }, purpose, publicUrl.startsWith('https:'))
      const asked = isAgain ? ('login' as const) : prompt
      const wanted = { redirectUri, ...(asked ? { prompt: asked } : {}) }
      try {
        return reply.redirect((await provider.signInAddress(attempt, wanted)).href, 302)
      } catch (error) {
        return await answerFailure({ request, reply }, error, options)
      }
    }
  serveOwn(app, 'showSignIn', signIn())
  serveOwn(app, 'showSignUp', signIn('create'))
}

// Show `reason` in the log and on the page, so that the operator can match them.
async function answerFailure(
  { request, reply }: OwnExchange,
  error: unknown,
  { log, pages }: Pick<OidcPageOptions, 'log' | 'pages'>,
): Promise<FastifyReply> {
  const { reason, status, text } = signInFailure(error)
  const cause = error instanceof Refusal ? error.cause : error
  const facts = {
    request: request.id,
    reason,
    advice: text,
    ...differingIssuers(error),
    ...unreadClaim(cause),
    ...failureFacts(cause),
  }
  log.warn(facts, 'sign-in failed')
  return await sendFailure(pages, reply.code(status), `${text} (${reason})`)
}

// The library quotes the name of a claim that it cannot read. The rest of its text may quote values.
function unreadClaim(error: unknown): { claim?: string } {
  const said = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const [, claim] = /"([a-z_]{2,40})"/.exec(said) ?? []
  return claim === undefined ? {} : { claim }
}

// A page without the app, because the app may not be usable yet.
async function sendFailure(pages: AppPages, reply: FastifyReply, text: string): Promise<FastifyReply> {
  const way = { kind: 'link', label: 'Sign in again', path: '/sign-in' } as const
  return await pages.sendNote(reply, { title: 'Sign-in failed', text, way })
}

function addCallback(app: FastifyInstance, provider: OidcProvider, options: OidcPageOptions): void {
  const { publicUrl, pages, sessions, now } = options
  serveOwn(app, 'finishSignIn', async ({ request, reply }) => {
    const exchange = { request, reply }
    const callback = new URL(request.url, publicUrl)
    const state = callback.searchParams.get('state')
    const isSecure = publicUrl.startsWith('https:')
    const attempt = state === null ? null : endAttempt(exchange, state, isSecure)
    if (!attempt) {
      // The Back button leads here after a sign-in.
      if (await sessions.find(request)) return reply.redirect('/', 302)
      const text = 'This sign-in started in another browser, or it took too long.'
      return await sendFailure(pages, reply.code(400), text)
    }
    let person: OidcPerson
    try {
      person = await provider.redeem(callback, attempt)
      const isNew = attempt.againSince === null || isFresh(person, attempt, now())
      if (!isNew) throw new SignInError('not_asked_again')
    } catch (error) {
      return await answerFailure(exchange, error, options)
    }
    return await beginSession(exchange, { person, returnTo: attempt.returnTo }, options)
  })
}

async function beginSession(
  { request, reply }: OwnExchange,
  { person, returnTo }: { person: OidcPerson; returnTo: string },
  { api, settings, sessions, pages, provesEmail, log, now }: OidcPageOptions,
): Promise<FastifyReply> {
  const problem = problemOf(person)
  if (problem !== null) return await sendFailure(pages, reply.code(400), problem)
  const { email_verified, ...stated } = profileOf(settings, person)
  const profile = { ...stated, email_verified: email_verified && provesEmail }
  const groups = Array.isArray(person.groups) ? person.groups : null
  if (person.groups !== null && 'found' in person.groups) {
    const facts = { request: request.id, claim: settings.groupsClaim, found: person.groups.found }
    log.warn(facts, 'the claim lists no groups: they stay')
  }
  const ensured = { ...profile, ...invited(returnTo) }
  const known = await provision(api, request, ensured, groups).catch(whenRefused)
  if (typeof known === 'string') return await sendFailure(pages, reply.code(403), known)
  const { providerSessionId, idToken, authTimeSeconds } = person
  const proved = authTimeSeconds === null ? {} : { provedAtMs: Math.min(authTimeSeconds * 1_000, now()) }
  const facts = { ...known, tenantId: known.personalTenantId, providerSessionId, idToken, ...proved }
  await sessions.begin(request, reply, { idpUserId: profile.idp_user_id, ...facts })
  return reply.redirect(returnTo, 302)
}

function invited(path: string): { invitation?: string } {
  const invitation = invitationIn(path)
  return invitation === null ? {} : { invitation }
}

// An invitation is for an e-mail address, so an address that the provider itself doubts must not open it.
function problemOf({ email, isEmailVerified }: OidcPerson): string | null {
  if (email === null || email === '')
    return 'The identity provider sent no e-mail address. Add one to your profile there, then sign in again.'
  if (!Email.safeParse(email).success)
    return 'Keyferry needs an e-mail address such as sam@example.com. Change it at the identity provider, then sign in again.'
  if (isEmailVerified !== false) return null
  return 'Confirm your e-mail address at the identity provider, then sign in again.'
}

function whenRefused(error: unknown): string {
  if (!(error instanceof CallError && error.status === 403)) throw error
  return error.code === 'sign_up_closed' ? `${error.message}.` : 'Your account here is disabled.'
}

function profileOf({ issuer, trustsEmail }: OidcSettings, person: OidcPerson) {
  const { subject, email, isEmailVerified, issuedAtSeconds } = person
  return {
    idp_user_id: idpUserId(issuer, subject),
    email: email ?? '',
    email_verified: isEmailVerified ?? trustsEmail,
    as_of: new Date(issuedAtSeconds * 1_000).toISOString(),
  }
}

function addBackChannelLogout(app: FastifyInstance, provider: OidcProvider, options: OidcOptions): void {
  const { settings, now, sessions } = options
  const { store } = sessions
  const tokens = new LogoutTokens(settings, provider)
  serveOwn(app, 'receiveLogout', async ({ request, reply }) => {
    const form = new URLSearchParams((await readBody(request, MAX_TOKEN_BYTES)).toString('utf8'))
    const token = form.get('logout_token') ?? ''
    const order = await tokens.read(token, new Date(now())).catch(() => null)
    const use = { id: `logout:${order?.jti}`, forMs: REPLAY_MS, nowMs: now() }
    if (order === null || !(await doOnce(store, use, () => store.removeAll(order.ending))))
      return reply.code(400).send({ error: 'invalid_request', code: 'invalid' })
    if ('idpUserId' in order.ending) await endRecorder(options)(request, order.ending.idpUserId, 'provider')
    return { ok: true }
  })
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE = '5m'
const CLOCK_TOLERANCE_SECONDS = 5

const LogoutClaims = z
  .object({
    iat: z.number(),
    jti: z.string().min(1),
    sub: z.string().refine(isValidSubject).optional(),
    sid: z.string().min(1).optional(),
    events: z.object({ [LOGOUT_EVENT]: z.object({}) }),
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined)

/** Reads logout tokens (OpenID Connect Back-Channel Logout 1.0) of one provider. */
class LogoutTokens {
  readonly #settings: OidcSettings
  readonly #provider: OidcProvider
  #keySet: { uri: string; keys: ReturnType<typeof createRemoteJWKSet> } | null = null

  constructor(settings: OidcSettings, provider: OidcProvider) {
    this.#settings = settings
    this.#provider = provider
  }

  /** @returns whose sessions the provider wants ended
   * @throws Error: the token is not valid · Refusal unavailable */
  async read(token: string, now: Date): Promise<{ ending: SessionFilter; jti: string }> {
    const { issuer, jwks_uri: keySet } = (await this.#provider.metadata()).serverMetadata()
    const { payload } = await jwtVerify(token, this.#keysAt(keySet), {
      issuer,
      audience: this.#settings.clientId,
      maxTokenAge: MAX_AGE,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    })
    const { iat, jti, sub, sid } = LogoutClaims.parse(payload)
    if (sid !== undefined) return { ending: { providerSessionId: sid }, jti }
    // `iat` has whole seconds only. A person who signs in right after this order keeps the new session.
    const beforeMs = (iat + 1) * 1_000
    return { ending: { idpUserId: idpUserId(issuer, sub ?? ''), beforeMs }, jti }
  }

  #keysAt(uri: string | undefined): ReturnType<typeof createRemoteJWKSet> {
    if (uri === undefined) throw new Error('the provider names no key set')
    const fetching = { [customFetch]: providerFetch }
    if (this.#keySet?.uri !== uri) this.#keySet = { uri, keys: createRemoteJWKSet(new URL(uri), fetching) }
    return this.#keySet.keys
  }
}
