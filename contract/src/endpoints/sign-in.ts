import { AUTH_MODES, type Endpoint, GET, OF_ACCOUNTS, PAGE, POST } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import * as session from '../schemas/session.ts'
import * as user from '../schemas/user.ts'

/** Signing in, answered by the web-facing layer. */
export const signInEndpoints = {
  getSession: GET('/session', 'public', {
    layer: 'web',
    modes: AUTH_MODES,
    summary: 'Whether the caller is signed in, and how people sign in here',
    responses: { 200: session.SessionState },
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
  showSetUp: GET('/set-up', 'public', {
    ...PAGE,
    modes: ['accounts'],
    summary: 'Create the first account',
  }),
  signIn: POST('/sign-in', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Sign in with e-mail and password; sets the session cookie',
    body: user.LogIn,
    errors: [401, 403, 429],
  }),
  beginPasskeySignIn: POST('/sign-in/passkey/options', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Begin a sign-in with a passkey; sets a short-lived cookie',
    responses: { 200: passkey.PasskeyOptions },
    errors: [403, 409],
  }),
  signInWithPasskey: POST('/sign-in/passkey', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Sign in with a passkey, alone or after the password; sets the session cookie',
    body: passkey.SignInWithPasskey,
    errors: [401, 403, 409, 429],
  }),
  setUp: POST('/set-up', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Create the first account and sign in',
    body: user.SetUpAccount,
    errors: [403, 409, 429],
  }),
  signUp: POST('/sign-up', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Create an account by an invitation, join its workspace and sign in',
    body: user.JoinWithAccount,
    errors: [403, 404, 409],
  }),
  finishSignIn: GET('/auth/callback', 'public', {
    ...PAGE,
    modes: ['oidc'],
    summary: 'Where the identity provider sends the browser back',
  }),
} as const satisfies Record<string, Endpoint>
