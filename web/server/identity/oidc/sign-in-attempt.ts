import { returnPath } from '@keyferry/contract/return-path'
import { hashToken, randomToken } from '@keyferry/crypto/token'
import { clearCookie, cookieNames, cookieValues, ownCookie, setCookie } from '../../cookies.ts'
import type { OwnExchange } from '../../http/own-endpoints.ts'

export const ATTEMPT_SECONDS = 600
const NAME_LENGTH = 12
const ATTEMPTS = 5
const PREFIX = 'keyferry-sign-in-'

/** One sign-in at the provider. Its state, nonce and verifier derive from one random token that only this browser's
 * cookie contains, so that any node can finish what another one began. */
export type SignInAttempt = {
  state: string
  nonce: string
  /** PKCE code verifier, 64 characters. */
  codeVerifier: string
  returnTo: string
  /** Epoch seconds: when it began, if the person has to sign in again. */
  againSince: number | null
}

type AttemptPurpose = Pick<SignInAttempt, 'returnTo' | 'againSince'>

/** Begin an attempt. Its cookie is named after its state, so that several windows can sign in at the same time. A
 * browser keeps the newest attempts only, because too many cookies make every request too long. */
export function beginAttempt(
  { request, reply }: OwnExchange,
  purpose: AttemptPurpose,
  isSecure: boolean,
): SignInAttempt {
  // Browsers send the oldest cookie first.
  const begun = cookieNames(request).filter((name) => name.startsWith(ownCookie(PREFIX, isSecure)))
  for (const old of begun.slice(0, 1 - ATTEMPTS)) clearCookie(reply, { name: old, isSecure })
  const token = randomToken()
  const attempt = attemptOf(token, purpose)
  const { returnTo, againSince } = purpose
  const value = `${token}.${Buffer.from(returnTo).toString('base64url')}.${againSince ?? ''}`
  const name = cookieName(attempt.state, isSecure)
  setCookie(reply, { name, value, maxAgeSeconds: ATTEMPT_SECONDS, isSecure })
  return attempt
}

/** End the attempt that a callback's `state` names, and delete its cookie in any case.
 * @returns null: this browser began no such attempt */
export function endAttempt(exchange: OwnExchange, state: string, isSecure: boolean): SignInAttempt | null {
  const name = cookieName(state, isSecure)
  const [value, ...more] = cookieValues(exchange.request, name)
  if (value === undefined || more.length > 0) return null
  clearCookie(exchange.reply, { name, isSecure })
  const [token = '', path = '', since = ''] = value.split('.')
  const returnTo = returnPath(Buffer.from(path, 'base64url').toString())
  const attempt = attemptOf(token, { returnTo, againSince: since === '' ? null : Number(since) })
  return attempt.state === state ? attempt : null
}

function attemptOf(token: string, purpose: AttemptPurpose): SignInAttempt {
  const derived = (use: string) => hashToken(`${use}:${token}`)
  return {
    state: derived('state'),
    nonce: derived('nonce'),
    codeVerifier: derived('code-verifier'),
    ...purpose,
  }
}

function cookieName(state: string, isSecure: boolean): string {
  const suffix = /^[0-9a-f]{64}$/.test(state) ? state.slice(0, NAME_LENGTH) : 'none'
  return ownCookie(PREFIX + suffix, isSecure)
}
