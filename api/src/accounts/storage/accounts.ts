import { emailKey } from '../../domain/base/email.ts'
import { madeByOperator } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { CredentialEnd, NewUser, NewWorkspace } from '../../domain/people/user.ts'
import { isTaken } from '../../storage/base/database.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { changing, hasChanged } from '../../storage/base/statements.ts'
import { flag, type Tables } from '../../storage/base/tables.ts'
import { isFound } from '../../storage/base/tenant-rows.ts'
import type { TenantKeys } from '../../storage/keys-at-rest/tenant-keys.ts'
import { endCredentials, epochOf } from '../../storage/people/credential-ends.ts'
import { applyActive, proveEmail, recordOfUser } from '../../storage/people/user-events.ts'
import { insertWithWorkspace } from '../../storage/people/users.ts'
import type { Account, AccountStore, EmailChange, NewPassword } from '../domain/account.ts'
import { removePasskeys } from './credentials.ts'
import { countAttempt, forgetAttempts } from './login-attempts.ts'

export function createAccountStore(queries: Queries, tenantKeys: TenantKeys): AccountStore {
  const { query, write } = queries
  return {
    insertFirst: (user, workspace, moment) => insertFirst(queries, { tenantKeys, user, workspace, moment }),
    isSetUp: () => isFound(query.selectFrom('account_setup')),
    exists: (email) => isFound(accountsOf(query, email)),
    find: async (email) => accountOf(await accountsOf(query, email).select(COLUMNS).executeTakeFirst()),
    findById: (userId) => findById(query, userId),
    setPassword: changing(queries, replacePassword),
    setEmail: (userId, change) =>
      write((transaction) => setEmail(transaction, userId, change)).catch((error: unknown) => {
        if (isTaken(error)) return false
        throw error
      }),
    countAttempt: (email, terms) => countAttempt(query, email, terms),
    forgetAttempts: (email) => forgetAttempts(query, email),
  }
}

type FirstAccount = { tenantKeys: TenantKeys; user: NewUser; workspace: NewWorkspace; moment: Moment }

class NameTaken extends Error {}

async function insertFirst({ write }: Queries, { tenantKeys, user, workspace, moment }: FirstAccount) {
  try {
    return await write(async (transaction) => {
      if (!(await takeSetUp(transaction, user.id))) return 'set_up'
      // The set-up has to be given back, which ending the transaction by an error does.
      const isNew = await insertWithWorkspace(transaction, user, { tenantKeys, workspace, moment })
      if (!isNew) throw new NameTaken()
      // The operator, who has the set-up code, names their own address.
      await proveEmail(transaction, user.id)
      return 'created'
    })
  } catch (error) {
    if (error instanceof NameTaken) return 'raced'
    throw error
  }
}

function takeSetUp(transaction: Query, userId: string): Promise<boolean> {
  const insertion = transaction.insertInto('account_setup').values({ slot: 1, user_id: userId })
  return hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))
}

function accountsOf(query: Query, email: string) {
  return query
    .selectFrom('users')
    .where('email_key', '=', emailKey(email))
    .where('password_hash', 'is not', null)
}

const COLUMNS = [
  'id',
  'username',
  'email',
  'is_active',
  'password_hash',
  'must_change_password',
  'passkey_after_password',
  'epoch',
] as const

type AccountRow = Pick<Tables['users'], (typeof COLUMNS)[number]>

function accountOf(row: AccountRow | undefined): Account | null {
  if (row?.password_hash == null) return null
  const { password_hash, is_active, must_change_password, passkey_after_password, epoch, ...account } = row
  const flags = {
    is_active: is_active === 1,
    must_change_password: must_change_password === 1,
    passkey_after_password: passkey_after_password === 1,
  }
  return { ...account, password_hash, epoch: epoch ?? 0, ...flags }
}

async function findById(query: Query, userId: string): Promise<Account | null> {
  const row = await query.selectFrom('users').select(COLUMNS).where('id', '=', userId).executeTakeFirst()
  return accountOf(row)
}

async function replacePassword(
  transaction: Recorded,
  userId: string,
  { at, origin, ...password }: NewPassword & Moment,
): Promise<CredentialEnd> {
  if (!(await setPassword(transaction, userId, { ...password, at }))) return { epoch: 0, remembered_ended: 0 }
  const made = { actor: { kind: 'user', id: userId }, at, origin } as const
  await recordOfUser(transaction, userId, { action: 'user.password_changed', ...made })
  const remembered_ended = await endCredentials(transaction, userId, made)
  return { epoch: await epochOf(transaction, userId), remembered_ended }
}

function accountOfId(query: Query, userId: string) {
  return query.updateTable('users').where('id', '=', userId).where('password_hash', 'is not', null)
}

function setPassword(
  query: Query,
  userId: string,
  { passwordHash: password_hash, mustChange, at }: NewPassword & { at: string },
): Promise<boolean> {
  const password = { password_hash, must_change_password: flag(mustChange) }
  return hasChanged(accountOfId(query, userId).set({ ...password, updated_at: at }))
}

async function setEmail(
  transaction: Recorded,
  userId: string,
  { email, expected, at, origin }: EmailChange & Moment,
): Promise<boolean> {
  // The update locks the account, so that no other change comes between.
  const locked = await accountOfId(transaction, userId)
    .set({ updated_at: at })
    .returning('email')
    .executeTakeFirst()
  if (locked) {
    requireExpected({ email, expected }, locked)
    await accountOfId(transaction, userId)
      .set({ email, email_key: emailKey(email) })
      .execute()
    const made = { actor: { kind: 'user', id: userId }, at, origin: { ...origin, email } } as const
    await recordOfUser(transaction, userId, { action: 'user.changed', ...made, data: { changed: ['email'] } })
  }
  return true
}

/** What an operator did to an account. `remembered`: how many remembered approvals ended. */
export type OperatedAccount = { userId: string; remembered: number }

/** Give an account a password that its owner has to replace at the next sign-in, remove its passkeys, and end a lock.
 * @returns null when there is no account of this e-mail */
export async function resetAccountPassword(
  transaction: Recorded,
  { email, passwordHash, now }: { email: string; passwordHash: string; now: string },
): Promise<OperatedAccount | null> {
  const row = await accountsOf(transaction, email).select('id').executeTakeFirst()
  if (!row) return null
  await setPassword(transaction, row.id, { passwordHash, mustChange: true, at: now })
  await removePasskeys(transaction, row.id)
  await forgetAttempts(transaction, email)
  const made = madeByOperator(now)
  await recordOfUser(transaction, row.id, { action: 'user.password_reset', ...made })
  return { userId: row.id, remembered: await endCredentials(transaction, row.id, made) }
}

/** Let the owner of a local account act again, or no more.
 * @returns null when there is no account of this e-mail */
export async function setAccountActive(
  transaction: Recorded,
  { email, isActive, now }: { email: string; isActive: boolean; now: string },
): Promise<OperatedAccount | null> {
  const row = await accountsOf(transaction, email).select(['id', 'is_active']).executeTakeFirst()
  if (!row) return null
  const changes = flag(isActive) !== row.is_active
  const change = { isActive, ...madeByOperator(now) }
  return { userId: row.id, remembered: changes ? await applyActive(transaction, row.id, change) : 0 }
}
