import { type SqlBool, sql } from 'kysely'
import { emailKey } from '../../domain/base/email.ts'
import type { Query, Recorded } from '../../storage/base/queries.ts'
import { flag } from '../../storage/base/tables.ts'
import { isFound } from '../../storage/base/tenant-rows.ts'

/* What the other folders ask about passwords. */

export async function wayOf(query: Query, email: string): Promise<string | null> {
  const accounts = query.selectFrom('users').select('id').where('email_key', '=', emailKey(email))
  const row = await accounts.where('password_hash', 'is not', null).executeTakeFirst()
  return row === undefined ? null : `user_${row.id}`
}

export const isOwner = sql<SqlBool>`password_hash is not null`

// One address signs in to one account.
export function mayHaveAddress(userId: string, address: string) {
  return sql<SqlBool>`(password_hash is null or not exists (select 1 from users as other
    where other.email_key = ${emailKey(address)} and other.password_hash is not null and other.id <> ${userId}))`
}

function passwordOf(query: Query, userId: string) {
  return query.selectFrom('users').where('id', '=', userId).where('password_hash', 'is not', null)
}

export async function moveRefusal(query: Query, { from, to }: { from: string; to: string }) {
  const given = await passwordOf(query, from).select('passkey_after_password').executeTakeFirst()
  if (given === undefined) return null
  if (await isFound(passwordOf(query, to)))
    return 'the person has a password here already: sign in with it instead'
  return given.passkey_after_password === 0
    ? null
    : 'the account asks for a passkey after the password: turn that off first, and on again later'
}

// A password signs in with the address of its account, so both move to the other person. Its way to sign in has the id
// of its person, so the earlier id ends.
export async function move(transaction: Recorded, { from, to }: { from: string; to: string }) {
  const columns = ['password_hash', 'email', 'email_key', 'email_verified', 'proven_key'] as const
  const moved = await passwordOf(transaction, from).select(columns).executeTakeFirst()
  if (moved === undefined) return null
  const users = () => transaction.updateTable('users')
  await users().set({ password_hash: null }).where('id', '=', from).execute()
  await users().set(moved).where('id', '=', to).execute()
  return `user_${to}`
}

// Remove the passkeys that `from` added since the link. They would sign in again once `from` has a password again.
export async function moveBack(transaction: Recorded, sides: { from: string; to: string }): Promise<void> {
  await removePasskeys(transaction, sides.from)
  await move(transaction, sides)
}

/** Remove every passkey of an account, so that its password alone signs in again. */
export async function removePasskeys(query: Query, userId: string): Promise<void> {
  await query.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await storeAfterPassword(query, false, userId)
}

/** Whether a sign-in with the password also asks for a passkey. */
export async function storeAfterPassword(
  query: Query,
  afterPassword: boolean,
  userId: string,
): Promise<void> {
  await query
    .updateTable('users')
    .set({ passkey_after_password: flag(afterPassword) })
    .where('id', '=', userId)
    .execute()
}
