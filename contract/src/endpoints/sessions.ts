import { DELETE, GET, HOSTED_MODES, PAGE, POST } from '../endpoint.ts'
import * as session from '../schemas/session.ts'

const OF_SESSIONS = { layer: 'web', modes: ['accounts', 'oidc'] } as const

/** Sessions, the own account, and calls of the identity provider, answered by the web-facing layer. */
export const sessionEndpoints = {
  signOut: POST('/sign-out', 'public', {
    layer: 'web',
    modes: HOSTED_MODES,
    summary: 'End this session; a form that accepts HTML is redirected instead',
    answer: session.SignedOut,
    errors: [401, 403],
  }),
  listSessions: GET('/auth/sessions', 'session', {
    ...OF_SESSIONS,
    summary: 'List the sessions of the signed-in person',
    answer: session.SessionList,
  }),
  endSession: DELETE('/auth/sessions/{id}', 'session', {
    ...OF_SESSIONS,
    summary: 'End one session of the signed-in person',
  }),
  endAllSessions: POST('/auth/sessions/end-all', 'session', {
    ...OF_SESSIONS,
    summary: 'End every session of the signed-in person, of linked ways to sign in too, and this one',
    answer: session.SignedOut,
  }),
  clearSession: POST('/session/clear', 'public', {
    ...PAGE,
    modes: HOSTED_MODES,
    summary: 'Delete all session cookies of a browser that sent two, then go to `return_to`',
  }),
  receiveLogout: POST('/auth/backchannel-logout', 'public', {
    layer: 'web',
    modes: ['oidc'],
    summary: 'End the sessions that a logout token names (OpenID Connect Back-Channel Logout)',
    errors: [400, 403, 413],
  }),
  receiveIdentityEvent: POST('/webhooks/identity', 'public', {
    layer: 'web',
    modes: HOSTED_MODES,
    summary: 'Take over a changed or deleted user (Standard Webhooks; needs `IDENTITY_WEBHOOK_SECRET`)',
    errors: [400, 401, 403, 413],
  }),
}
