import { ACCOUNT_LIMITS } from '@keyferry/contract/accounts'
import {
  type Ceremony,
  type VerifiedPasskey,
  verifyNewPasskey,
  verifyPasskeyUse,
} from '@keyferry/crypto/passkey'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { ExpectedChange } from '../../domain/base/expected.ts'
import type { Origin } from '../../domain/base/origin.ts'
import { momentOf, type Stamp, stampOf } from '../../domain/base/stamp.ts'
import type { Visitor } from '../../domain/people/membership.ts'
import { type Home, homeOf, type UserStore } from '../../domain/people/user.ts'
import { type Account, type AccountStore, requireUnlocked } from './account.ts'
import { confirmedAccount, ownAccount } from './own-account.ts'

/*
 * A passkey signs in to a local account, alone or after the password. An account always keeps its password, so that a
 * person who removes the last passkey can still sign in; then the password alone suffices again. Adding and removing
 * passkeys needs the password.
 */

export type Passkey = { id: string; name: string; created_at: string; last_used_at: string | null }

export type StoredPasskey = VerifiedPasskey & { id: string; userId: string }

export type NewPasskey = VerifiedPasskey & { id: string; name: string }

/** Every change is one of the account of `stamp.by`. */
export interface PasskeyStore {
  /** The oldest first. */
  list(userId: string): Promise<Passkey[]>
  credentialIds(userId: string): Promise<string[]>
  /** @throws DomainError conflict: an account has this credential already, or the account has too many */
  insert(passkey: NewPasskey, stamp: Stamp): Promise<void>
  /** @throws DomainError not_found · changed */
  rename(passkey: PasskeyName, stamp: Stamp): Promise<Passkey>
  /** With the last passkey, `after_password` ends too.
   * @throws DomainError not_found */
  remove(id: string, stamp: Stamp): Promise<void>
  /** @throws DomainError conflict: the account has no passkey to ask for */
  setAfterPassword(afterPassword: boolean, stamp: Stamp): Promise<void>
  find(credentialId: string): Promise<StoredPasskey | null>
  /** Counts a use. False when the passkey is gone, or its counter did not grow. */
  use(id: string, counter: number, now: string): Promise<boolean>
}

export type PasskeyName = ExpectedChange<{ name: string }> & { id: string; name: string }

type PasskeyParts = { accounts: AccountStore; passkeys: PasskeyStore; clock: ClockAndIds }

type Confirmed = { current_password: string }

/** @throws DomainError not_found: no local account */
export async function listPasskeys(
  { accounts, passkeys }: PasskeyParts,
  { userId }: Visitor,
): Promise<{ passkeys: Passkey[]; after_password: boolean }> {
  const { passkey_after_password } = await ownAccount(accounts, userId)
  return { passkeys: await passkeys.list(userId), after_password: passkey_after_password }
}

/** Check the password, and tell for whom the browser makes a passkey.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked · conflict */
export async function preparePasskey(
  parts: PasskeyParts,
  { userId }: Visitor,
  { current_password }: Confirmed,
): Promise<{ user_handle: string; user_name: string; exclude: string[] }> {
  const account = await confirmedAccount(parts, userId, current_password)
  const exclude = await parts.passkeys.credentialIds(userId)
  if (exclude.length >= ACCOUNT_LIMITS.passkeys) throw tooManyPasskeys()
  return { user_handle: userHandle(userId), user_name: account.email, exclude }
}

/** Add the passkey that a browser has made.
 * @throws DomainError not_found (no local account) · invalid (the response is not to be trusted) · conflict */
export async function addPasskey(
  { accounts, passkeys, clock }: PasskeyParts,
  caller: Visitor,
  { name, ...made }: { name: string; passkey: Parameters<typeof verifyNewPasskey>[0]; ceremony: Ceremony },
): Promise<Passkey> {
  await ownAccount(accounts, caller.userId)
  const verified = await verifyNewPasskey(made.passkey, made.ceremony).catch((cause: unknown) => {
    throw new DomainError('invalid', 'the passkey could not be verified', { cause })
  })
  const id = clock.newId()
  await passkeys.insert({ ...verified, id, name }, stampOf(caller, clock))
  return { id, name, created_at: timestamp(clock), last_used_at: null }
}

/** @throws DomainError not_found · invalid (a wrong password) · account_locked */
export async function removePasskey(
  parts: PasskeyParts,
  caller: Visitor,
  { id, current_password }: Confirmed & { id: string },
): Promise<void> {
  await confirmedAccount(parts, caller.userId, current_password)
  await parts.passkeys.remove(id, stampOf(caller, parts.clock))
}

/** Choose whether a sign-in with the password also asks for a passkey.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked · conflict (no
 *   passkey) */
export async function changeSecondFactor(
  parts: PasskeyParts,
  caller: Visitor,
  { after_password, current_password }: Confirmed & { after_password: boolean },
): Promise<void> {
  await confirmedAccount(parts, caller.userId, current_password)
  await parts.passkeys.setAfterPassword(after_password, stampOf(caller, parts.clock))
}

/** The id of an account as a passkey stores it: base64url of the user's id, which tells when the account was
 * made, and nothing else about the person. */
function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

export function tooManyPasskeys(): DomainError {
  return new DomainError(
    'conflict',
    `an account can have ${ACCOUNT_LIMITS.passkeys} passkeys: remove one first`,
  )
}

export function passkeyNotFound(): DomainError {
  return new DomainError('not_found', 'passkey not found')
}

type Response = Parameters<typeof verifyPasskeyUse>[0] & { response: { userHandle?: string | undefined } }

export type PasskeyUse = {
  passkey: Response
  ceremony: Ceremony
  /** Whose password was right a moment ago; null when the passkey is used alone, and must verify its user itself. */
  userId: string | null
}

/** Sign in with a passkey. Every refused passkey gets the same answer as a wrong password, and counts like one.
 * @throws DomainError unauthorized · account_locked · forbidden (inactive) */
export async function logInWithPasskey(
  parts: PasskeyParts & { users: UserStore; origin: Origin | null },
  use: PasskeyUse,
): Promise<Home> {
  const { accounts, passkeys, users, clock } = parts
  const stored = await passkeys.find(use.passkey.id)
  const account = stored && (await accounts.findById(stored.userId))
  if (!stored || !account || !isOf(account, use)) throw unauthorized()
  await requireUnlocked(accounts, account.email, clock)
  const counter = await counterAfter(stored, use)
  if (!(await passkeys.use(stored.id, counter, timestamp(clock)))) throw unauthorized()
  await accounts.forgetAttempts(account.email)
  await users.recordSignIn(`user_${account.id}`, momentOf(parts))
  return homeOf(users, account, parts)
}

function isOf({ id }: Account, { passkey, userId }: PasskeyUse): boolean {
  const claimed = passkey.response.userHandle
  return (userId === null || userId === id) && (claimed === undefined || claimed === userHandle(id))
}

async function counterAfter(passkey: StoredPasskey, use: PasskeyUse): Promise<number> {
  const requireUserVerification = use.userId === null
  const { ceremony } = use
  return verifyPasskeyUse(use.passkey, { ceremony, passkey, requireUserVerification }).catch(
    (cause: unknown) => {
      throw unauthorized(cause)
    },
  )
}

function unauthorized(cause?: unknown): DomainError {
  return new DomainError('unauthorized', 'Unauthorized', { cause })
}
