import { type SqlBool, sql } from 'kysely'
import { emailKey } from '../../domain/base/email.ts'
import type { Query } from '../../storage/base/queries.ts'
import type { LockOptions } from '../domain/account.ts'

/** Count one attempt to sign in with this e-mail, whether an account has it or not.
 * @returns until when the e-mail is locked; null when this attempt is allowed */
export async function countAttempt(
  query: Query,
  email: string,
  options: LockOptions,
): Promise<string | null> {
  const { now, limit, lockedUntil, forgottenAt } = options
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
          locked_until: sql`case when ${failed} >= ${sql.lit(limit)} then ${lockedUntil} end`,
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
  return row ? null : await lockEnd(query, email_key, lockedUntil)
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
