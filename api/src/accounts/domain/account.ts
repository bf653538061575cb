import { ACCOUNT_LIMITS, ACCOUNT_TIMES } from '@keyferry/contract/accounts'
import type { UsedToken } from '@keyferry/crypto/invitation-token'
import { decoyHash, hashPassword, verifyPassword } from '@keyferry/crypto/password'
import { isSetupCode } from '@keyferry/crypto/setup-code'
import { hashToken } from '@keyferry/crypto/token'
import { acceptInvitation, type JoiningParts } from '../../domain/approvals/joining.ts'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { ExpectedChange } from '../../domain/base/expected.ts'
import { type Arrival, type Moment, momentOf } from '../../domain/base/stamp.ts'
import { invitationNotFound } from '../../domain/people/invitation.ts'
import type { CredentialEnd, Home, NewUser, NewWorkspace, UserStore } from '../../domain/people/user.ts'
import { homeOf, newcomer } from '../../domain/people/user.ts'
import { requireStrongPassword } from './password-rule.ts'

/*
 * A local account signs in with e-mail and password; these rules serve the sign-in mode `accounts` only. The first
 * account needs the set-up code and becomes owner of its workspace. Every further account needs an invitation, and gets
 * no workspace beside the one that it joins. Too many failed attempts lock an e-mail for a while. An unknown e-mail
 * behaves exactly like a wrong password, so that an attacker cannot learn which e-mails have an account.
 */

export type Account = {
  id: string
  username: string
  email: string
  is_active: boolean
  password_hash: string
  /** Set by a reset: the next sign-in has to bring a new password. */
  must_change_password: boolean
  /** A sign-in with the password also asks for a passkey. */
  passkey_after_password: boolean
  epoch: number
}

export type EmailChange = ExpectedChange<{ email: string }> & { email: string }

export type NewPassword = { passwordHash: string; mustChange: boolean }

/** The failed attempt number `limit` locks the e-mail until `lockedUntil`; attempts before `forgottenAt` are forgotten
 * then. */
export type LockOptions = { now: string; limit: number; lockedUntil: string; forgottenAt: string }

export interface AccountStore {
  /** Adds the first account with its workspace; `set_up` when there is one, `raced` when its username was taken. */
  insertFirst(user: NewUser, workspace: NewWorkspace, moment: Moment): Promise<'created' | 'set_up' | 'raced'>
  isSetUp(): Promise<boolean>
  exists(email: string): Promise<boolean>
  find(email: string): Promise<Account | null>
  findById(userId: string): Promise<Account | null>
  setPassword(userId: string, password: NewPassword & Moment): Promise<CredentialEnd>
  /** False when another account has the e-mail.
   * @throws DomainError changed */
  setEmail(userId: string, change: EmailChange & Moment): Promise<boolean>
  /** Counts one attempt as failed until `forgetAttempts`, so that attempts at once cannot outrun the count.
   * @returns until when the e-mail is locked; null when this attempt is allowed */
  countAttempt(email: string, options: LockOptions): Promise<string | null>
  forgetAttempts(email: string): Promise<void>
}

export type Credentials = { email: string; password: string }

/** Create the first account, an owner. The code keeps strangers from taking over a new installation.
 * @throws DomainError conflict (there is an account) · forbidden (a wrong code) */
export async function setUpAccount(
  {
    setupCode,
    arrival,
    ...stores
  }: { accounts: AccountStore; users: UserStore; setupCode: string; arrival: Arrival },
  { email, password, setup_code }: Credentials & { setup_code: string },
): Promise<Home> {
  if (await stores.accounts.isSetUp()) throw alreadySetUp()
  if (!isSetupCode(setup_code, setupCode)) throw new DomainError('forbidden', 'Forbidden: wrong set-up code')
  await requireStrongPassword(password, email)
  const password_hash = await hashPassword(password)
  for (;;) {
    const { user, workspace, home } = await newcomer(stores.users, arrival, accountOf(email, password_hash))
    const outcome = await stores.accounts.insertFirst(user, workspace, momentOf(arrival))
    if (outcome === 'set_up') throw alreadySetUp()
    if (outcome === 'created') return home
  }
}

type InvitedParts = JoiningParts & { accounts: AccountStore; users: UserStore } & Arrival

/** Create an account for the e-mail that an invitation is for, and join by it.
 * @throws DomainError not_found (the invitation is unknown, used or expired) · conflict (the e-mail has an account) ·
 * invalid (the password is too easy to guess) · what `acceptInvitation` throws */
export async function joinWithAccount(
  parts: InvitedParts,
  { password, ...used }: UsedToken & { password: string },
): Promise<Home & { joined_tenant_id: string }> {
  const { clock, origin, stores, users } = parts
  const email = await stores.invitations.openEmail(hashToken(used.token), timestamp(clock))
  if (email === null) throw invitationNotFound()
  await requireStrongPassword(password, email)
  const userId = await createAccount(parts, { email, password })
  const { id, role } = await acceptInvitation(parts, { userId, origin }, used)
  // Joining signs in, and a later sign-in from elsewhere is new only beside an earlier one.
  await users.recordSignIn(`user_${userId}`, momentOf(parts))
  return { user_id: userId, epoch: 0, tenant_id: id, role, joined_tenant_id: id }
}

async function createAccount(
  { accounts, users, ...arrival }: InvitedParts,
  { email, password }: Credentials,
): Promise<string> {
  const password_hash = await hashPassword(password)
  for (;;) {
    if (await accounts.exists(email)) throw new DomainError('conflict', 'this e-mail has an account already')
    const { user } = await newcomer(users, arrival, accountOf(email, password_hash))
    if (await users.insert(user, momentOf(arrival))) return user.id
  }
}

/** Check an e-mail and password. An unknown e-mail takes as long as a wrong password, gets the same answer, and is
 * locked in the same way. After a reset `new_password` replaces the one that was reset.
 * @throws DomainError unauthorized · account_locked · forbidden (inactive) · password_change_required · invalid (the
 *   new password is too weak) · passkey_required (`details.user_id` says whose) */
export async function logIn(
  stores: { accounts: AccountStore; users: UserStore },
  { email, password, new_password }: Credentials & { new_password?: string | undefined },
  arrival: Arrival,
): Promise<Home> {
  await requireUnlocked(stores.accounts, email, arrival.clock)
  const account = await stores.accounts.find(email)
  const isRight = await verifyPassword(password, account?.password_hash ?? decoyHash)
  if (!account || !isRight) throw new DomainError('unauthorized', 'Unauthorized')
  await stores.accounts.forgetAttempts(email)
  const { epoch } = account.must_change_password
    ? await replaceReset({ accounts: stores.accounts, arrival }, account, { password, new_password })
    : account
  if (account.passkey_after_password) throw passkeyRequired(account)
  await stores.users.recordSignIn(`user_${account.id}`, momentOf(arrival))
  return homeOf(stores.users, { ...account, epoch }, arrival)
}

function passkeyRequired({ id }: Account): DomainError {
  return new DomainError('passkey_required', 'confirm with a passkey', { details: { user_id: id } })
}

async function replaceReset(
  { accounts, arrival }: { accounts: AccountStore; arrival: Arrival },
  { id, email }: Account,
  { password, new_password }: { password: string; new_password?: string | undefined },
): Promise<CredentialEnd> {
  if (new_password === undefined || new_password === password)
    throw new DomainError('password_change_required', 'your password was reset: choose a new one')
  await requireStrongPassword(new_password, email)
  const passwordHash = await hashPassword(new_password)
  return await accounts.setPassword(id, { passwordHash, mustChange: false, ...momentOf(arrival) })
}

/** Count one attempt with this e-mail. @throws DomainError account_locked */
export async function requireUnlocked(
  accounts: AccountStore,
  email: string,
  clock: ClockAndIds,
): Promise<void> {
  const lockedUntil = await accounts.countAttempt(email, {
    now: timestamp(clock),
    limit: ACCOUNT_LIMITS.failedLogins,
    lockedUntil: timestamp(clock, ACCOUNT_TIMES.accountLockSeconds),
    forgottenAt: timestamp(clock, ACCOUNT_TIMES.attemptMemorySeconds),
  })
  if (lockedUntil !== null) throw new DomainError('account_locked', `Account locked until ${lockedUntil}`)
}

function alreadySetUp(): DomainError {
  return new DomainError('conflict', 'an account is set up already')
}

// Nothing further can verify it: the invitation's link is enough to join. Mails ask for more, see `proveEmail`.
function accountOf(email: string, password_hash: string) {
  return { email, password_hash, auth_provider: 'accounts', email_verified: true, email_as_of: null }
}
