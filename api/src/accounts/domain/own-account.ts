import { hashPassword, verifyPassword } from '@keyferry/crypto/password'
import type { ClockAndIds } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { momentOf } from '../../domain/base/stamp.ts'
import type { Visitor } from '../../domain/people/membership.ts'
import type { CredentialEnd } from '../../domain/people/user.ts'
import { type Account, type AccountStore, type EmailChange, requireUnlocked } from './account.ts'
import { requireStrongPassword } from './password-rule.ts'

type OwnAccountParts = { accounts: AccountStore; clock: ClockAndIds }

/** Give the caller's local account another password, which ends what the one before gave.
 * @throws DomainError not_found (no local account) · invalid (the current password is wrong, the new one too weak) ·
 * account_locked */
export async function changePassword(
  { accounts, clock }: OwnAccountParts,
  { userId, origin }: Visitor,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<CredentialEnd> {
  const account = await ownAccount(accounts, userId)
  await requireStrongPassword(new_password, account.email)
  await confirmedAccount({ accounts, clock }, userId, current_password)
  const passwordHash = await hashPassword(new_password)
  const password = { passwordHash, mustChange: false }
  return await accounts.setPassword(userId, { ...password, ...momentOf({ clock, origin }) })
}

/** Give the caller's local account another e-mail address.
 * @throws DomainError not_found (no local account) · invalid (the current password is wrong) · account_locked ·
 * conflict (another account has the address) · changed */
export async function changeEmail(
  { accounts, clock }: OwnAccountParts,
  { userId, origin }: Visitor,
  { current_password, ...change }: EmailChange & { current_password: string },
): Promise<void> {
  await confirmedAccount({ accounts, clock }, userId, current_password)
  const isChanged = await accounts.setEmail(userId, { ...change, ...momentOf({ clock, origin }) })
  if (!isChanged) throw new DomainError('conflict', 'this e-mail has an account already')
}

/** @throws DomainError not_found: no local account */
export async function ownAccount(accounts: AccountStore, userId: string): Promise<Account> {
  const account = await accounts.findById(userId)
  if (!account) throw new DomainError('not_found', 'no local account')
  return account
}

/** The local account of a person who gives its password. Guesses count like those at sign-in, so that a stolen session
 * does not allow more of them.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked */
export async function confirmedAccount(
  { accounts, clock }: OwnAccountParts,
  userId: string,
  password: string,
): Promise<Account> {
  const account = await ownAccount(accounts, userId)
  await requireUnlocked(accounts, account.email, clock)
  if (!(await verifyPassword(password, account.password_hash))) {
    const details = { field: 'current_password' }
    throw new DomainError('invalid', 'the current password is wrong', { details })
  }
  await accounts.forgetAttempts(account.email)
  return account
}
