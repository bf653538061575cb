import { type Endpoint, GET, POST, PUT } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import * as user from '../schemas/user.ts'

/** Local accounts and their passkeys. */
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
    errors: [403, 409, 429],
    internal: true,
  }),
  logIn: POST('/api/v1/auth/login', 'public', {
    summary: 'Check e-mail and password of a local account',
    body: user.LogIn,
    responses: { 200: user.SignedIn },
    errors: [401, 403, 429],
    internal: true,
  }),
  changePassword: PUT('/api/v1/auth/password', 'session', {
    touch: 'sign_in',
    summary: "Change the password of the caller's local account",
    body: user.ChangePassword,
    responses: { 200: user.ChangedPassword },
    internal: true,
  }),
  changeEmail: PUT('/api/v1/auth/email', 'session', {
    touch: 'sign_in',
    summary: "Change the e-mail address of the caller's local account",
    body: user.ChangeEmail,
    errors: [409],
    internal: true,
  }),
  joinWithAccount: POST('/api/v1/auth/join', 'public', {
    summary: 'Create a local account by an invitation, and join',
    body: user.JoinWithAccount,
    responses: { 201: user.Joined },
    errors: [404, 409],
    internal: true,
  }),
  listPasskeys: GET('/api/v1/auth/passkeys', 'session', {
    summary: "List the passkeys of the caller's local account",
    responses: { 200: passkey.OwnPasskeys },
  }),
  preparePasskey: POST('/api/v1/auth/passkeys/prepare', 'session', {
    touch: 'sign_in',
    summary: "Check the password of the caller's local account before it gets a passkey",
    body: passkey.ConfirmPassword,
    responses: { 200: passkey.PasskeyOwner },
    errors: [409],
    internal: true,
  }),
  addPasskey: POST('/api/v1/auth/passkeys', 'session', {
    touch: 'sign_in',
    summary: "Add a passkey to the caller's local account",
    body: passkey.AddVerifiedPasskey,
    responses: { 201: passkey.Passkey },
    errors: [409],
    internal: true,
  }),
  renamePasskey: PUT('/api/v1/auth/passkeys/{passkey_id}', 'session', {
    touch: 'sign_in',
    summary: "Rename a passkey of the caller's local account",
    body: passkey.RenamePasskey,
    responses: { 200: passkey.Passkey },
    errors: [409],
  }),
  removePasskey: POST('/api/v1/auth/passkeys/{passkey_id}/remove', 'session', {
    touch: 'sign_in',
    summary: "Remove a passkey of the caller's local account; needs the password",
    body: passkey.ConfirmPassword,
  }),
  changeSecondFactor: PUT('/api/v1/auth/second-factor', 'session', {
    touch: 'sign_in',
    summary: 'Choose whether a sign-in with the password also asks for a passkey',
    body: passkey.ChangeSecondFactor,
    errors: [409],
  }),
  logInWithPasskey: POST('/api/v1/auth/passkey-login', 'layer', {
    summary: 'Check a passkey of a local account',
    body: passkey.LogInWithPasskey,
    responses: { 200: user.SignedIn },
    errors: [403, 429],
    internal: true,
  }),
} as const satisfies Record<string, Endpoint>
