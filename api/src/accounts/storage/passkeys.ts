import { ACCOUNT_LIMITS } from '@keyferry/contract/accounts'
import { type Ceremony, verifyNewPasskey, verifyPasskeyUse } from '@keyferry/crypto/passkey'
import { timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { type Event, madeBy } from '../../domain/base/event.ts'
import { type ExpectedChange, requireExpected } from '../../domain/base/expected.ts'
import { type Arrival, stampOf } from '../../domain/base/stamp.ts'
import type { Visitor } from '../../domain/people/membership.ts'
import type { Home } from '../../domain/people/user.ts'
import type { Query, Recorded } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { countOf, isFound } from '../../storage/base/tenant-rows.ts'
import { recordOfUser } from '../../storage/people/user-events.ts'
import { type AccountParts, findAccount, knownUser } from './account-rows.ts'
import { signIn } from './accounts.ts'
import { storeAfterPassword } from './credentials.ts'
import { forgetAttempts, requireUnlocked } from './login-attempts.ts'
import { confirmedAccount, ownAccount } from './own-account.ts'

/*
 * A passkey signs in to a local account, alone or after the password. An account always keeps its password, so that a
 * person who removes the last passkey can still sign in; then the password alone suffices again. Adding and removing
 * passkeys needs the password.
 */

type Passkey = { id: string; name: string; created_at: string; last_used_at: string | null }

type PasskeyParts = Pick<AccountParts, 'queries' | 'clock'>

type Confirmed = { current_password: string }

const SHOWN = ['id', 'name', 'created_at', 'last_used_at'] as const

function passkeysOf(query: Query, userId: string) {
  return query.selectFrom('passkeys').where('user_id', '=', userId)
}

/** The oldest first. @throws DomainError not_found: no local account */
export async function listPasskeys(
  { queries: { query } }: PasskeyParts,
  { userId }: Visitor,
): Promise<{ passkeys: Passkey[]; after_password: boolean }> {
  const { passkey_after_password } = await ownAccount(query, userId)
  const passkeys = passkeysOf(query, userId).select(SHOWN).orderBy('created_at').orderBy('id')
  return { passkeys: await passkeys.execute(), after_password: passkey_after_password === 1 }
}

/** Check the password, and return for whom the browser makes a passkey.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked · conflict */
export async function preparePasskey(
  parts: PasskeyParts,
  { userId }: Visitor,
  { current_password }: Confirmed,
): Promise<{ user_handle: string; user_name: string; exclude: string[] }> {
  const account = await confirmedAccount(parts, userId, current_password)
  const rows = await passkeysOf(parts.queries.query, userId).select('credential_id').execute()
  if (rows.length >= ACCOUNT_LIMITS.passkeys) throw tooManyPasskeys()
  const exclude = rows.map(({ credential_id }) => credential_id)
  return { user_handle: userHandle(userId), user_name: account.email, exclude }
}

/** Add the passkey that a browser has made.
 * @throws DomainError not_found (no local account) · invalid (the response is not to be trusted) · conflict (an account
 * has this credential already, or the account has too many) */
export async function addPasskey(
  parts: PasskeyParts,
  caller: Visitor,
  { name, ...made }: { name: string; passkey: Parameters<typeof verifyNewPasskey>[0]; ceremony: Ceremony },
): Promise<Passkey> {
  await ownAccount(parts.queries.query, caller.userId)
  const verified = await verifyNewPasskey(made.passkey, made.ceremony).catch((cause: unknown) => {
    throw new DomainError('invalid', 'the passkey could not be verified', { cause })
  })
  const { credentialId: credential_id, publicKey: public_key, counter } = verified
  const id = parts.clock.newId()
  const row = { id, name, created_at: timestamp(parts.clock), last_used_at: null }
  await change(parts, caller, async (transaction, record) => {
    if ((await countOf(passkeysOf(transaction, caller.userId))) >= ACCOUNT_LIMITS.passkeys)
      throw tooManyPasskeys()
    const insertion = transaction
      .insertInto('passkeys')
      .values({ ...row, user_id: caller.userId, credential_id, public_key, counter })
    if (!(await hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))))
      throw new DomainError('conflict', 'this passkey was added already')
    await record({ action: 'passkey.added' })
  })
  return row
}

type Happened = Pick<Event, 'action' | 'data'>

// Serialise changes of one account's passkeys: otherwise one counts passkeys that another removes.
async function change<T = void>(
  { queries, clock }: PasskeyParts,
  caller: Visitor,
  work: (transaction: Recorded, record: (event: Happened) => Promise<void>) => Promise<T>,
): Promise<T> {
  const stamp = stampOf(caller, clock)
  return await queries.write(async (transaction) => {
    const account = transaction.updateTable('users').where('id', '=', stamp.by)
    await account.set({ updated_at: stamp.at }).execute()
    return await work(transaction, (event) =>
      recordOfUser(transaction, stamp.by, { ...event, ...madeBy(stamp) }),
    )
  })
}

/** @throws DomainError not_found · changed */
export async function renamePasskey(
  parts: PasskeyParts,
  caller: Visitor,
  { id, name, expected }: ExpectedChange<{ name: string }> & { id: string; name: string },
): Promise<Passkey> {
  return await change(parts, caller, async (transaction, record) => {
    const own = passkeysOf(transaction, caller.userId).where('id', '=', id)
    const row = await own.select(SHOWN).executeTakeFirst()
    if (!row) throw passkeyNotFound()
    requireExpected({ name, expected }, { name: row.name })
    await transaction.updateTable('passkeys').set({ name }).where('id', '=', id).execute()
    await record({ action: 'passkey.renamed' })
    return { ...row, name }
  })
}

/** Remove a passkey. Removing the last one also ends `after_password`.
 * @throws DomainError not_found · invalid (a wrong password) · account_locked */
export async function removePasskey(
  parts: PasskeyParts,
  caller: Visitor,
  { id, current_password }: Confirmed & { id: string },
): Promise<void> {
  const { userId } = caller
  await confirmedAccount(parts, userId, current_password)
  await change(parts, caller, async (transaction, record) => {
    const deletion = transaction.deleteFrom('passkeys').where('id', '=', id).where('user_id', '=', userId)
    if (!(await hasChanged(deletion))) throw passkeyNotFound()
    if (!(await isFound(passkeysOf(transaction, userId))))
      await storeAfterPassword(transaction, false, userId)
    await record({ action: 'passkey.removed' })
  })
}

/** Choose whether a sign-in with the password also asks for a passkey.
 * @throws DomainError not_found (no local account) · invalid (a wrong password) · account_locked · conflict (no
 *   passkey) */
export async function changeSecondFactor(
  parts: PasskeyParts,
  caller: Visitor,
  { after_password: required, current_password }: Confirmed & { after_password: boolean },
): Promise<void> {
  await confirmedAccount(parts, caller.userId, current_password)
  await change(parts, caller, async (transaction, record) => {
    if (required && !(await isFound(passkeysOf(transaction, caller.userId))))
      throw new DomainError('conflict', 'add a passkey first')
    await storeAfterPassword(transaction, required, caller.userId)
    await record({ action: 'user.second_factor_changed', data: { required } })
  })
}

/** The id of an account as a passkey stores it: base64url of the user's id, which says when the account was
 * made, and nothing else about the person. */
function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

function tooManyPasskeys(): DomainError {
  return new DomainError(
    'conflict',
    `an account can have ${ACCOUNT_LIMITS.passkeys} passkeys: remove one first`,
  )
}

function passkeyNotFound(): DomainError {
  return new DomainError('not_found', 'passkey not found')
}

type Response = Parameters<typeof verifyPasskeyUse>[0] & { response: { userHandle?: string | undefined } }

type PasskeyUse = {
  passkey: Response
  ceremony: Ceremony
  /** Whose password was right a moment ago; null when the passkey is used alone, and must verify its user itself. */
  userId: string | null
}

/** Sign in with a passkey. Every refused passkey gets the same answer as a wrong password, and counts like one.
 * @throws DomainError unauthorized · account_locked · forbidden (inactive) */
export async function logInWithPasskey(
  parts: AccountParts & Arrival,
  { passkey, ceremony, userId }: PasskeyUse,
): Promise<Home> {
  const { query } = parts.queries
  const found = query.selectFrom('passkeys').where('credential_id', '=', passkey.id)
  const columns = ['id', 'user_id', 'credential_id', 'public_key', 'counter'] as const
  const stored = await found.select(columns).executeTakeFirst()
  const account = stored && (await findAccount(query, { id: stored.user_id }))
  const claimed = passkey.response.userHandle
  const isOwn =
    account !== undefined &&
    (userId === null || userId === account.id) &&
    (claimed === undefined || claimed === userHandle(account.id))
  if (!stored || !isOwn) throw unauthorized()
  await requireUnlocked(parts, account.email)
  const { credential_id: credentialId, public_key: publicKey } = stored
  const counter = await verifyPasskeyUse(passkey, {
    ceremony,
    passkey: { credentialId, publicKey, counter: stored.counter },
    requireUserVerification: userId === null,
  }).catch((cause: unknown) => {
    throw unauthorized(cause)
  })
  // A passkey that does not count stays at 0. Of two uses with the same count at once, one is refused.
  const use = query
    .updateTable('passkeys')
    .set({ counter, last_used_at: timestamp(parts.clock) })
    .where('id', '=', stored.id)
    .where('counter', counter === 0 ? '=' : '<', counter)
  if (!(await hasChanged(use))) throw unauthorized()
  await forgetAttempts(query, account.email)
  return await signIn(parts, knownUser(account))
}

function unauthorized(cause?: unknown): DomainError {
  return new DomainError('unauthorized', 'Unauthorized', { cause })
}
