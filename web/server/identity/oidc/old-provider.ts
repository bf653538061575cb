import { webEndpoints } from '@keyferry/contract'
import { CallError } from '@keyferry/contract/client'
import type { FastifyInstance } from 'fastify'
import { serveOwn } from '../../http/own-endpoints.ts'
import type { OidcSettings } from '../../settings.ts'
import { idpUserId } from '../idp-user-id.ts'
import type { ConfirmLink } from '../link.ts'
import { answerFailure, type OidcPageOptions, sendFailure } from './oidc.ts'
import { isFresh, type OidcPerson, OidcProvider } from './oidc-provider.ts'
import { beginAttempt, endAttempt } from './sign-in-attempt.ts'

type OldProviderOptions = Omit<OidcPageOptions, 'settings'> & { settings: OidcSettings; confirm: ConfirmLink }

/** A sign-in at the provider that people used before. It confirms a link, and begins no session. */
export function addOldProvider(app: FastifyInstance, options: OldProviderOptions): void {
  const { settings, sessions, publicUrl, pages, confirm, now } = options
  const provider = new OidcProvider(settings, now)
  const redirectUri = publicUrl + webEndpoints.finishLink.path
  const isSecure = publicUrl.startsWith('https:')
  serveOwn(app, 'beginLink', async ({ request, reply }) => {
    const { tokenHash } = await sessions.required(request)
    const purpose = { returnTo: ofSession(tokenHash), againSince: Math.floor(now() / 1_000) }
    const attempt = beginAttempt({ request, reply }, purpose, isSecure)
    const address = await provider.signInAddress(attempt, { redirectUri, prompt: 'login' })
    return { ok: true, redirect_to: address.href }
  })
  serveOwn(app, 'finishLink', async ({ request, reply }) => {
    const exchange = { request, reply }
    const callback = new URL(request.url, publicUrl)
    const attempt = endAttempt(exchange, callback.searchParams.get('state') ?? '', isSecure)
    const session = await sessions.find(request)
    if (!attempt || !session || attempt.returnTo !== ofSession(session.tokenHash)) {
      const text = 'This link started in another browser or session, or it took too long.'
      return await sendFailure(pages, reply.code(400), text)
    }
    let person: OidcPerson
    try {
      person = await provider.redeem(callback, attempt)
    } catch (error) {
      return await answerFailure(exchange, error, options)
    }
    if (!isFresh(person, attempt, now())) return await sendFailure(pages, reply.code(403), NOT_FRESH)
    try {
      await confirm(exchange, idpUserId(settings.issuer, person.subject))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      return await sendFailure(pages, reply.code(error.status), `Not linked: ${error.message}.`)
    }
    return reply.redirect('/sign-in', 302)
  })
}

const NOT_FRESH =
  'Not linked: the earlier provider did not ask you to sign in again. Sign out there, then repeat this.'

// An attempt counts only in the session that began it.
function ofSession(tokenHash: string): string {
  return `/account?link=${tokenHash.slice(0, 32)}`
}
