import { type Endpoint, GET, POST, PUT } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import { Ok } from '../schemas/text.ts'
import * as user from '../schemas/user.ts'

/** Passkeys of local accounts. */
export const passkeyEndpoints = {
  listPasskeys: GET('/api/v1/auth/passkeys', 'session', {
    summary: 'List the passkeys of the own local account',
    responses: { 200: passkey.OwnPasskeys },
    errors: [404],
  }),
  preparePasskey: POST('/api/v1/auth/passkeys/prepare', 'session', {
    summary: 'Check the password of the own local account before it gets a passkey',
    body: passkey.ConfirmPassword,
    responses: { 200: passkey.PasskeyOwner },
    errors: [400, 404, 409],
    internal: true,
  }),
  addPasskey: POST('/api/v1/auth/passkeys', 'session', {
    summary: 'Add a passkey to the own local account',
    body: passkey.AddVerifiedPasskey,
    responses: { 201: passkey.Passkey },
    errors: [400, 404, 409],
    internal: true,
  }),
  renamePasskey: PUT('/api/v1/auth/passkeys/{passkey_id}', 'session', {
    summary: 'Rename a passkey of the own local account',
    body: passkey.RenamePasskey,
    responses: { 200: passkey.Passkey },
    errors: [400, 404],
  }),
  removePasskey: POST('/api/v1/auth/passkeys/{passkey_id}/remove', 'session', {
    summary: 'Remove a passkey of the own local account; needs the password',
    body: passkey.ConfirmPassword,
    responses: { 200: Ok },
    errors: [400, 404],
  }),
  changeSecondFactor: PUT('/api/v1/auth/second-factor', 'session', {
    summary: 'Choose whether a sign-in with the password also asks for a passkey',
    body: passkey.ChangeSecondFactor,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  }),
  logInWithPasskey: POST('/api/v1/auth/passkey-login', 'layer', {
    summary: 'Check a passkey of a local account',
    body: passkey.LogInWithPasskey,
    responses: { 200: user.SignedIn },
    errors: [400, 401, 403, 429],
    internal: true,
  }),
} as const satisfies Record<string, Endpoint>
