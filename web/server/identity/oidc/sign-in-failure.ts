import * as oidc from 'openid-client'
import { z } from 'zod'
import { Refusal } from '../../http/refusal.ts'

/** Why a sign-in at the provider failed: for the log, and shown to the person so that they can pass it on. */
export type SignInFailure = { reason: SignInFailureReason; status: 400 | 503; text: string }

const TEXTS = {
  denied: 'The identity provider did not sign you in.',
  provider_unreachable: 'The identity provider does not answer. Try again in a moment.',
  unusable_discovery:
    'The discovery document of the identity provider is unusable. Ask the operator to check OIDC_ISSUER.',
  wrong_client_secret:
    'The identity provider refused the credentials of this server. Ask the operator to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
  code_refused: 'The sign-in took too long or was used before. Sign in again.',
  provider_error: 'The identity provider answered with an error. Try again in a moment.',
  userinfo_failed: 'The identity provider did not say who you are. Try again in a moment.',
  unsupported_algorithm:
    'The identity provider signs ID tokens with an unsupported algorithm. Ask the operator to configure RS256 or ES256 for this client.',
  unknown_key: 'The ID token is signed with a key that the identity provider does not publish.',
  wrong_signature: 'The signature of the ID token is wrong.',
  expired_token:
    'The ID token has expired or is not valid yet. Ask the operator to compare the clocks of this server and the identity provider.',
  wrong_issuer: 'The ID token is from another issuer. Ask the operator to check OIDC_ISSUER.',
  wrong_audience: 'The ID token is for another client. Ask the operator to check OIDC_CLIENT_ID.',
  unusable_subject:
    'The identity provider sent no usable id (sub) for you. Ask the operator to give each person one of up to 255 printable characters.',
  wrong_nonce: 'The ID token belongs to another sign-in. Sign in again.',
  not_asked_again:
    'Your provider did not ask you to sign in again, or its clock is behind. Ask the operator to compare the clocks, and about SIGN_IN_AGAIN_SECONDS.',
  not_confirmed: 'The identity provider did not confirm the sign-in.',
} as const

type SignInFailureReason = keyof typeof TEXTS

const UNAVAILABLE: ReadonlySet<SignInFailureReason> = new Set(['provider_unreachable', 'unusable_discovery'])

/** @param error what discovery, redeeming a code or building an address threw */
export function signInFailure(error: unknown): SignInFailure {
  const reason = error instanceof Refusal ? discoveryReason(error.cause) : redeemReason(error)
  return { reason, status: UNAVAILABLE.has(reason) ? 503 : 400, text: TEXTS[reason] }
}

/** A failure that this server names itself: the libraries accept what causes it, or do not name it. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  readonly reason: SignInFailureReason
  constructor(reason: SignInFailureReason, options?: ErrorOptions) {
    super(reason, options)
    this.reason = reason
  }
}

/** The issuer that was expected and the one that the discovery document names, if they differ: for the log. */
export function differingIssuers(error: unknown): { issuer: string; found_issuer: string } | null {
  let facts: unknown = error
  while (facts instanceof Error) facts = facts.cause
  const { success, data } = IssuerMismatch.safeParse(facts)
  if (!success) return null
  return { issuer: data.expected, found_issuer: String(data.body.issuer).slice(0, ISSUER_LENGTH) }
}

const ISSUER_LENGTH = 300

// What the library gives as the cause.
const IssuerMismatch = z.object({
  attribute: z.literal('issuer'),
  expected: z.string(),
  body: z.object({ issuer: z.unknown() }),
})

function discoveryReason(cause: unknown): SignInFailureReason {
  return isUnreachable(cause) ? 'provider_unreachable' : 'unusable_discovery'
}

function redeemReason(error: unknown): SignInFailureReason {
  if (error instanceof SignInError) return error.reason
  if (error instanceof oidc.AuthorizationResponseError) return 'denied'
  if (error instanceof oidc.WWWAuthenticateChallengeError) return 'wrong_client_secret'
  if (error instanceof oidc.ResponseBodyError) return answerReason(error.error)
  if (isUnreachable(error)) return 'provider_unreachable'
  return error instanceof Error ? tokenReason(error) : 'not_confirmed'
}

function answerReason(code: string): SignInFailureReason {
  if (code === 'invalid_client' || code === 'unauthorized_client') return 'wrong_client_secret'
  return code === 'invalid_grant' ? 'code_refused' : 'provider_error'
}

function tokenReason(error: Error): SignInFailureReason {
  const code = 'code' in error ? error.code : ''
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return statusReason(error.cause)
  if (code === 'OAUTH_UNSUPPORTED_OPERATION') return 'unsupported_algorithm'
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return 'expired_token'
  if (code === 'OAUTH_KEY_SELECTION_FAILED') return 'unknown_key'
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED') return claimReason(error.cause)
  return code === 'OAUTH_INVALID_RESPONSE' ? responseReason(error.cause) : 'not_confirmed'
}

function statusReason(cause: unknown): SignInFailureReason {
  return cause instanceof Response && cause.status === 401 ? 'wrong_client_secret' : 'provider_error'
}

const CLAIMS: Readonly<Record<string, SignInFailureReason>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  azp: 'wrong_audience',
  nonce: 'wrong_nonce',
}

function claimReason(cause: unknown): SignInFailureReason {
  const details = cause instanceof Error ? cause.cause : null
  if (typeof details !== 'object' || details === null || !('claim' in details)) return 'not_confirmed'
  return CLAIMS[String(details.claim)] ?? 'not_confirmed'
}

// The library distinguishes these only by their messages.
function responseReason(cause: unknown): SignInFailureReason {
  const message = cause instanceof Error ? cause.message : ''
  if (message.includes('"alg"')) return 'unsupported_algorithm'
  if (message.includes('"iss"')) return 'wrong_issuer'
  return message.includes('signature') ? 'wrong_signature' : 'not_confirmed'
}

// `fetch` rejects with a TypeError whose cause is the error of the socket.
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === 'OAUTH_TIMEOUT') return true
  const source = error instanceof TypeError ? error : error.cause
  return source instanceof TypeError && source.cause instanceof Error
}
