import { expect, test } from 'vitest'
import { SignInError, signInFailure } from './sign-in-failure.ts'

test.each([
  ['unsupported_algorithm', 400, /RS256 or ES256/],
  ['unusable_subject', 400, /no usable id/],
  ['not_asked_again', 400, /SIGN_IN_AGAIN_SECONDS/],
  ['wrong_nonce', 400, /belongs to another sign-in/],
  ['provider_unreachable', 503, /does not answer/],
] as const)('%s is %i, and says what to do', (reason, status, text) => {
  expect(signInFailure(new SignInError(reason))).toEqual({
    reason,
    status,
    text: expect.stringMatching(text),
  })
})
