import { ACCOUNT_LIMITS, ACCOUNT_TIMES } from '@keyferry/contract/accounts'
import { type SqlBool, sql } from 'kysely'
import { timestamp } from '../../domain/base/clock-and-ids.ts'
import { emailKey } from '../../domain/base/email.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { Query } from '../../storage/base/queries.ts'
import type { AccountParts } from './account-rows.ts'

/** Count an attempt with this e-mail as failed, also if no account has it. `forgetAttempts` removes it after a success.
 * So parallel attempts cannot exceed the limit.
 * @throws DomainError account_locked */
export async function requireUnlocked(
  { queries: { query }, clock }: Pick<AccountParts, 'queries' | 'clock'>,
  email: string,
): Promise<void> {
  const now = timestamp(clock)
  const lockedUntil = timestamp(clock, ACCOUNT_TIMES.accountLockSeconds)
  const forgottenAt = timestamp(clock, ACCOUNT_TIMES.attemptMemorySeconds)
  const email_key = emailKey(email)
  const isOver = sql<SqlBool>`login_attempts.locked_until is not null or login_attempts.forgotten_at <= ${now}`
  const failed = sql<number>`case when ${isOver} then 1 else login_attempts.failed + 1 end`
  const row = await query
    .insertInto('login_attempts')
    .values({ email_key, failed: 1, locked_until: null, forgotten_at: forgottenAt })
    .onConflict((conflict) =>
      conflict
        .column('email_key')
        .doUpdateSet({
          failed,
          locked_until: sql`case when ${failed} >= ${sql.lit(ACCOUNT_LIMITS.failedLogins)} then ${lockedUntil} end`,
          forgotten_at: forgottenAt,
        })
        .where((either) =>
          either.or([
            either('login_attempts.locked_until', 'is', null),
            either('login_attempts.locked_until', '<=', now),
          ]),
        ),
    )
    .returning('failed')
    .executeTakeFirst()
  if (row?.failed === 1) await forgetOld(query, now)
  const lockEnds = row ? null : await lockEnd(query, email_key, lockedUntil)
  if (lockEnds !== null) throw new DomainError('account_locked', `Account locked until ${lockEnds}`)
}

/** Forget the attempts of an e-mail, and its lock. */
export async function forgetAttempts(query: Query, email: string): Promise<void> {
  await query.deleteFrom('login_attempts').where('email_key', '=', emailKey(email)).execute()
}

// A lock that was set on a clock that was ahead lasts for its length from now.
async function lockEnd(query: Query, email_key: string, latest: string): Promise<string | null> {
  await query
    .updateTable('login_attempts')
    .set({ locked_until: latest })
    .where('email_key', '=', email_key)
    .where('locked_until', '>', latest)
    .execute()
  const row = await query
    .selectFrom('login_attempts')
    .select('locked_until')
    .where('email_key', '=', email_key)
    .executeTakeFirst()
  return row?.locked_until ?? null
}

async function forgetOld(query: Query, now: string): Promise<void> {
  await query.deleteFrom('login_attempts').where('forgotten_at', '<=', now).execute()
}
