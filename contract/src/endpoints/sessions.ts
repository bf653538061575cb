import { DELETE, type Endpoint, GET, HOSTED_MODES, POST } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import * as session from '../schemas/session.ts'
import { Ok } from '../schemas/text.ts'
import * as user from '../schemas/user.ts'

const OWN_SESSIONS = ['accounts', 'oidc'] as const

/** Sessions and the own account, answered by the web-facing layer. */
export const sessionEndpoints = {
  signOut: POST('/sign-out', 'public', {
    layer: 'web',
    modes: HOSTED_MODES,
    summary: 'End this session; a form that accepts HTML is redirected instead',
    responses: { 200: session.SignedOut },
    errors: [401, 403],
  }),
  listSessions: GET('/auth/sessions', 'session', {
    layer: 'web',
    modes: OWN_SESSIONS,
    summary: 'List the sessions of the signed-in person',
    responses: { 200: session.SessionList },
  }),
  endSession: DELETE('/auth/sessions/{id}', 'session', {
    layer: 'web',
    modes: OWN_SESSIONS,
    summary: 'End one session of the signed-in person',
    responses: { 200: Ok },
  }),
  endAllSessions: POST('/auth/sessions/end-all', 'session', {
    layer: 'web',
    modes: OWN_SESSIONS,
    summary: 'End every session of the signed-in person, this one too',
    responses: { 200: session.SignedOut },
  }),
  changeOwnPassword: POST('/auth/password', 'session', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Change the own password; ends every other session',
    body: user.ChangePassword,
    responses: { 200: Ok },
    errors: [400],
  }),
  changeOwnEmail: POST('/auth/email', 'session', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Change the own e-mail address',
    body: user.ChangeEmail,
    responses: { 200: Ok },
    errors: [400, 409],
  }),
  beginPasskey: POST('/auth/passkeys/options', 'session', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Begin adding a passkey; needs the password; sets a short-lived cookie',
    body: passkey.ConfirmPassword,
    responses: { 200: passkey.NewPasskeyOptions },
    errors: [400, 409],
  }),
  finishPasskey: POST('/auth/passkeys', 'session', {
    layer: 'web',
    modes: ['accounts'],
    summary: 'Finish adding a passkey',
    body: passkey.AddPasskey,
    responses: { 200: passkey.Passkey },
    errors: [400, 409],
  }),
  clearSession: POST('/session/clear', 'public', {
    layer: 'web',
    modes: HOSTED_MODES,
    page: true,
    summary: 'Delete all session cookies of a browser that sent two, then go to `return_to`',
    responses: {},
  }),
} as const satisfies Record<string, Endpoint>
