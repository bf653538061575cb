import type { UsedToken } from '@keyferry/crypto/invitation-token'
import { decoyHash, hashPassword, verifyPassword } from '@keyferry/crypto/password'
import { isSetupCode } from '@keyferry/crypto/setup-code'
import { hashToken } from '@keyferry/crypto/token'
import { acceptInvitation, type JoiningParts } from '../../domain/approvals/joining.ts'
import { timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { type Arrival, momentOf } from '../../domain/base/stamp.ts'
import { invitationNotFound } from '../../domain/people/invitation.ts'
import type { Home, NewUser } from '../../domain/people/user.ts'
import { homeOf, newcomer } from '../../domain/people/user.ts'
import type { Queries, Recorded } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { isFound } from '../../storage/base/tenant-rows.ts'
import { proveEmail } from '../../storage/people/user-events.ts'
import { insertWithWorkspace } from '../../storage/people/users.ts'
import { requireStrongPassword } from '../domain/password-rule.ts'
import { type AccountParts, accountRow, emailTaken, findAccount, knownUser } from './account-rows.ts'
import { forgetAttempts, requireUnlocked } from './login-attempts.ts'
import { replacePassword } from './own-account.ts'

/*
 * A local account signs in with e-mail and password; these acts serve the sign-in mode `accounts` only. The first
 * account needs the set-up code and becomes owner of its workspace. Every further account needs an invitation, and gets
 * no workspace beside the one that it joins. Too many failed attempts lock an e-mail for a while. An unknown e-mail
 * behaves exactly like a wrong password, so that an attacker cannot learn which e-mails have an account.
 */

type ArrivingParts = AccountParts & Arrival

type Credentials = { email: string; password: string }

/** Whether there is an account. */
export function isSetUp({ query }: Queries): Promise<boolean> {
  return isFound(query.selectFrom('account_setup'))
}

class NameTaken extends Error {}

/** Create the first account, an owner. The code keeps strangers from taking over a new installation.
 * @throws DomainError conflict (there is an account) · forbidden (a wrong code) */
export async function setUpAccount(
  { queries, tenantKeys, users, setupCode, ...arrival }: ArrivingParts & { setupCode: string },
  { email, password, setup_code }: Credentials & { setup_code: string },
): Promise<Home> {
  if (await isSetUp(queries)) throw alreadySetUp()
  if (!isSetupCode(setup_code, setupCode)) throw new DomainError('forbidden', 'Forbidden: wrong set-up code')
  await requireStrongPassword(password, email)
  const password_hash = await hashPassword(password)
  for (;;) {
    const { user, workspace, home } = await newcomer(users, arrival, accountOf(email, password_hash))
    const made = { tenantKeys, workspace, moment: momentOf(arrival) }
    try {
      await queries.write((transaction) => insertFirst(transaction, user, made))
      return home
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error
    }
  }
}

async function insertFirst(
  transaction: Recorded,
  user: NewUser,
  made: Parameters<typeof insertWithWorkspace>[2],
): Promise<void> {
  const setUp = transaction.insertInto('account_setup').values({ slot: 1, user_id: user.id })
  if (!(await hasChanged(setUp.onConflict((conflict) => conflict.doNothing())))) throw alreadySetUp()
  // The error rolls the transaction back, so the first account can still be created.
  if (!(await insertWithWorkspace(transaction, user, made))) throw new NameTaken()
  // The operator, who has the set-up code, names their own address.
  await proveEmail(transaction, user.id)
}

/** Create an account for the e-mail that an invitation is for, and join by it.
 * @throws DomainError not_found (the invitation is unknown, used or expired) · conflict (the e-mail has an account) ·
 * invalid (the password is too easy to guess) · what `acceptInvitation` throws */
export async function joinWithAccount(
  parts: ArrivingParts & JoiningParts,
  { password, ...used }: UsedToken & { password: string },
): Promise<Home & { joined_tenant_id: string }> {
  const { clock, origin, stores, users } = parts
  const email = await stores.invitations.openEmail(hashToken(used.token), timestamp(clock))
  if (email === null) throw invitationNotFound()
  await requireStrongPassword(password, email)
  const userId = await createAccount(parts, { email, password })
  const { id, role } = await acceptInvitation(parts, { userId, origin }, used)
  // Joining signs in. Record it, so that a later sign-in from elsewhere counts as new.
  await users.recordSignIn(`user_${userId}`, momentOf(parts))
  return { user_id: userId, epoch: 0, tenant_id: id, role, joined_tenant_id: id }
}

async function createAccount(
  { queries, users, ...arrival }: ArrivingParts,
  { email, password }: Credentials,
) {
  const password_hash = await hashPassword(password)
  for (;;) {
    if (await isFound(accountRow(queries.query, { email }))) throw emailTaken()
    const { user } = await newcomer(users, arrival, accountOf(email, password_hash))
    if (await users.insert(user, momentOf(arrival))) return user.id
  }
}

/** Check an e-mail and password. An unknown e-mail takes as long as a wrong password, gets the same answer, and is
 * locked in the same way. After a reset `new_password` replaces the one that was reset.
 * @throws DomainError unauthorized · account_locked · forbidden (inactive) · password_change_required · invalid (the
 *   new password is too weak) · passkey_required (`details.user_id` says whose) */
export async function logIn(
  parts: ArrivingParts,
  { email, password, new_password }: Credentials & { new_password?: string | undefined },
): Promise<Home> {
  const { query } = parts.queries
  await requireUnlocked(parts, email)
  const account = await findAccount(query, { email })
  const isRight = await verifyPassword(password, account?.password_hash ?? decoyHash)
  if (!account || !isRight) throw new DomainError('unauthorized', 'Unauthorized')
  await forgetAttempts(query, email)
  let user = knownUser(account)
  if (account.must_change_password === 1) {
    if (new_password === undefined || new_password === password)
      throw new DomainError('password_change_required', 'your password was reset: choose a new one')
    await requireStrongPassword(new_password, email)
    const { epoch } = await replacePassword(parts, account.id, new_password)
    user = { ...user, epoch }
  }
  if (account.passkey_after_password === 1) {
    const details = { user_id: account.id }
    throw new DomainError('passkey_required', 'confirm with a passkey', { details })
  }
  return await signIn(parts, user)
}

/** Record a sign-in. @throws DomainError forbidden: inactive */
export async function signIn(parts: ArrivingParts, user: ReturnType<typeof knownUser>): Promise<Home> {
  await parts.users.recordSignIn(`user_${user.id}`, momentOf(parts))
  return await homeOf(parts.users, user, parts)
}

function alreadySetUp(): DomainError {
  return new DomainError('conflict', 'an account is set up already')
}

// Nothing further can verify it: the invitation's link is enough to join. Mails ask for more, see `proveEmail`.
function accountOf(email: string, password_hash: string) {
  return { email, password_hash, auth_provider: 'accounts', email_verified: true, email_as_of: null }
}
