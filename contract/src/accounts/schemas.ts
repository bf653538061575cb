import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Email, expectedOf, Id, Ok, object, optionalText, requiredText, storable } from '../schemas/text.ts'
import { Epoch, InvitationToken, SignedIn } from '../schemas/user.ts'
import { ACCOUNT_LIMITS } from './limits.ts'

// Storable although it is only hashed: as bytes, one lone surrogate is like any other.
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
  setup_code: requiredText('setup_code', LIMITS.setupCodeLength, 'setup_code required'),
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
