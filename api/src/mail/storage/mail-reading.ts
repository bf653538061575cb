import { TIMES } from '@keyferry/contract'
import { type AuditEntry, entryOf } from '../../domain/audit/audit.ts'
import type { Query } from '../../storage/base/queries.ts'
import { selectOf } from '../../storage/base/tenant-rows.ts'
import { isOwnMail, isWarning } from '../domain/mail.ts'
import type { QueuedMail } from './mail-outbox.ts'
import { peopleFor } from './mail-queue.ts'

/** The address of the person that a mail is for; null: it is another one now, or the person does not want it. Whether
 * they want a warning was judged when it was queued. It goes where it was to go then, as a mail about the account does:
 * who has a stolen session can change the address at once. */
export async function personalAddress(
  query: Query,
  { userId, address, kind }: QueuedMail,
): Promise<string | null> {
  const isFixed = kind === 'account' || isWarning(kind)
  const people =
    isFixed || kind === 'proof'
      ? query.selectFrom('users').where('users.is_active', '=', 1)
      : peopleFor(query, isOwnMail(kind) ? kind : null)
  const person = people.select(['users.email', 'users.email_key']).where('users.id', '=', userId)
  const { email, email_key } = (await person.executeTakeFirst()) ?? {}
  if (email_key === address) return email ?? null
  return isFixed && email_key !== undefined ? address : null
}

export async function invitationOf(query: Query, tenantId: string, id: string) {
  const row = selectOf(query, 'invitations', { tenantId, id }).select(['email', 'token_hash'])
  return (await row.executeTakeFirst()) ?? null
}

export async function workspaceName(query: Query, tenantId: string): Promise<string> {
  const row = query.selectFrom('tenants').select('name').where('id', '=', tenantId)
  return (await row.executeTakeFirst())?.name ?? ''
}

const NAMED = 10

/** Values that expire soon, the first ones. */
export async function expiringKeys(query: Query, tenantId: string, now: Date) {
  const soon = new Date(now.getTime() + TIMES.expiringSeconds * 1_000).toISOString()
  const rows = selectOf(query, 'keys', tenantId)
    .select(['name', 'expires_at'])
    .where('expires_at', '>', now.toISOString())
    .where('expires_at', '<=', soon)
  return await rows.orderBy('expires_at').limit(NAMED).execute()
}

const READ = 200

/** A sign-in whose network address the person did not sign in from before; null: they did, or it is the first. */
export async function newSignIn(
  query: Query,
  { tenantId, userId, facts }: QueuedMail,
): Promise<AuditEntry | null> {
  const entries = await selectOf(query, 'audit_log', {
    tenantId,
    actor_id: userId ?? '',
    action: 'user.signed_in',
  })
    .select(['seq', 'body', 'origin'])
    .where('seq', '<=', facts.seq ?? 0)
    .orderBy('seq', 'desc')
    .limit(READ)
    .execute()
  const [entry, ...before] = entries.map(({ body, origin }) => entryOf(body, origin))
  const ip = entry?.origin?.['ip']
  if (entry === undefined || ip === undefined || before.length === 0) return null
  return before.some(({ origin }) => origin?.['ip'] === ip) ? null : entry
}
