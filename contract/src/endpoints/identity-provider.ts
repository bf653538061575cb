import { type Endpoint, HOSTED_MODES } from '../endpoint.ts'
import { Ok } from '../schemas/text.ts'

/** Calls of the identity provider, answered by the web-facing layer. */
export const identityProviderEndpoints = {
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
