import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Email } from './email.ts'
import { Flag, Id, optionalText, requiredText, storable, Timestamp } from './text.ts'

export const Role = z
  .enum(['owner', 'member'], { error: 'role must be owner or member' })
  .meta({ id: 'Role' })

/** What a provider states about an e-mail address: whether it is the person's own, and when it stated so. */
const Statement = {
  email_verified: Flag('email_verified').optional(),
  as_of: Timestamp.optional(),
}

export const EnsureUser = z
  .object({
    idp_user_id: requiredText('idp_user_id', LIMITS.nameLength, 'idp_user_id required').regex(
      /^user_[\x21-\x7e]+$/,
      'Invalid idp_user_id format',
    ),
    email: Email,
    name: optionalText('name', LIMITS.nameLength).optional(),
    ...Statement,
  })
  .meta({ id: 'EnsureUser', examples: [{ idp_user_id: 'user_2a7f', email: 'sam@example.com' }] })

const EXAMPLE_IDENTITY = {
  user_id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  tenant_id: '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04',
  role: 'owner',
}

/** Who a person is inside, and the personal tenant. */
export const SignedIn = z
  .object({ user_id: Id, tenant_id: Id, role: Role })
  .meta({ id: 'SignedIn', examples: [EXAMPLE_IDENTITY] })

export const EnsuredUser = SignedIn.extend({ created: z.boolean() }).meta({
  id: 'EnsuredUser',
  examples: [{ ...EXAMPLE_IDENTITY, created: true }],
})

// Storable although it is only hashed: as bytes, one lone surrogate is like any other.
const NewPassword = storable(
  z
    .string({ error: 'password required' })
    .min(LIMITS.passwordMinLength, `password must be at least ${LIMITS.passwordMinLength} characters`)
    .max(LIMITS.passwordMaxLength, `password must be at most ${LIMITS.passwordMaxLength} characters`),
  'password',
)

/** `is_active: false`: the provider deleted the user. An `email` whose `as_of` is older than the stored one is
 * ignored. */
export const ChangeProvidedUser = z
  .object({ email: Email.optional(), is_active: Flag('is_active').optional(), ...Statement })
  .meta({ id: 'ChangeProvidedUser', examples: [{ email: 'sam@example.com', email_verified: true }] })

/** `reason`: this session, another one, all, or those that the identity provider named. */
export const SignedOutUser = z
  .object({
    reason: z.enum(['session', 'other_session', 'all_sessions', 'provider'], {
      error: 'reason must be session, other_session, all_sessions or provider',
    }),
  })
  .meta({ id: 'SignedOutUser', examples: [{ reason: 'session' }] })

export const Setup = z.object({ required: z.boolean() }).meta({ id: 'Setup', examples: [{ required: true }] })

export const SetUpAccount = z
  .object({
    setup_code: requiredText('setup_code', LIMITS.setupCodeLength, 'setup_code required'),
    email: Email,
    password: NewPassword,
    name: optionalText('name', LIMITS.nameLength).optional(),
  })
  .meta({
    id: 'SetUpAccount',
    examples: [
      {
        setup_code: '4f2a9-0c1de-77b3a-91c5e',
        email: 'sam@example.com',
        password: 'correct horse battery',
      },
    ],
  })

/** The e-mail is the invited one. */
export const JoinWithAccount = z
  .object({ token: requiredText('token', 128, 'token required'), password: NewPassword })
  .meta({
    id: 'JoinWithAccount',
    examples: [{ token: 'Zb3mTqk0cZ5q8uJYy0mXn1n6m0m1H8nq0hX0b2S7k0A', password: 'correct horse battery' }],
  })

/** Who the new account is, and the tenant that it joined. */
export const Joined = SignedIn.extend({ joined_tenant_id: Id }).meta({
  id: 'Joined',
  examples: [{ ...EXAMPLE_IDENTITY, joined_tenant_id: '5b1f1a52-6b0e-4a53-8f6e-2a2b7f1c9e05' }],
})

const CurrentPassword = (field: string) => requiredText(field, LIMITS.passwordMaxLength, `${field} required`)

export const ChangePassword = z
  .object({ current_password: CurrentPassword('current_password'), new_password: NewPassword })
  .meta({
    id: 'ChangePassword',
    examples: [{ current_password: 'correct horse battery', new_password: 'monkey dragon teapot' }],
  })

export const ChangeEmail = z
  .object({ current_password: CurrentPassword('current_password'), email: Email })
  .meta({
    id: 'ChangeEmail',
    examples: [{ current_password: 'correct horse battery', email: 'kim@example.com' }],
  })

/** `new_password` is needed, and used, only after a reset. */
export const LogIn = z
  .object({
    email: requiredText('email', LIMITS.emailLength, 'email required'),
    password: CurrentPassword('password'),
    new_password: NewPassword.optional(),
  })
  .meta({ id: 'LogIn', examples: [{ email: 'sam@example.com', password: 'correct horse battery' }] })

export const Me = z
  .object({
    user_id: Id,
    username: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    tenant: z.object({ id: Id, name: z.string() }),
    role: Role,
    auth_mode: z.string(),
  })
  .meta({
    id: 'Me',
    examples: [
      {
        user_id: EXAMPLE_IDENTITY.user_id,
        username: 'sam',
        email: 'sam@example.com',
        email_verified: true,
        tenant: { id: EXAMPLE_IDENTITY.tenant_id, name: "sam's workspace" },
        role: 'owner',
        auth_mode: 'local',
      },
    ],
  })
