import type { NotNull } from 'kysely'
import type { ClockAndIds } from '../../domain/base/clock-and-ids.ts'
import { emailKey } from '../../domain/base/email.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { KnownUser, UserStore } from '../../domain/people/user.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { flag } from '../../storage/base/tables.ts'
import type { TenantKeys } from '../../storage/keys-at-rest/tenant-keys.ts'

/** What the acts on accounts need. */
export type AccountParts = { queries: Queries; tenantKeys: TenantKeys; users: UserStore; clock: ClockAndIds }

export type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>

/** `must_change_password`: set by a reset; the next sign-in has to choose a new password. */
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

/** The account with this id or e-mail address; undefined: there is none. */
export async function findAccount(query: Query, asked: { id: string } | { email: string }) {
  return await accountRow(query, asked)
    .select(COLUMNS)
    .$narrowType<{ password_hash: NotNull }>()
    .executeTakeFirst()
}

export function accountRow(query: Query, asked: { id: string } | { email: string }) {
  const users = query.selectFrom('users').where('password_hash', 'is not', null)
  return 'id' in asked
    ? users.where('id', '=', asked.id)
    : users.where('email_key', '=', emailKey(asked.email))
}

export function knownUser({ id, username, is_active, epoch }: Account): KnownUser {
  return { id, username, is_active: is_active === 1, epoch: epoch ?? 0 }
}

/** @returns false: the user has no account */
export function setPassword(
  query: Query,
  userId: string,
  { passwordHash: password_hash, mustChange, at }: { passwordHash: string; mustChange: boolean; at: string },
): Promise<boolean> {
  const password = { password_hash, must_change_password: flag(mustChange), updated_at: at }
  const account = query.updateTable('users').where('id', '=', userId).where('password_hash', 'is not', null)
  return hasChanged(account.set(password))
}

export function emailTaken(): DomainError {
  return new DomainError('conflict', 'this e-mail has an account already')
}
