import { LIMITS } from '@keyferry/contract'
import { type Ceremony, type VerifiedPasskey, verifyNewPasskey } from '@keyferry/crypto/passkey'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { AccountStore } from './account.ts'
import type { Visitor } from './membership.ts'
import { ownAccount, requireCurrentPassword } from './own-account.ts'

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
  /** `taken`: an account has this credential already. `full`: the account has `limit` passkeys. */
  insert(passkey: NewPasskey, limit: number, stamp: Stamp): Promise<'done' | 'taken' | 'full'>
  /** Null when the account has no such passkey. */
  rename(id: string, name: string, stamp: Stamp): Promise<Passkey | null>
  /** With the last passkey, `after_password` ends too. False when the account has no such passkey. */
  remove(id: string, stamp: Stamp): Promise<boolean>
  /** False when the account has no passkey to ask for. */
  setAfterPassword(afterPassword: boolean, stamp: Stamp): Promise<boolean>
  find(credentialId: string): Promise<StoredPasskey | null>
  /** Counts a use. False when the passkey is gone, or its counter did not grow. */
  use(id: string, counter: number, now: string): Promise<boolean>
}

export type PasskeyParts = { accounts: AccountStore; passkeys: PasskeyStore; clock: ClockAndIds }

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
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked · conflict (too many)
 *   */
export async function preparePasskey(
  { accounts, passkeys, clock }: PasskeyParts,
  { userId }: Visitor,
  { current_password }: Confirmed,
): Promise<{ user_handle: string; user_name: string; exclude: string[] }> {
  const account = await ownAccount(accounts, userId)
  await requireCurrentPassword({ accounts, clock }, account, current_password)
  const exclude = await passkeys.credentialIds(userId)
  if (exclude.length >= LIMITS.passkeys) throw tooMany()
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
  const outcome = await passkeys.insert({ ...verified, id, name }, LIMITS.passkeys, stampOf(caller, clock))
  if (outcome === 'full') throw tooMany()
  if (outcome === 'taken') throw new DomainError('conflict', 'this passkey was added already')
  return { id, name, created_at: timestamp(clock), last_used_at: null }
}

/** @throws DomainError not_found */
export async function renamePasskey(
  { passkeys, clock }: PasskeyParts,
  caller: Visitor,
  { id, name }: { id: string; name: string },
): Promise<Passkey> {
  const renamed = await passkeys.rename(id, name, stampOf(caller, clock))
  if (!renamed) throw notFound()
  return renamed
}

/** @throws DomainError not_found · invalid (a wrong password) · account_locked */
export async function removePasskey(
  { accounts, passkeys, clock }: PasskeyParts,
  caller: Visitor,
  { id, current_password }: Confirmed & { id: string },
): Promise<void> {
  const account = await ownAccount(accounts, caller.userId)
  await requireCurrentPassword({ accounts, clock }, account, current_password)
  if (!(await passkeys.remove(id, stampOf(caller, clock)))) throw notFound()
}

/** Choose whether a sign-in with the password also asks for a passkey.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked · conflict (no
 *   passkey) */
export async function changeSecondFactor(
  { accounts, passkeys, clock }: PasskeyParts,
  caller: Visitor,
  { after_password, current_password }: Confirmed & { after_password: boolean },
): Promise<void> {
  const account = await ownAccount(accounts, caller.userId)
  await requireCurrentPassword({ accounts, clock }, account, current_password)
  const isSet = await passkeys.setAfterPassword(after_password, stampOf(caller, clock))
  if (!isSet) throw new DomainError('conflict', 'add a passkey first')
}

/** The id of an account as a passkey stores it: base64url of the user's id, which tells nothing about the person. */
export function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

function tooMany(): DomainError {
  return new DomainError('conflict', `an account can have ${LIMITS.passkeys} passkeys: remove one first`)
}

function notFound(): DomainError {
  return new DomainError('not_found', 'passkey not found')
}
