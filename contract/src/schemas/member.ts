import { z } from 'zod'
import { isBundlePattern } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import { changeOf, Email, expectedOf, Id, listOf, Named, object, requiredText, Timestamp } from './text.ts'
import { Role } from './user.ts'

const LIMITED_TO =
  'limited_to must be 1 to 20 folders such as partner/, applications such as */shop, or names of bundles'

/** Which bundles a limited member sees, by their names. */
const Pattern = z.string().refine(isBundlePattern, LIMITED_TO)
const Patterns = z.array(Pattern, { error: LIMITED_TO }).min(1, LIMITED_TO).max(20, LIMITED_TO)

/** `facts`: also answer an owner with what each member holds. */
export const MemberQuery = z.object({
  facts: z.enum(['0', '1'], { error: 'facts must be 0 or 1' }).optional(),
})

/** `email`: null until the identity provider has verified it. `may_remove`: whether the caller may remove the
 * member, or leave. `limited_to`: null for a member who sees everything; for owners, and of the caller. `holds`: how
 * many values the member was given, and of how many only an older version. */
export const MemberList = listOf('Member', {
  user_id: Id,
  username: z.string(),
  email: z.string().nullable(),
  role: Role,
  created_at: Timestamp,
  may_remove: z.boolean(),
  limited_to: z.array(z.string()).nullable().optional(),
  holds: z.object({ total: z.int(), older: z.int() }).optional(),
})

export const ChangeRole = object('ChangeRole', { role: Role, expected: expectedOf({ role: Role }) })

/** Null: the member sees everything. */
export const ChangeLimit = object('ChangeLimit', {
  limited_to: Patterns.nullable(),
  expected: expectedOf({ limited_to: z.array(z.string()).nullable() }),
})

const ADDS = LIMITED_TO.replace('limited_to must be 1', 'adds must be 0')
const PEOPLE = `people must be the ids of at most ${LIMITS.groupMembers} members`

const groupFields = {
  name: requiredText('name', LIMITS.groupNameLength, 'name required'),
  adds: z.array(Pattern.refine(isBundlePattern, ADDS), { error: ADDS }).max(20, ADDS),
  people: z.array(Id, { error: PEOPLE }).max(LIMITS.groupMembers, PEOPLE),
}

/** A named set of members. `adds`: patterns, as of a limit, of bundles that its limited members see too. `people`: the
 * ids of the members. `unconfirmed`: members whom only the identity provider added; an owner confirms them by adding
 * them to `people`. `unconfirmed_since`: when the provider added the first of them. */
export const GroupList = listOf('Group', {
  id: Id,
  name: z.string(),
  adds: z.array(z.string()),
  people: z.array(Id),
  unconfirmed: z.array(Id),
  unconfirmed_since: Timestamp.nullable(),
})

export const CreateGroup = object('CreateGroup', {
  name: groupFields.name,
  adds: groupFields.adds.optional(),
  people: groupFields.people.optional(),
})

export const CreatedGroup = object('CreatedGroup', { id: Id })

/** `people`, `unconfirmed`: all of them; who is missing leaves the group, and the identity provider cannot bring them
 * back. */
export const ChangeGroup = changeOf(
  'ChangeGroup',
  { ...groupFields, unconfirmed: z.array(Id) },
  { name: 'Partners', adds: ['partner/'] },
)

/** `replaces`: a member of the same e-mail address, whose membership moves to who accepts: the same person, with
 * another way to sign in. `groups`: the ids of groups that they come into. */
export const CreateInvitation = object('CreateInvitation', {
  email: Email,
  role: Role,
  replaces: Id.optional(),
  limited_to: Patterns.optional(),
  groups: z.array(Id).max(20).optional(),
})

export const Invitation = object('Invitation', {
  id: Id,
  email: z.string(),
  role: Role,
  limited_to: z.array(z.string()).nullable().optional(),
  groups: z.array(Id).optional(),
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
