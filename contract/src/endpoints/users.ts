import { GET, POST, PUT } from '../endpoint.ts'
import * as user from '../schemas/user.ts'

/** Users, as the identity provider knows them. */
export const userEndpoints = {
  ensureUser: POST('/api/v1/users/ensure', 'public_or_layer', {
    summary: 'Provision the user of an identity-provider id, once',
    body: user.EnsureUser,
    responses: { 200: user.EnsuredUser, 201: user.EnsuredUser },
    errors: [403, 429, 500],
    modes: ['local'],
  }),
  changeProvidedUser: PUT('/api/v1/users/{idp_user_id}', 'layer', {
    summary: 'Take over what the identity provider says of a user: another e-mail, or gone',
    body: user.ChangeProvidedUser,
    errors: [404],
    internal: true,
  }),
  recordSignOut: POST('/api/v1/users/{idp_user_id}/signed-out', 'layer', {
    summary: 'Record that sessions of a user ended; answers all ways to sign in as that person',
    body: user.SignedOutUser,
    answer: user.EndedSessions,
    errors: [404],
    internal: true,
  }),
  getMe: GET('/api/v1/me', 'member', {
    summary: 'Who the caller is, and where',
    answer: user.Me,
  }),
}
