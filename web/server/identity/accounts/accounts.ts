import { askedReturn } from '@keyferry/contract/return-path'
import { passkeyAddress } from '@keyferry/plumbing/passkey-address'
import type { FastifyInstance } from 'fastify'
import { type OwnExchange, serveOwn } from '../../http/own-endpoints.ts'
import { headersToHandOn } from '../../http/request-headers.ts'
import { sessionCookie } from '../../sessions/session-cookie.ts'
import { addSessionRoutes, asksAgain } from '../../sessions/session-routes.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { AppPages, Identity, SessionIdentityOptions } from '../identity.ts'
import { endRecorder } from '../session-end.ts'
import { addOwnAccountRoutes, beginSession, type OwnAccountOptions } from './own-account.ts'
import { PasskeyChallenges } from './passkey-challenges.ts'
import {
  addPasskeyRoutes,
  addPasskeySignIn,
  askedForPasskeyOf,
  askForPasskey,
  type PasskeyOptions,
} from './passkeys.ts'

/** People sign in with an e-mail address and a password that the API keeps, and get a session of ours. */
export function accountsIdentity(options: SessionIdentityOptions): Identity {
  const { api, sessions } = options
  // Accounts are never removed again, so only a negative answer must be asked for again.
  let isSetUp = false
  const isSetupRequired = async () => {
    isSetUp ||= !(await api.call('GET', '/api/v1/auth/setup')).required
    return !isSetUp
  }
  return {
    identify: (request) => sessions.find(request),
    isSignedIn: async (request) => (await sessions.find(request)) !== null,
    endSession: (request, reply) => sessions.end(request, reply),
    chooseTenant: async (request, _reply, tenantId) => await sessions.chooseTenant(request, tenantId),
    requireOneSession: sessionCookie,
    sessionFacts: async () => ({
      setup_required: await isSetupRequired(),
      passkey_origin: passkeyAddress(options.publicUrl)?.origin,
    }),
    signInPath: (path) => `${path.startsWith('/invite/') ? '/sign-up' : '/sign-in'}${returning(path)}`,
    addRoutes(app, pages) {
      addPages(app, pages, { sessions, isSetupRequired })
      const passkeys = passkeyOptions(options)
      addSignIn(app, passkeys)
      addForms(app, options)
      addPasskeyRoutes(app, passkeys)
      addOwnAccountRoutes(app, options)
      addSessionRoutes(app, { sessions, afterSignOut: async () => '/', recordEnd: endRecorder(options) })
    },
  }
}

function passkeyOptions({ publicUrl, secret, now, ...own }: SessionIdentityOptions): PasskeyOptions {
  const isSecure = publicUrl.startsWith('https:')
  const challenges = new PasskeyChallenges({ store: own.sessions.store, now, secret, isSecure })
  return { ...own, challenges, address: passkeyAddress(publicUrl) }
}

function returning(path: string): string {
  return `?return_to=${encodeURIComponent(path)}`
}

type AccountPageOptions = { sessions: Sessions; isSetupRequired: () => Promise<boolean> }

function addPages(
  app: FastifyInstance,
  pages: AppPages,
  { sessions, isSetupRequired }: AccountPageOptions,
): void {
  const form = async ({ request, reply }: OwnExchange) => {
    if (!asksAgain(request) && (await sessions.find(request)))
      return reply.redirect(askedReturn(request.url), 302)
    if (await isSetupRequired()) return reply.redirect('/set-up', 302)
    return await pages.send(reply, 'index.html')
  }
  serveOwn(app, 'showSignIn', form)
  serveOwn(app, 'showSignUp', form)
  serveOwn(app, 'showSetUp', async ({ reply }) =>
    (await isSetupRequired()) ? await pages.send(reply, 'index.html') : reply.redirect('/sign-in', 302),
  )
}

function addSignIn(app: FastifyInstance, options: PasskeyOptions): void {
  const { api, sessions } = options
  addPasskeySignIn(app, options)
  serveOwn(app, 'signIn', async ({ body, ...exchange }) => {
    const call = { body, headers: headersToHandOn(exchange.request) }
    try {
      return await beginSession(sessions, exchange, await api.call('POST', '/api/v1/auth/login', call))
    } catch (error) {
      const userId = askedForPasskeyOf(error)
      if (userId === null) throw error
      return askForPasskey(exchange.reply, userId, options)
    }
  })
}

function addForms(app: FastifyInstance, { api, sessions }: OwnAccountOptions): void {
  serveOwn(app, 'setUp', async ({ body, ...exchange }) => {
    const call = { body, headers: headersToHandOn(exchange.request) }
    return await beginSession(sessions, exchange, await api.call('POST', '/api/v1/auth/setup', call))
  })
  serveOwn(app, 'signUp', async ({ body, ...exchange }) => {
    const call = { body, headers: headersToHandOn(exchange.request) }
    return await beginSession(sessions, exchange, await api.call('POST', '/api/v1/auth/join', call))
  })
}
