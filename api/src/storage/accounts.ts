import type { Account, AccountStore } from '../domain/account.ts'
import { emailKey } from '../domain/email.ts'
import type { NewUser, NewWorkspace } from '../domain/user.ts'
import { countAttempt, forgetAttempts } from './login-attempts.ts'
import type { Queries, Query, Write } from './queries.ts'
import type { TenantKeys } from './tenant-keys.ts'
import { insertUser, insertWorkspace } from './users.ts'

export function createAccountStore({ query, write }: Queries, tenantKeys: TenantKeys): AccountStore {
  return {
    insertFirst: (user, workspace, now) => insertFirst(write, { tenantKeys, user, workspace, now }),
    isSetUp: () => isSetUp(query),
    exists: async (email) => (await accountsOf(query, email).select('id').executeTakeFirst()) !== undefined,
    find: (email) => find(query, email),
    countAttempt: (email, terms) => countAttempt(query, email, terms),
    forgetAttempts: (email) => forgetAttempts(query, email),
  }
}

type FirstAccount = { tenantKeys: TenantKeys; user: NewUser; workspace: NewWorkspace; now: string }
type Outcome = Awaited<ReturnType<AccountStore['insertFirst']>>

class NameTaken extends Error {}

async function insertFirst(
  write: Write,
  { tenantKeys, user, workspace, now }: FirstAccount,
): Promise<Outcome> {
  try {
    return await write(async (transaction) => {
      if (!(await takeSetUp(transaction, user.id))) return 'set_up'
      // The set-up has to be given back, which ending the transaction by an error does.
      if (!(await insertUser(transaction, user, now))) throw new NameTaken()
      await insertWorkspace(transaction, { tenantKeys, userId: user.id, workspace, now })
      return 'created'
    })
  } catch (error) {
    if (error instanceof NameTaken) return 'raced'
    throw error
  }
}

async function takeSetUp(transaction: Query, userId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('account_setup')
    .values({ slot: 1, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

async function isSetUp(query: Query): Promise<boolean> {
  return (await query.selectFrom('account_setup').select('slot').executeTakeFirst()) !== undefined
}

function accountsOf(query: Query, email: string) {
  return query
    .selectFrom('users')
    .where('email_key', '=', emailKey(email))
    .where('password_hash', 'is not', null)
}

async function find(query: Query, email: string): Promise<Account | null> {
  const row = await accountsOf(query, email)
    .select(['id', 'username', 'is_active', 'password_hash'])
    .executeTakeFirst()
  if (row?.password_hash == null) return null
  return { ...row, password_hash: row.password_hash, is_active: row.is_active === 1 }
}

/** Put another password in the place of an account's, and end its lock.
 * @returns false when there is no account of this e-mail */
export async function replacePassword(
  query: Query,
  { email, passwordHash, now }: { email: string; passwordHash: string; now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('users')
    .set({ password_hash: passwordHash, updated_at: now })
    .where('email_key', '=', emailKey(email))
    .where('password_hash', 'is not', null)
    .executeTakeFirstOrThrow()
  await forgetAttempts(query, email)
  return numUpdatedRows === 1n
}
