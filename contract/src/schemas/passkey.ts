import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Flag, Id, requiredText, storable, Timestamp } from './text.ts'

/** Bytes as base64url without padding, as WebAuthn writes them in JSON. */
const Bytes = (field: string) =>
  z
    .string({ error: `${field} required` })
    .max(LIMITS.passkeyFieldLength, `${field} is too long`)
    .regex(/^[\w-]+$/, `${field} must be base64url`)

const EXAMPLE_CHALLENGE = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'
const EXAMPLE_CREDENTIAL = {
  id: 'Zb3mTqk0cZ5q8uJYy0mXnw',
  rawId: 'Zb3mTqk0cZ5q8uJYy0mXnw',
  type: 'public-key',
}
const EXAMPLE_CEREMONY = {
  challenge: EXAMPLE_CHALLENGE,
  origin: 'https://keyferry.example.com',
  rp_id: 'keyferry.example.com',
}
const EXAMPLE_NEW = {
  ...EXAMPLE_CREDENTIAL,
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0', attestationObject: 'o2NmbXRkbm9uZQ' },
}
const EXAMPLE_USE = {
  ...EXAMPLE_CREDENTIAL,
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA',
    signature: 'MEUCIQDj3q8',
    userHandle: 'ZDljMWIxZTc',
  },
}

const CredentialId = Bytes('passkey.id').meta({ id: 'CredentialId' })

const PublicKeyType = z.literal('public-key', { error: 'passkey.type must be public-key' })

/** What a browser answers when it made a passkey: a `RegistrationResponseJSON` of WebAuthn. */
const NewPasskeyResponse = z
  .object({
    id: CredentialId,
    rawId: CredentialId,
    type: PublicKeyType,
    response: z.object({
      clientDataJSON: Bytes('clientDataJSON'),
      attestationObject: Bytes('attestationObject'),
    }),
  })
  .meta({ id: 'NewPasskeyResponse' })

/** What a browser answers when a person used a passkey: an `AuthenticationResponseJSON` of WebAuthn. */
const PasskeyResponse = z
  .object({
    id: CredentialId,
    rawId: CredentialId,
    type: PublicKeyType,
    response: z.object({
      clientDataJSON: Bytes('clientDataJSON'),
      authenticatorData: Bytes('authenticatorData'),
      signature: Bytes('signature'),
      userHandle: Bytes('userHandle').optional(),
    }),
  })
  .meta({ id: 'PasskeyResponse' })

/** What a response has to match: the challenge that was given, our origin, and the host name that passkeys belong to.
 * */
const Ceremony = z
  .object({ challenge: Bytes('challenge'), origin: z.string(), rp_id: z.string() })
  .meta({ id: 'PasskeyCeremony' })

const PasskeyName = storable(
  z
    .string({ error: 'name required' })
    .trim()
    .min(1, 'name required')
    .max(LIMITS.passkeyNameLength, `name must be at most ${LIMITS.passkeyNameLength} characters`),
  'name',
)

const CurrentPassword = requiredText(
  'current_password',
  LIMITS.passwordMaxLength,
  'current_password required',
)

export const ConfirmPassword = z
  .object({ current_password: CurrentPassword })
  .meta({ id: 'ConfirmPassword', examples: [{ current_password: 'correct horse battery' }] })

const EXAMPLE = {
  id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10',
  name: 'Laptop',
  created_at: '2026-01-31T12:00:00.000Z',
  last_used_at: null,
}

export const Passkey = z
  .object({ id: Id, name: z.string(), created_at: Timestamp, last_used_at: Timestamp.nullable() })
  .meta({ id: 'Passkey', examples: [EXAMPLE] })

/** `after_password`: a sign-in with the password also asks for a passkey. */
export const OwnPasskeys = z
  .object({ passkeys: z.array(Passkey), after_password: z.boolean() })
  .meta({ id: 'OwnPasskeys', examples: [{ passkeys: [EXAMPLE], after_password: false }] })

export const RenamePasskey = z
  .object({ name: PasskeyName })
  .meta({ id: 'RenamePasskey', examples: [{ name: 'Work laptop' }] })

export const ChangeSecondFactor = ConfirmPassword.extend({ after_password: Flag('after_password') }).meta({
  id: 'ChangeSecondFactor',
  examples: [{ current_password: 'correct horse battery', after_password: true }],
})

/** For whom a new passkey is: `user_handle` is the base64url id that the passkey stores; `exclude` are the credential
 * ids that the account has already. */
export const PasskeyOwner = z
  .object({ user_handle: z.string(), user_name: z.string(), exclude: z.array(z.string()) })
  .meta({
    id: 'PasskeyOwner',
    examples: [
      { user_handle: 'ZDljMWIxZTc', user_name: 'sam@example.com', exclude: [EXAMPLE_CREDENTIAL.id] },
    ],
  })

export const AddVerifiedPasskey = z
  .object({ name: PasskeyName, passkey: NewPasskeyResponse, ceremony: Ceremony })
  .meta({
    id: 'AddVerifiedPasskey',
    examples: [{ name: 'Laptop', passkey: EXAMPLE_NEW, ceremony: EXAMPLE_CEREMONY }],
  })

/** `user_id`: whose password was right a moment ago; null when the passkey is used alone. */
export const LogInWithPasskey = z
  .object({ passkey: PasskeyResponse, ceremony: Ceremony, user_id: Id.nullable() })
  .meta({
    id: 'LogInWithPasskey',
    examples: [{ passkey: EXAMPLE_USE, ceremony: EXAMPLE_CEREMONY, user_id: null }],
  })

export const AddPasskey = z
  .object({ name: PasskeyName, passkey: NewPasskeyResponse })
  .meta({ id: 'AddPasskey', examples: [{ name: 'Laptop', passkey: EXAMPLE_NEW }] })

export const SignInWithPasskey = z
  .object({ passkey: PasskeyResponse })
  .meta({ id: 'SignInWithPasskey', examples: [{ passkey: EXAMPLE_USE }] })

/** A `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const NewPasskeyOptions = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    excludeCredentials: z.array(z.object({ type: z.literal('public-key'), id: z.string() })),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
    timeout: z.int(),
  })
  .meta({
    id: 'NewPasskeyOptions',
    examples: [
      {
        challenge: EXAMPLE_CHALLENGE,
        rp: { id: EXAMPLE_CEREMONY.rp_id, name: 'Keyferry' },
        user: { id: 'ZDljMWIxZTc', name: 'sam@example.com', displayName: 'sam@example.com' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
        timeout: 300_000,
      },
    ],
  })

/** A `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. It names no credential, so it is the same for everyone. */
export const PasskeyOptions = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    userVerification: z.enum(['required', 'preferred']),
    timeout: z.int(),
  })
  .meta({
    id: 'PasskeyOptions',
    examples: [
      {
        challenge: EXAMPLE_CHALLENGE,
        rpId: EXAMPLE_CEREMONY.rp_id,
        userVerification: 'required',
        timeout: 300_000,
      },
    ],
  })
