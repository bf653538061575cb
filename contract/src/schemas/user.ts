import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Email, Flag, Id, Named, object, optionalText, requiredText, Timestamp } from './text.ts'

export const Role = z
  .enum(['owner', 'member'], { error: 'role must be owner or member' })
  .meta({ id: 'Role' })

/** What a provider states about an e-mail address: whether it is the person's own, and when it stated so. */
const Statement = {
  email_verified: Flag('email_verified').optional(),
  as_of: Timestamp.optional(),
}

const IdpUserId = requiredText('idp_user_id', LIMITS.nameLength, 'idp_user_id required').regex(
  /^user_[\x21-\x7e]+$/,
  'Invalid idp_user_id format',
)

export const InvitationToken = requiredText('token', 128, 'token required')

/** `invitation`: the token that a new user follows; with an open one, they get no tenant beside the one to join. */
export const EnsureUser = object('EnsureUser', {
  idp_user_id: IdpUserId,
  email: Email,
  name: optionalText('name', LIMITS.nameLength).optional(),
  invitation: InvitationToken.optional(),
  ...Statement,
})

/** How often what a person's credentials gave has ended. A session counts only in the epoch that it began in. */
export const Epoch = z.number().optional()

/** Who a person is inside, and the tenant to begin in: one that they own, otherwise one that they joined. */
export const SignedIn = object('SignedIn', { user_id: Id, tenant_id: Id, role: Role, epoch: Epoch })

export const EnsuredUser = SignedIn.extend({ created: z.boolean() }).meta({ id: 'EnsuredUser' })

/** The groups that a provider's claim lists. */
export const ClaimedGroups = z.array(z.string().max(LIMITS.claimLength)).max(LIMITS.claimedGroups)

/** `is_active: false`: the provider deleted the user. An `email` whose `as_of` is older than the stored one is
 * ignored. `groups`: what the provider's claim lists; the person leaves groups that it fills and that are missing. */
export const ChangeProvidedUser = object(
  'ChangeProvidedUser',
  {
    email: Email.optional(),
    is_active: Flag('is_active').optional(),
    groups: ClaimedGroups.optional(),
    ...Statement,
  },
  { email: 'sam@example.com', email_verified: true },
)

/** `reason`: this session, another one, all, or those that the identity provider named. */
export const SignedOutUser = object('SignedOutUser', {
  reason: z.enum(['session', 'other_session', 'all_sessions', 'provider'], {
    error: 'reason must be session, other_session, all_sessions or provider',
  }),
})

/** `may`: the operations that not every member of the workspace may call, as far as this person may. */
export const Me = object('Me', {
  user_id: Id,
  username: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  tenant: Named,
  role: Role,
  auth_mode: z.string(),
  may: z.array(z.string()),
})

/** `ended`: the ways to sign in whose sessions end. `remembered_ended`: how many remembered approvals ended. */
export const EndedSessions = object(
  'EndedSessions',
  { ended: z.array(z.string()), remembered_ended: z.number().optional() },
  { ended: ['user_2aXf'], remembered_ended: 2 },
)
