import { type Endpoint, GET, POST, PUT } from '../endpoint.ts'
import { Ok } from '../schemas/text.ts'
import * as user from '../schemas/user.ts'

/** Local accounts. */
export const accountEndpoints = {
  getSetup: GET('/api/v1/auth/setup', 'public', {
    summary: 'Whether the first local account is still to be created',
    responses: { 200: user.Setup },
    internal: true,
  }),
  setUpAccount: POST('/api/v1/auth/setup', 'public', {
    summary: 'Create the first local account, once',
    body: user.SetUpAccount,
    responses: { 201: user.SignedIn },
    errors: [400, 403, 409, 429],
    internal: true,
  }),
  logIn: POST('/api/v1/auth/login', 'public', {
    summary: 'Check e-mail and password of a local account',
    body: user.LogIn,
    responses: { 200: user.SignedIn },
    errors: [400, 401, 403, 429],
    internal: true,
  }),
  changePassword: PUT('/api/v1/auth/password', 'session', {
    summary: 'Change the password of the own local account',
    body: user.ChangePassword,
    responses: { 200: Ok },
    errors: [400, 404],
    internal: true,
  }),
  changeEmail: PUT('/api/v1/auth/email', 'session', {
    summary: 'Change the e-mail address of the own local account',
    body: user.ChangeEmail,
    responses: { 200: Ok },
    errors: [400, 404, 409],
    internal: true,
  }),
  joinWithAccount: POST('/api/v1/auth/join', 'public', {
    summary: 'Create a local account by an invitation, and join',
    body: user.JoinWithAccount,
    responses: { 201: user.Joined },
    errors: [400, 404, 409],
    internal: true,
  }),
} as const satisfies Record<string, Endpoint>
