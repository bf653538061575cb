import { AUTH_MODES, type Endpoint } from './endpoint.ts'
import * as session from './schemas/session.ts'
import { Ok } from './schemas/text.ts'
import * as user from './schemas/user.ts'

const HOSTED_MODES = ['accounts', 'oidc', 'clerk'] as const
const OWN_SESSIONS = ['accounts', 'oidc'] as const

const signIn = {
  getSession: {
    layer: 'web',
    modes: AUTH_MODES,
    method: 'GET',
    path: '/session',
    access: 'public',
    summary: 'Whether the caller is signed in, and how people sign in here',
    responses: { 200: session.SessionState },
  },
  showSignIn: {
    layer: 'web',
    modes: AUTH_MODES,
    page: true,
    method: 'GET',
    path: '/sign-in',
    access: 'public',
    summary: 'Sign in, then go to `return_to` (a path of ours)',
    responses: {},
  },
  showSignUp: {
    layer: 'web',
    modes: AUTH_MODES,
    page: true,
    method: 'GET',
    path: '/sign-up',
    access: 'public',
    summary: 'Create an account, then go to `return_to` (a path of ours)',
    responses: {},
  },
  showSetUp: {
    layer: 'web',
    modes: ['accounts'],
    page: true,
    method: 'GET',
    path: '/set-up',
    access: 'public',
    summary: 'Create the first account',
    responses: {},
  },
  signIn: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/sign-in',
    access: 'public',
    summary: 'Sign in with e-mail and password; sets the session cookie',
    body: user.LogIn,
    responses: { 200: Ok },
    errors: [401, 403, 429],
  },
  setUp: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/set-up',
    access: 'public',
    summary: 'Create the first account and sign in',
    body: user.SetUpAccount,
    responses: { 200: Ok },
    errors: [403, 409, 429],
  },
  signUp: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/sign-up',
    access: 'public',
    summary: 'Create an account by an invitation, join its workspace and sign in',
    body: user.JoinWithAccount,
    responses: { 200: Ok },
    errors: [403, 404, 409],
  },
  finishSignIn: {
    layer: 'web',
    modes: ['oidc'],
    page: true,
    method: 'GET',
    path: '/auth/callback',
    access: 'public',
    summary: 'Where the identity provider sends the browser back',
    responses: {},
  },
} as const satisfies Record<string, Endpoint>

const sessions = {
  signOut: {
    layer: 'web',
    modes: HOSTED_MODES,
    method: 'POST',
    path: '/sign-out',
    access: 'public',
    summary: 'End this session; a form that accepts HTML is redirected instead',
    responses: { 200: session.SignedOut },
    errors: [401, 403],
  },
  listSessions: {
    layer: 'web',
    modes: OWN_SESSIONS,
    method: 'GET',
    path: '/auth/sessions',
    access: 'session',
    summary: 'List the sessions of the signed-in person',
    responses: { 200: session.SessionList },
  },
  endSession: {
    layer: 'web',
    modes: OWN_SESSIONS,
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    access: 'session',
    summary: 'End one session of the signed-in person',
    params: session.SessionParams,
    responses: { 200: Ok },
  },
  endAllSessions: {
    layer: 'web',
    modes: OWN_SESSIONS,
    method: 'POST',
    path: '/auth/sessions/end-all',
    access: 'session',
    summary: 'End every session of the signed-in person, this one too',
    responses: { 200: session.SignedOut },
  },
  clearSession: {
    layer: 'web',
    modes: HOSTED_MODES,
    page: true,
    method: 'POST',
    path: '/session/clear',
    access: 'public',
    summary: 'Delete all session cookies of a browser that sent two, then go to `return_to`',
    responses: {},
  },
} as const satisfies Record<string, Endpoint>

const provider = {
  receiveLogout: {
    layer: 'web',
    modes: ['oidc'],
    method: 'POST',
    path: '/auth/backchannel-logout',
    access: 'public',
    summary: 'End the sessions that a logout token names (OpenID Connect Back-Channel Logout)',
    responses: { 200: Ok },
    errors: [400, 403, 413],
  },
  receiveIdentityEvent: {
    layer: 'web',
    modes: HOSTED_MODES,
    method: 'POST',
    path: '/webhooks/identity',
    access: 'public',
    summary: 'Take over a changed or deleted user (Standard Webhooks; needs `IDENTITY_WEBHOOK_SECRET`)',
    responses: { 200: Ok },
    errors: [400, 401, 403, 409, 413],
  },
} as const satisfies Record<string, Endpoint>

/** The rows that the web-facing layer answers itself. */
export const webEndpoints = { ...signIn, ...sessions, ...provider } as const
