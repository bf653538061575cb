import { isDeepStrictEqual } from 'node:util'
import type { Access } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import { type BundleReach, reaches } from './reach.ts'

/*
 * Who may do what in a tenant. A call is signed for one user and one tenant; the membership is looked up on every
 * call, so a removed member is refused at once. An owner may do everything. A member reads everything, or what a limit
 * leaves (reach.ts), creates bundles and keys, changes what value-rights.ts allows, and approves requests. An inactive
 * user may do nothing.
 */

export type Role = 'owner' | 'member'

/** The user and tenant that a call is signed for, before any lookup. */
export type SignedCaller = { userId: string; tenantId: string }

/** An active user, who may or may not belong to the tenant named by the call. `epoch`: see `KnownUser`. */
export type Visitor = SignedCaller & {
  role: Role | null
  reach: BundleReach
  origin: Origin | null
  epoch?: number
}

/** An active user acting in a tenant that the user belongs to. */
export type Caller = SignedCaller & Membership & Pick<Visitor, 'origin' | 'epoch'>

/** What a person is in a tenant. */
export type Membership = { role: Role; reach: BundleReach }

/** A caller with the name under which answers show them. */
export type NamedCaller = Caller & { username: string }

/** The looked-up state of a signed caller; `role` is null without a membership. */
type MemberStanding = {
  username: string
  isActive: boolean
  tenantExists: boolean
  role: Role | null
  reach: BundleReach
  epoch: number
}

export interface MembershipStore {
  /** Null when there is no such user. */
  findStanding(caller: SignedCaller): Promise<MemberStanding | null>
  /** The active people of a tenant, by name. */
  listActive(tenantId: string): Promise<ActivePerson[]>
}

type ActivePerson = Membership & { userId: string; username: string }

export type MemberAccess = Extract<Access, 'session' | 'member' | 'owner'>

/** Admit a signed caller to an endpoint of the given access.
 * @param signed `began`: the epoch that the caller's session began in; null: the signer does not say
 * @throws DomainError not_found (no such user or tenant) · session_ended · forbidden (inactive, not a member, not an
 *   owner) */
export async function admit(
  memberships: MembershipStore,
  signed: SignedCaller & { origin: Origin | null; began: number | null },
  access: MemberAccess,
): Promise<Visitor & { username: string }> {
  const standing = await memberships.findStanding(signed)
  if (!standing) throw userNotFound()
  const { role, reach, username, epoch } = standing
  if (signed.began !== null && signed.began !== epoch)
    throw new DomainError('session_ended', 'Unauthorized: this session has ended')
  if (!standing.isActive) throw new DomainError('forbidden', 'Forbidden: user is inactive')
  if (access !== 'session') requireRole(standing, access)
  const { userId, tenantId, origin } = signed
  return { userId, tenantId, role, reach, origin, epoch, username }
}

/** The role of an active person who reaches a bundle in a tenant; null: they may do nothing with it. */
export async function roleAt(
  memberships: MembershipStore,
  person: SignedCaller,
  bundleName: string,
): Promise<Role | null> {
  const standing = await memberships.findStanding(person)
  return standing?.isActive === true && reaches(standing.reach, bundleName) ? standing.role : null
}

/** Refuses a person who was removed, disabled, limited or given another role since the call was admitted.
 * @throws DomainError forbidden */
export function requireMember(now: Membership | null, { role, reach }: Membership): void {
  if (now === null) throw new DomainError('forbidden', 'Forbidden: not a member')
  if (role === 'owner' && now.role !== 'owner') throw ownerRequired()
  if (!isDeepStrictEqual(now.reach, reach))
    throw new DomainError('forbidden', 'Forbidden: your access changed')
}

/** Whether a role is enough for an endpoint of the given access. */
export function roleAllows(role: Role, access: Access): boolean {
  return access === 'member' || (access === 'owner' && role === 'owner')
}

function requireRole({ tenantExists, role }: MemberStanding, access: Role): void {
  if (!tenantExists) throw userNotFound()
  if (role === null) throw new DomainError('forbidden', 'Forbidden: not a member')
  if (!roleAllows(role, access)) throw ownerRequired()
}

/** @param names what the caller may not change, where a call names several things */
/** @param bundles others that use the values of these names */
export function ownerRequired(names?: readonly string[], bundles?: readonly string[]): DomainError {
  const options = names === undefined ? {} : { details: { names, ...(bundles && { bundles }) } }
  return new DomainError('forbidden', 'Forbidden: owner role required', options)
}

export function userNotFound(): DomainError {
  return new DomainError('not_found', 'User not found')
}
