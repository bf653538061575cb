import { z } from 'zod'
import { Email, expectedOf, Id, listOf, Named, object, requiredText, Timestamp } from './text.ts'
import { Role } from './user.ts'

/** `facts`: also answer an owner with what each member holds. */
export const MemberQuery = z.object({
  facts: z.enum(['0', '1'], { error: 'facts must be 0 or 1' }).optional(),
})

/** `email`: null until the identity provider has verified it. `may_remove`: whether the caller may remove the
 * member, or leave. `holds`: how many values the member was given, and of how many only an older version. */
export const MemberList = listOf('Member', {
  user_id: Id,
  username: z.string(),
  email: z.string().nullable(),
  role: Role,
  created_at: Timestamp,
  may_remove: z.boolean(),
  holds: z.object({ total: z.int(), older: z.int() }).optional(),
})

export const ChangeRole = object('ChangeRole', { role: Role, expected: expectedOf({ role: Role }) })

/** `replaces`: a member of the same e-mail address, whose membership moves to who accepts: the same person, with
 * another way to sign in. */
export const CreateInvitation = object('CreateInvitation', {
  email: Email,
  role: Role,
  replaces: Id.optional(),
})

export const Invitation = object('Invitation', {
  id: Id,
  email: z.string(),
  role: Role,
  expires_at: Timestamp,
  created_at: Timestamp,
})

export const InvitationList = z.array(Invitation).meta({ id: 'InvitationList' })

/** The only answer that ever carries the token. */
export const CreatedInvitation = object('CreatedInvitation', {
  id: Id,
  email: z.string(),
  role: Role,
  token: z.string(),
  accept_path: z.string(),
  expires_at: Timestamp,
})

/** What an open invitation shows to the holder of its token, before they join.
 * `invited_by.email`: null until the identity provider has verified it. */
export const InvitationPreview = object('InvitationPreview', {
  tenant: Named,
  email: z.string(),
  role: Role,
  invited_by: z.object({ username: z.string(), email: z.string().nullable() }),
  expires_at: Timestamp,
})

export const AcceptInvitation = object('AcceptInvitation', {
  token: requiredText('token', 128, 'token required'),
})
