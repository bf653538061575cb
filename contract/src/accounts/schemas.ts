import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Bytes, CredentialId, KeyName, NewPasskeyResponse, PublicKeyType } from '../schemas/approval-key.ts'
import {
  Email,
  expectedOf,
  Flag,
  Id,
  Ok,
  object,
  optionalText,
  requiredText,
  storable,
  Timestamp,
} from '../schemas/text.ts'
import { Epoch, InvitationToken, SignedIn } from '../schemas/user.ts'
import { ACCOUNT_LIMITS } from './limits.ts'

// The server stores a hash, but refuses lone surrogates: all of them become the same bytes.
const NewPassword = storable(
  z
    .string({ error: 'password required' })
    .min(
      ACCOUNT_LIMITS.passwordMinLength,
      `password must be at least ${ACCOUNT_LIMITS.passwordMinLength} characters`,
    )
    .max(
      ACCOUNT_LIMITS.passwordMaxLength,
      `password must be at most ${ACCOUNT_LIMITS.passwordMaxLength} characters`,
    ),
  'password',
)

export const Setup = object('Setup', { required: z.boolean() })

export const SetUpAccount = object('SetUpAccount', {
  setup_code: requiredText('setup_code', ACCOUNT_LIMITS.setupCodeLength, 'setup_code required'),
  email: Email,
  password: NewPassword,
  name: optionalText('name', LIMITS.nameLength).optional(),
})

/** The e-mail is the invited one. */
export const JoinWithAccount = object('JoinWithAccount', {
  token: InvitationToken,
  password: NewPassword,
})

/** Who the new account is, and the tenant that it joined. */
export const Joined = SignedIn.extend({ joined_tenant_id: Id }).meta({ id: 'Joined' })

const CurrentPassword = (field: string) =>
  requiredText(field, ACCOUNT_LIMITS.passwordMaxLength, `${field} required`)

export const ChangePassword = object('ChangePassword', {
  current_password: CurrentPassword('current_password'),
  new_password: NewPassword,
})

export const ChangeEmail = object('ChangeEmail', {
  current_password: CurrentPassword('current_password'),
  email: Email,
  expected: expectedOf({ email: Email }),
})

/** `remembered_ended`: how many remembered approvals ended with the former password. */
export const ChangedPassword = Ok.extend({ remembered_ended: z.number(), epoch: Epoch }).meta({
  id: 'ChangedPassword',
})

/** `new_password` is needed, and used, only after a reset. */
export const LogIn = object('LogIn', {
  email: requiredText('email', LIMITS.emailLength, 'email required'),
  password: CurrentPassword('password'),
  new_password: NewPassword.optional(),
})

/** What a browser answers when a person used a passkey: an `AuthenticationResponseJSON` of WebAuthn. */
const PasskeyResponse = object('PasskeyResponse', {
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

/** What a response must match: the challenge that was given, our origin, and the host name that passkeys belong to. */
const Ceremony = object('PasskeyCeremony', {
  challenge: Bytes('challenge'),
  origin: z.string(),
  rp_id: z.string(),
})

export const ConfirmPassword = ChangePassword.pick({ current_password: true }).meta({ id: 'ConfirmPassword' })

export const Passkey = object('Passkey', {
  id: Id,
  name: z.string(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
})

/** `after_password`: a sign-in with the password also asks for a passkey. */
export const OwnPasskeys = object('OwnPasskeys', { passkeys: z.array(Passkey), after_password: z.boolean() })

export const RenamePasskey = object('RenamePasskey', {
  name: KeyName,
  expected: expectedOf({ name: KeyName }),
})

export const ChangeSecondFactor = ConfirmPassword.extend({ after_password: Flag('after_password') }).meta({
  id: 'ChangeSecondFactor',
})

/** For whom a new passkey is: `user_handle` is the base64url id that the passkey stores; `exclude` are the credential
 * ids that the account has already. */
export const PasskeyOwner = object('PasskeyOwner', {
  user_handle: z.string(),
  user_name: z.string(),
  exclude: z.array(z.string()),
})

export const AddVerifiedPasskey = object('AddVerifiedPasskey', {
  name: KeyName,
  passkey: NewPasskeyResponse,
  ceremony: Ceremony,
})

/** `user_id`: whose password was right a moment ago; null when the passkey is used alone. */
export const LogInWithPasskey = object('LogInWithPasskey', {
  passkey: PasskeyResponse,
  ceremony: Ceremony,
  user_id: Id.nullable(),
})

export const AddPasskey = object('AddPasskey', { name: KeyName, passkey: NewPasskeyResponse })

export const SignInWithPasskey = object('SignInWithPasskey', { passkey: PasskeyResponse })

/** A `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const NewPasskeyOptions = object('NewPasskeyOptions', {
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

/** A `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. It names no credential, so it is the same for everyone. */
export const PasskeyOptions = object('PasskeyOptions', {
  challenge: z.string(),
  rpId: z.string(),
  userVerification: z.enum(['required', 'preferred']),
  timeout: z.int(),
})
