import { GET, PAGE, POST, PUT } from '../endpoint.ts'
import { SignedIn } from '../schemas/user.ts'
import * as account from './schemas.ts'

/** Local accounts and their passkeys. */
export const accountEndpoints = {
  getSetup: GET('/api/v1/auth/setup', 'public', {
    summary: 'Whether the first local account is still to be created',
    answer: account.Setup,
    internal: true,
  }),
  setUpAccount: POST('/api/v1/auth/setup', 'public', {
    summary: 'Create the first local account, once',
    body: account.SetUpAccount,
    created: SignedIn,
    errors: [403, 409, 429],
    internal: true,
  }),
  logIn: POST('/api/v1/auth/login', 'public', {
    summary: 'Check e-mail and password of a local account',
    body: account.LogIn,
    answer: SignedIn,
    errors: [401, 403, 429],
    internal: true,
  }),
  changePassword: PUT('/api/v1/auth/password', 'session', {
    touch: 'sign_in',
    summary: "Change the password of the caller's local account",
    body: account.ChangePassword,
    answer: account.ChangedPassword,
    internal: true,
  }),
  changeEmail: PUT('/api/v1/auth/email', 'session', {
    touch: 'sign_in',
    summary: "Change the e-mail address of the caller's local account",
    body: account.ChangeEmail,
    errors: [409],
    internal: true,
  }),
  joinWithAccount: POST('/api/v1/auth/join', 'public', {
    summary: 'Create a local account by an invitation, and join',
    body: account.JoinWithAccount,
    created: account.Joined,
    errors: [404, 409],
    internal: true,
  }),
  listPasskeys: GET('/api/v1/auth/passkeys', 'session', {
    summary: "List the passkeys of the caller's local account",
    answer: account.OwnPasskeys,
  }),
  preparePasskey: POST('/api/v1/auth/passkeys/prepare', 'session', {
    touch: 'sign_in',
    summary: "Check the password of the caller's local account before it gets a passkey",
    body: account.ConfirmPassword,
    answer: account.PasskeyOwner,
    errors: [409],
    internal: true,
  }),
  addPasskey: POST('/api/v1/auth/passkeys', 'session', {
    touch: 'sign_in',
    summary: "Add a passkey to the caller's local account",
    body: account.AddVerifiedPasskey,
    created: account.Passkey,
    errors: [409],
    internal: true,
  }),
  renamePasskey: PUT('/api/v1/auth/passkeys/{passkey_id}', 'session', {
    touch: 'sign_in',
    summary: "Rename a passkey of the caller's local account",
    body: account.RenamePasskey,
    answer: account.Passkey,
    errors: [409],
  }),
  removePasskey: POST('/api/v1/auth/passkeys/{passkey_id}/remove', 'session', {
    touch: 'sign_in',
    summary: "Remove a passkey of the caller's local account; needs the password",
    body: account.ConfirmPassword,
  }),
  changeSecondFactor: PUT('/api/v1/auth/second-factor', 'session', {
    touch: 'sign_in',
    summary: 'Choose whether a sign-in with the password also asks for a passkey',
    body: account.ChangeSecondFactor,
    errors: [409],
  }),
  logInWithPasskey: POST('/api/v1/auth/passkey-login', 'layer', {
    summary: 'Check a passkey of a local account',
    body: account.LogInWithPasskey,
    answer: SignedIn,
    errors: [403, 429],
    internal: true,
  }),
}

const OF_ACCOUNTS = { layer: 'web', modes: ['accounts'] } as const

/** Sign-in and the caller's own account, answered by the web-facing layer. */
export const accountWebEndpoints = {
  showSetUp: GET('/set-up', 'public', {
    ...PAGE,
    modes: ['accounts'],
    summary: 'Create the first account',
  }),
  signIn: POST('/sign-in', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Sign in with e-mail and password; sets the session cookie',
    body: account.LogIn,
    errors: [401, 403, 429],
  }),
  beginPasskeySignIn: POST('/sign-in/passkey/options', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Begin a sign-in with a passkey; sets a short-lived cookie',
    answer: account.PasskeyOptions,
    errors: [403, 409],
  }),
  signInWithPasskey: POST('/sign-in/passkey', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Sign in with a passkey, alone or after the password; sets the session cookie',
    body: account.SignInWithPasskey,
    errors: [401, 403, 409, 429],
  }),
  setUp: POST('/set-up', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Create the first account and sign in',
    body: account.SetUpAccount,
    errors: [403, 409, 429],
  }),
  signUp: POST('/sign-up', 'public', {
    ...OF_ACCOUNTS,
    summary: 'Create an account by an invitation, join its workspace and sign in',
    body: account.JoinWithAccount,
    errors: [403, 404, 409],
  }),
  changeOwnPassword: POST('/auth/password', 'session', {
    ...OF_ACCOUNTS,
    summary: "Change the caller's password; ends every other session",
    body: account.ChangePassword,
    answer: account.ChangedPassword,
  }),
  changeOwnEmail: POST('/auth/email', 'session', {
    ...OF_ACCOUNTS,
    summary: "Change the caller's e-mail address",
    body: account.ChangeEmail,
    errors: [409],
  }),
  beginPasskey: POST('/auth/passkeys/options', 'session', {
    ...OF_ACCOUNTS,
    summary: 'Begin adding a passkey; needs the password; sets a short-lived cookie',
    body: account.ConfirmPassword,
    answer: account.NewPasskeyOptions,
    errors: [409],
  }),
  finishPasskey: POST('/auth/passkeys', 'session', {
    ...OF_ACCOUNTS,
    summary: 'Finish adding a passkey',
    body: account.AddPasskey,
    answer: account.Passkey,
    errors: [409],
  }),
}
