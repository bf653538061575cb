import { type Endpoint, HOSTED_MODES, POST } from '../endpoint.ts'
import { Ok } from '../schemas/text.ts'

/** Calls of the identity provider, answered by the web-facing layer. */
export const identityProviderEndpoints = {
  receiveLogout: POST('/auth/backchannel-logout', 'public', {
    layer: 'web',
    modes: ['oidc'],
    summary: 'End the sessions that a logout token names (OpenID Connect Back-Channel Logout)',
    responses: { 200: Ok },
    errors: [400, 403, 413],
  }),
  receiveIdentityEvent: POST('/webhooks/identity', 'public', {
    layer: 'web',
    modes: HOSTED_MODES,
    summary: 'Take over a changed or deleted user (Standard Webhooks; needs `IDENTITY_WEBHOOK_SECRET`)',
    responses: { 200: Ok },
    errors: [400, 401, 403, 409, 413],
  }),
} as const satisfies Record<string, Endpoint>
