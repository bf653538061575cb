import type { Endpoint } from '../endpoint.ts'
import * as passkey from '../schemas/passkey.ts'
import { Ok } from '../schemas/text.ts'
import * as user from '../schemas/user.ts'

/** Passkeys of local accounts. */
export const passkeyEndpoints = {
  listPasskeys: {
    method: 'GET',
    path: '/api/v1/auth/passkeys',
    access: 'session',
    summary: 'List the passkeys of the own local account',
    responses: { 200: passkey.OwnPasskeys },
    errors: [404],
  },
  preparePasskey: {
    method: 'POST',
    path: '/api/v1/auth/passkeys/prepare',
    access: 'session',
    summary: 'Check the password of the own local account before it gets a passkey',
    body: passkey.ConfirmPassword,
    responses: { 200: passkey.PasskeyOwner },
    errors: [400, 404, 409],
    internal: true,
  },
  addPasskey: {
    method: 'POST',
    path: '/api/v1/auth/passkeys',
    access: 'session',
    summary: 'Add a passkey to the own local account',
    body: passkey.AddVerifiedPasskey,
    responses: { 201: passkey.Passkey },
    errors: [400, 404, 409],
    internal: true,
  },
  renamePasskey: {
    method: 'PUT',
    path: '/api/v1/auth/passkeys/{passkey_id}',
    access: 'session',
    summary: 'Rename a passkey of the own local account',
    body: passkey.RenamePasskey,
    responses: { 200: passkey.Passkey },
    errors: [400, 404],
  },
  removePasskey: {
    method: 'POST',
    path: '/api/v1/auth/passkeys/{passkey_id}/remove',
    access: 'session',
    summary: 'Remove a passkey of the own local account; needs the password',
    body: passkey.ConfirmPassword,
    responses: { 200: Ok },
    errors: [400, 404],
  },
  changeSecondFactor: {
    method: 'PUT',
    path: '/api/v1/auth/second-factor',
    access: 'session',
    summary: 'Choose whether a sign-in with the password also asks for a passkey',
    body: passkey.ChangeSecondFactor,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  },
  logInWithPasskey: {
    method: 'POST',
    path: '/api/v1/auth/passkey-login',
    access: 'layer',
    summary: 'Check a passkey of a local account',
    body: passkey.LogInWithPasskey,
    responses: { 200: user.SignedIn },
    errors: [400, 401, 403, 429],
    internal: true,
  },
} as const satisfies Record<string, Endpoint>
