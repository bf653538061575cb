import * as oidc from 'openid-client'
import { expect, test } from 'vitest'
import { unavailable } from '../../http/refusal.ts'
import { differingIssuers, SignInError, signInFailure } from './sign-in-failure.ts'

const REASONS = [
  ['denied', 'provider_unreachable', 'unusable_discovery', 'wrong_client_secret', 'code_refused'],
  ['provider_error', 'userinfo_failed', 'unsupported_algorithm', 'unknown_key', 'wrong_signature'],
  ['expired_token', 'wrong_issuer', 'wrong_audience', 'unusable_subject', 'wrong_nonce', 'not_asked_again'],
  ['not_confirmed'],
] as const

test('each failure of a sign-in says what to do', () => {
  const texts = REASONS.flat().map((name) => {
    const { reason, status, text } = signInFailure(new SignInError(name))
    return `${reason} ${status} ${text}`
  })
  expect(texts.join('\n')).toMatchInlineSnapshot(`
    "denied 400 The identity provider did not sign you in.
    provider_unreachable 503 The identity provider does not answer. Try again in a moment.
    unusable_discovery 503 The discovery document of the identity provider is unusable. Ask the operator to check OIDC_ISSUER.
    wrong_client_secret 400 The identity provider refused the credentials of this server. Ask the operator to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.
    code_refused 400 The sign-in took too long or was used before. Sign in again.
    provider_error 400 The identity provider answered with an error. Try again in a moment.
    userinfo_failed 400 The identity provider did not say who you are. Try again in a moment.
    unsupported_algorithm 400 The identity provider signs ID tokens with an unsupported algorithm. Ask the operator to configure RS256 or ES256 for this client.
    unknown_key 400 The ID token is signed with a key that the identity provider does not publish.
    wrong_signature 400 The signature of the ID token is wrong.
    expired_token 400 The ID token has expired or is not valid yet. Ask the operator to compare the clocks of this server and the identity provider.
    wrong_issuer 400 The ID token is from another issuer. Ask the operator to check OIDC_ISSUER.
    wrong_audience 400 The ID token is for another client. Ask the operator to check OIDC_CLIENT_ID.
    unusable_subject 400 The identity provider sent no usable id (sub) for you. Ask the operator to give each person one of up to 255 printable characters.
    wrong_nonce 400 The ID token belongs to another sign-in. Sign in again.
    not_asked_again 400 Your provider did not ask you to sign in again, or its clock is behind. Ask the operator to compare the clocks, and about SIGN_IN_AGAIN_SECONDS.
    not_confirmed 400 The identity provider did not confirm the sign-in."
  `)
})

const coded = (code: string, cause?: unknown) => Object.assign(new Error('x', { cause }), { code })
const answered = (error: string) =>
  new oidc.ResponseBodyError('x', { cause: { error }, response: new Response(null, { status: 400 }) })
const comparison = (claim: unknown) =>
  coded('OAUTH_JWT_CLAIM_COMPARISON_FAILED', new Error('x', { cause: { claim } }))
const invalid = (message: string) => coded('OAUTH_INVALID_RESPONSE', new Error(message))
const unreachable = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })

test.each([
  [answered('invalid_client'), 'wrong_client_secret'],
  [answered('unauthorized_client'), 'wrong_client_secret'],
  [answered('invalid_grant'), 'code_refused'],
  [answered('server_error'), 'provider_error'],
  [coded('OAUTH_TIMEOUT'), 'provider_unreachable'],
  [unreachable, 'provider_unreachable'],
  [new Error('x', { cause: unreachable }), 'provider_unreachable'],
  [new TypeError('x'), 'not_confirmed'],
  [new Error('x', { cause: new Error('y', { cause: new Error('z') }) }), 'not_confirmed'],
  [coded('OAUTH_RESPONSE_IS_NOT_CONFORM', new Response(null, { status: 401 })), 'wrong_client_secret'],
  [coded('OAUTH_RESPONSE_IS_NOT_CONFORM', new Response(null, { status: 500 })), 'provider_error'],
  [coded('OAUTH_RESPONSE_IS_NOT_CONFORM'), 'provider_error'],
  [coded('OAUTH_UNSUPPORTED_OPERATION'), 'unsupported_algorithm'],
  [coded('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'), 'expired_token'],
  [coded('OAUTH_KEY_SELECTION_FAILED'), 'unknown_key'],
  [comparison('iss'), 'wrong_issuer'],
  [comparison('aud'), 'wrong_audience'],
  [comparison('azp'), 'wrong_audience'],
  [comparison('nonce'), 'wrong_nonce'],
  [comparison('sub'), 'not_confirmed'],
  [coded('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'not_confirmed'],
  [invalid('unexpected JWT "alg" header parameter'), 'unsupported_algorithm'],
  [invalid('unexpected JWT "iss" claim'), 'wrong_issuer'],
  [invalid('JWT signature verification failed'), 'wrong_signature'],
  [invalid('something else'), 'not_confirmed'],
  [coded('OAUTH_INVALID_RESPONSE'), 'not_confirmed'],
  [coded('SOMETHING_ELSE'), 'not_confirmed'],
  ['no error', 'not_confirmed'],
  [unavailable('x', unreachable), 'provider_unreachable'],
  [unavailable('x', coded('OAUTH_TIMEOUT')), 'provider_unreachable'],
  [unavailable('x', new Error('no usable token_endpoint')), 'unusable_discovery'],
])('%# the error of the library gives the reason %s', (error, reason) => {
  expect(signInFailure(error)).toMatchObject({ reason })
})

test('two different issuers are named, at any depth of the error', () => {
  const facts = { attribute: 'issuer', expected: 'https://a.example', body: { issuer: 'x'.repeat(301) } }
  const found = { issuer: 'https://a.example', found_issuer: 'x'.repeat(300) }
  expect(differingIssuers(new Error('x', { cause: new Error('y', { cause: facts }) }))).toEqual(found)
  expect(differingIssuers(new Error('x', { cause: { ...facts, attribute: 'jwks_uri' } }))).toBeNull()
  expect(differingIssuers(new Error('x'))).toBeNull()
})
