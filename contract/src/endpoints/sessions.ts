import { type Endpoint, HOSTED_MODES } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import * as session from '../schemas/session.ts'
import { Ok } from '../schemas/text.ts'
import * as user from '../schemas/user.ts'

const OWN_SESSIONS = ['accounts', 'oidc'] as const

/** Sessions and the own account, answered by the web-facing layer. */
export const sessionEndpoints = {
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
  changeOwnPassword: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/auth/password',
    access: 'session',
    summary: 'Change the own password; ends every other session',
    body: user.ChangePassword,
    responses: { 200: Ok },
    errors: [400],
  },
  changeOwnEmail: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/auth/email',
    access: 'session',
    summary: 'Change the own e-mail address',
    body: user.ChangeEmail,
    responses: { 200: Ok },
    errors: [400, 409],
  },
  beginPasskey: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/auth/passkeys/options',
    access: 'session',
    summary: 'Begin adding a passkey; needs the password; sets a short-lived cookie',
    body: passkey.ConfirmPassword,
    responses: { 200: passkey.NewPasskeyOptions },
    errors: [400, 409],
  },
  finishPasskey: {
    layer: 'web',
    modes: ['accounts'],
    method: 'POST',
    path: '/auth/passkeys',
    access: 'session',
    summary: 'Finish adding a passkey',
    body: passkey.AddPasskey,
    responses: { 200: passkey.Passkey },
    errors: [400, 409],
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
