import { AUTH_MODES, GET, PAGE } from '../endpoint.ts'
import * as session from '../schemas/session.ts'

/** Signing in, answered by the web-facing layer. */
export const signInEndpoints = {
  getSession: GET('/session', 'public', {
    layer: 'web',
    modes: AUTH_MODES,
    summary: 'Whether the caller is signed in, and how people sign in here',
    answer: session.SessionState,
  }),
  showSignIn: GET('/sign-in', 'public', {
    ...PAGE,
    modes: AUTH_MODES,
    summary: 'Sign in, then go to `return_to` (a path of ours)',
  }),
  showSignUp: GET('/sign-up', 'public', {
    ...PAGE,
    modes: AUTH_MODES,
    summary: 'Create an account, then go to `return_to` (a path of ours)',
  }),
  finishSignIn: GET('/auth/callback', 'public', {
    ...PAGE,
    modes: ['oidc'],
    summary: 'Where the identity provider sends the browser back',
  }),
}
