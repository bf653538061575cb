import { LIMITS, type SignedOutUser } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { emailKey } from '../base/email.ts'
import { DomainError } from '../base/errors.ts'
import { type Arrival, type Moment, momentOf } from '../base/stamp.ts'
import type { ProvidedGroups } from './group.ts'
import { type Role, userNotFound } from './membership.ts'

/*
 * A user is known by the id that the identity provider gives, never by e-mail. The first sign-in creates the user, a
 * personal tenant and an owner membership, all or nothing; later sign-ins change nothing but the time. Who arrives with
 * an open invitation to their verified e-mail gets no tenant beside the one that they are about to join. An inactive
 * user is refused. The username comes from the e-mail, with a number where it is taken.
 * The operator says who may sign in for the first time; with an open invitation everybody may, and so does the first
 * person.
 * An unsigned call proves nothing: its e-mail stays unverified until the identity provider states one, and no event
 * says that the person signed in.
 */

/** Who may sign in for the first time without an invitation: everyone, or who has a verified address of a domain. */
export type SignUp = 'everyone' | readonly string[]

/** What an identity provider tells about a person. */
export type Profile = {
  idp_user_id: string
  email: string
  /** Whether the provider verified the address; only a verified address accepts invitations. */
  email_verified: boolean
  /** When the provider stated the address, where that is known. */
  email_as_of: string | null
  auth_provider: string
}

export type NewUser = Profile & {
  id: string
  username: string
  /** A PHC string for a local account. */
  password_hash: string | null
}

/** `epoch`: how often what the person's credentials gave has ended. A session counts in the epoch that it began in. */
export type KnownUser = { id: string; username: string; is_active: boolean; epoch: number }

export type NewWorkspace = { id: string; name: string; membershipId: string }

/** A user and the tenant to begin in: one that they own, otherwise one that they joined or are about to join. */
export type Home = { user_id: string; epoch: number } & HomeTenant

export type HomeTenant = { tenant_id: string; role: Role }

/** A change that an identity provider reports; `isActive: false` when it deleted the user. */
export type ProvidedChange = { email?: ProvidedEmail; isActive?: boolean; groups?: ProvidedGroups }

export type ProvidedEmail = { address: string; isVerified: boolean; asOf: string | null }

/** Which sessions ended: this one, another one, all, or those that the identity provider named. */
export type SignOut = z.output<typeof SignedOutUser>

/** All ids under which sessions of the person can be, and how many remembered approvals ended. */
export type Ended = { ended: string[]; remembered_ended: number }

/** What a person's credentials gave has ended: `epoch` counts how often, `remembered_ended` remembered approvals. */
export type CredentialEnd = { epoch: number; remembered_ended: number }

/** When a user is looked up or created. `unsigned`: nobody proved that this person signed in. */
export type ProvisioningMoment = Moment & { unsigned?: boolean }

export interface UserStore {
  /** Records a sign-in; null when no user has this id. */
  recordSignIn(idpUserId: string, moment: ProvisioningMoment): Promise<KnownUser | null>
  /** Whether anybody signed in before. */
  isUsed(): Promise<boolean>
  /** Those of the names that are taken. */
  takenUsernames(names: readonly string[]): Promise<ReadonlySet<string>>
  /** A user, a workspace and its owner membership, all or nothing; false when the id or the name is taken. */
  insertWithWorkspace(user: NewUser, workspace: NewWorkspace, moment: ProvisioningMoment): Promise<boolean>
  /** A user without a workspace; false when the id or the name is taken. */
  insert(user: NewUser, moment: Moment): Promise<boolean>
  /** A tenant that the user owns, the personal one before others; otherwise the first that they joined. */
  findHome(userId: string): Promise<HomeTenant | null>
  insertWorkspace(userId: string, workspace: NewWorkspace, moment: Moment): Promise<void>
  /** As `insertWorkspace`, within the bound of workspaces that a person creates.
   * @throws DomainError too_many_workspaces */
  createWorkspace(userId: string, workspace: NewWorkspace, moment: Moment): Promise<void>
  /** Records that sessions of a user ended.
   * @returns null when no user has this id at the provider */
  recordSignOut(idpUserId: string, ended: SignOut & Moment): Promise<Ended | null>
}

/** What an identity provider reports of a user, in a transaction. */
export interface UserRecords {
  /** An e-mail that was stated earlier than the stored one changes nothing.
   * @returns the user's id; null when no user has this id at the provider */
  change(idpUserId: string, change: Omit<ProvidedChange, 'groups'> & Moment): Promise<string | null>
}

// How often another user may take the chosen name first. Each lost race means that another call succeeded.
const RACES = 200

/** `takeNewUser` counts a person that the call creates, and throws if there are too many. */
type UnsignedCall = { takeNewUser: () => Promise<void> }

/** What an open invitation offers to whom; null: it is unknown, used or expired. */
type Offers = {
  findOffer(
    tokenHash: string,
    now: string,
  ): Promise<{ tenant: { id: string }; email: string; role: Role } | null>
}

type Arriving = { users: UserStore; invitations: Offers; signUp: SignUp } & Arrival

/** How a user arrives. `unsigned` null: the web-facing layer signed the call. `invitation`: the token of the one that
 * they follow. */
type ArrivalTerms = { unsigned: UnsignedCall | null; invitation: string | undefined }

/** The user of an identity-provider id, created at the first call. Any number of calls at once create one user.
 * @throws DomainError forbidden (inactive) · sign_up_closed · too_many (unsigned) · internal (could not be created) */
export async function ensureUser(
  { users, invitations, signUp, ...arrival }: Arriving,
  profile: Profile,
  { unsigned, invitation }: ArrivalTerms,
): Promise<Home & { created: boolean }> {
  const proven = unsigned ? { ...profile, email_verified: false, email_as_of: null } : profile
  const offered = await offeredTenant(invitations, proven, { token: invitation, ...arrival })
  for (let race = 0; race < RACES; race += 1) {
    const moment = { ...momentOf(arrival), unsigned: unsigned !== null }
    const known = await users.recordSignIn(profile.idp_user_id, moment)
    if (known) return { ...(await homeOf(users, known, { ...arrival, offered })), created: false }
    if (race === 0) {
      const isOpen = isSignUpOpen(signUp, proven) || (await isInvited(invitations, invitation, arrival))
      if (!isOpen && (await users.isUsed())) throw signUpClosed()
      await unsigned?.takeNewUser()
    }
    const { user, workspace, home } = await newcomer(users, arrival, { ...proven, password_hash: null })
    // False when another call took the id or the username first.
    const isNew = offered
      ? await users.insert(user, moment)
      : await users.insertWithWorkspace(user, workspace, moment)
    if (isNew) return { ...home, ...offered, created: true }
  }
  throw new DomainError('internal', 'Failed to create user: no free username')
}

function isSignUpOpen(signUp: SignUp, { email, email_verified }: Profile): boolean {
  if (signUp === 'everyone') return true
  return email_verified && signUp.includes(emailKey(email).slice(email.lastIndexOf('@') + 1))
}

async function isInvited(
  invitations: Offers,
  token: string | undefined,
  { clock }: Arrival,
): Promise<boolean> {
  return token !== undefined && (await invitations.findOffer(hashToken(token), timestamp(clock))) !== null
}

function signUpClosed(): DomainError {
  const text = 'You need an invitation: ask an owner of a workspace for one, and open its link'
  return new DomainError('sign_up_closed', text)
}

// Joining itself takes a press on the invitation's page.
async function offeredTenant(
  invitations: Offers,
  { email, email_verified }: Profile,
  { token, clock }: Arrival & { token: string | undefined },
): Promise<HomeTenant | null> {
  if (token === undefined || !email_verified) return null
  const offer = await invitations.findOffer(hashToken(token), timestamp(clock))
  if (offer === null || emailKey(offer.email) !== emailKey(email)) return null
  return { tenant_id: offer.tenant.id, role: offer.role }
}

/** A user and their workspace before they are stored, and what the caller gets once they are. */
type Newcomer = { user: NewUser; workspace: NewWorkspace; home: Home }

export async function newcomer(
  users: UserStore,
  { clock }: Arrival,
  profile: Omit<NewUser, 'id' | 'username' | 'idp_user_id'> & { idp_user_id?: string },
): Promise<Newcomer> {
  const username = await freeUsername(users, profile.email)
  const id = clock.newId()
  const workspace = newWorkspace(username, clock)
  const user = { idp_user_id: `user_${id}`, ...profile, id, username }
  return { user, workspace, home: { user_id: id, epoch: 0, tenant_id: workspace.id, role: 'owner' } }
}

/** @throws DomainError forbidden: inactive */
export async function homeOf(
  users: UserStore,
  { id, username, is_active, epoch }: KnownUser,
  { offered = null, ...arrival }: Arrival & { offered?: HomeTenant | null },
): Promise<Home> {
  if (!is_active) throw new DomainError('forbidden', 'Forbidden: user is inactive')
  const known = (await users.findHome(id)) ?? offered
  if (known !== null) return { user_id: id, epoch, ...known }
  // A user without a tenant gets a new one.
  const workspace = newWorkspace(username, arrival.clock)
  await users.insertWorkspace(id, workspace, momentOf(arrival))
  return { user_id: id, epoch, tenant_id: workspace.id, role: 'owner' }
}

function newWorkspace(username: string, clock: ClockAndIds): NewWorkspace {
  return { id: clock.newId(), name: `${username}'s workspace`, membershipId: clock.newId() }
}

/** The e-mail's local part, with the first number appended that makes it free. */
async function freeUsername(users: UserStore, email: string): Promise<string> {
  const base = email.slice(0, email.lastIndexOf('@'))
  for (let from = 0, count = 16; ; from += count, count *= 2) {
    const names = Array.from({ length: count }, (_, index) => numbered(base, from + index))
    const taken = await users.takenUsernames(names)
    const free = names.find((name) => !taken.has(name))
    if (free !== undefined) return free
  }
}

// The number replaces the last characters where the name would exceed its bound.
function numbered(base: string, count: number): string {
  const suffix = count === 0 ? '' : String(count)
  return base.slice(0, LIMITS.usernameLength - suffix.length) + suffix
}

/** Record that sessions of a user ended.
 * @throws DomainError not_found: no user has this id */
export async function recordSignOut(
  { users, ...arrival }: { users: UserStore } & Arrival,
  idpUserId: string,
  ended: SignOut,
): Promise<Ended> {
  const signedOut = await users.recordSignOut(idpUserId, { ...ended, ...momentOf(arrival) })
  if (signedOut === null) throw userNotFound()
  return signedOut
}
