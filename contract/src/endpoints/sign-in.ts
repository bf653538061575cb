import { AUTH_MODES, type Endpoint, GET, POST } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import * as session from '../schemas/session.ts'
import { Ok } from '../schemas/text.ts'
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
    layer: 'web',
    modes: AUTH_MODES,
    page: true,
    summary: 'Sign in, then go to `return_to` (a path of ours)',
    responses: {},
  }),
  showSignUp: GET('/sign-up', 'public', {
    layer: 'web',
    modes: AUTH_MODES,
    page: true,
    summary: 'Create an account, then go to `return_to` (a path of ours)',
    responses: {},
  }),
  showSetUp: GET('/set-up', 'public', {
    layer: 'web',
    modes: ['accounts'],
    page: true,
    summary: 'Create the first account',
    responses: {},
  }),
  signIn: POST('/sign-in', 'public', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Sign in with e-mail and password; sets the session cookie',
    body: user.LogIn,
    responses: { 200: Ok },
    errors: [401, 403, 429],
  }),
  beginPasskeySignIn: POST('/sign-in/passkey/options', 'public', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Begin a sign-in with a passkey; sets a short-lived cookie',
    responses: { 200: passkey.PasskeyOptions },
    errors: [403, 409],
  }),
  signInWithPasskey: POST('/sign-in/passkey', 'public', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Sign in with a passkey, alone or after the password; sets the session cookie',
    body: passkey.SignInWithPasskey,
    responses: { 200: Ok },
    errors: [401, 403, 409, 429],
  }),
  setUp: POST('/set-up', 'public', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Create the first account and sign in',
    body: user.SetUpAccount,
    responses: { 200: Ok },
    errors: [403, 409, 429],
  }),
  signUp: POST('/sign-up', 'public', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Create an account by an invitation, join its workspace and sign in',
    body: user.JoinWithAccount,
    responses: { 200: Ok },
    errors: [403, 404, 409],
  }),
  finishSignIn: GET('/auth/callback', 'public', {
    layer: 'web',
    modes: ['oidc'],
    page: true,
    summary: 'Where the identity provider sends the browser back',
    responses: {},
  }),
} as const satisfies Record<string, Endpoint>
