import { returnPath } from '@keyferry/contract/return-path'
import { hashToken, randomToken } from '@keyferry/crypto/token'
import type { FastifyReply } from 'fastify'
import { clearCookie, cookieValues, ownCookie, setCookie } from '../../cookies.ts'
import type { OwnExchange } from '../../http/own-endpoints.ts'

const ATTEMPT_SECONDS = 600
const NAME_LENGTH = 12

/** One sign-in at the provider. Its state, nonce and verifier derive from one random token that only this browser's
 * cookie holds, so that any node can finish what another one began. */
export type SignInAttempt = {
  state: string
  nonce: string
  /** PKCE code verifier, 64 characters. */
  codeVerifier: string
  returnTo: string
}

/** Begin an attempt. Its cookie is named after its state, so that several windows can sign in at the same time. */
export function beginAttempt(reply: FastifyReply, returnTo: string, isSecure: boolean): SignInAttempt {
  const token = randomToken()
  const attempt = attemptOf(token, returnTo)
  const value = `${token}.${Buffer.from(returnTo).toString('base64url')}`
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
  const [token = '', returnTo = ''] = value.split('.')
  const attempt = attemptOf(token, returnPath(Buffer.from(returnTo, 'base64url').toString()))
  return attempt.state === state ? attempt : null
}

function attemptOf(token: string, returnTo: string): SignInAttempt {
  const derived = (use: string) => hashToken(`${use}:${token}`)
  return {
    state: derived('state'),
    nonce: derived('nonce'),
    codeVerifier: derived('code-verifier'),
    returnTo,
  }
}

function cookieName(state: string, isSecure: boolean): string {
  const suffix = /^[0-9a-f]{64}$/.test(state) ? state.slice(0, NAME_LENGTH) : 'none'
  return ownCookie(`keyferry-sign-in-${suffix}`, isSecure)
}
