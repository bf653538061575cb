import { hashPassword, verifyPassword } from '@keyferry/crypto/password'
import { emailKey } from '../../domain/base/email.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { type ExpectedChange, requireExpected } from '../../domain/base/expected.ts'
import { type Arrival, momentOf } from '../../domain/base/stamp.ts'
import type { Visitor } from '../../domain/people/membership.ts'
import type { CredentialEnd } from '../../domain/people/user.ts'
import { isTaken } from '../../storage/base/database.ts'
import type { Query } from '../../storage/base/queries.ts'
import { endCredentials, epochOf } from '../../storage/people/credential-ends.ts'
import { recordOfUser } from '../../storage/people/user-events.ts'
import { requireStrongPassword } from '../domain/password-rule.ts'
import { type Account, type AccountParts, emailTaken, findAccount, setPassword } from './account-rows.ts'
import { forgetAttempts, requireUnlocked } from './login-attempts.ts'

type OwnAccountParts = Pick<AccountParts, 'queries' | 'clock'>

/** Give the caller's local account another password, and end sessions and remembered approvals.
 * @throws DomainError not_found (no local account) · invalid (the current password is wrong, the new one too weak) ·
 * account_locked */
export async function changePassword(
  parts: OwnAccountParts,
  { userId, origin }: Visitor,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<CredentialEnd> {
  const { email } = await ownAccount(parts.queries.query, userId)
  await requireStrongPassword(new_password, email)
  await confirmedAccount(parts, userId, current_password)
  return await replacePassword({ ...parts, origin }, userId, new_password)
}

/** Store another password, which the caller found strong enough. */
export async function replacePassword(
  { queries, ...arrival }: OwnAccountParts & Arrival,
  id: string,
  password: string,
): Promise<CredentialEnd> {
  const passwordHash = await hashPassword(password)
  const made = { actor: { kind: 'user', id }, ...momentOf(arrival) } as const
  return await queries.write(async (transaction) => {
    const isNew = await setPassword(transaction, id, { passwordHash, mustChange: false, at: made.at })
    if (!isNew) return { epoch: 0, remembered_ended: 0 }
    await recordOfUser(transaction, id, { action: 'user.password_changed', ...made })
    const remembered_ended = await endCredentials(transaction, id, made)
    return { epoch: await epochOf(transaction, id), remembered_ended }
  })
}

/** Give the caller's local account another e-mail address.
 * @throws DomainError not_found (no local account) · invalid (the current password is wrong) · account_locked ·
 * conflict (another account has the address) · changed */
export async function changeEmail(
  parts: OwnAccountParts,
  { userId, origin }: Visitor,
  {
    current_password,
    email,
    expected,
  }: ExpectedChange<{ email: string }> & {
    email: string
    current_password: string
  },
): Promise<void> {
  await confirmedAccount(parts, userId, current_password)
  const { at } = momentOf({ ...parts, origin })
  const made = { actor: { kind: 'user', id: userId }, at, origin: { ...origin, email } } as const
  const changed = parts.queries.write(async (transaction) => {
    const account = transaction
      .updateTable('users')
      .where('id', '=', userId)
      .where('password_hash', 'is not', null)
    // The update locks the account against other changes.
    const locked = await account.set({ updated_at: at }).returning('email').executeTakeFirst()
    if (!locked) return
    requireExpected({ email, expected }, locked)
    await account.set({ email, email_key: emailKey(email) }).execute()
    await recordOfUser(transaction, userId, { action: 'user.changed', ...made, data: { changed: ['email'] } })
  })
  await changed.catch((error: unknown) => {
    throw isTaken(error) ? emailTaken() : error
  })
}

/** @throws DomainError not_found: no local account */
export async function ownAccount(query: Query, userId: string): Promise<Account> {
  const account = await findAccount(query, { id: userId })
  if (!account) throw new DomainError('not_found', 'no local account')
  return account
}

/** The caller's local account, if the password is right. Wrong passwords count like those at sign-in, so a stolen
 * session allows no further guesses.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked */
export async function confirmedAccount(
  parts: OwnAccountParts,
  userId: string,
  password: string,
): Promise<Account> {
  const account = await ownAccount(parts.queries.query, userId)
  await requireUnlocked(parts, account.email)
  if (!(await verifyPassword(password, account.password_hash))) {
    const details = { field: 'current_password' }
    throw new DomainError('invalid', 'the current password is wrong', { details })
  }
  await forgetAttempts(parts.queries.query, account.email)
  return account
}
