import { TIMES } from '@keyferry/contract'
import { MAIL_TIMES } from '@keyferry/contract/mail'
import { forgetEnded } from '../../storage/base/forgetting.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { isFound } from '../../storage/base/tenant-rows.ts'
import { noteExpiriesAgain, peopleFor, queueMails } from './mail-queue.ts'

const AT_ONCE = 500

/** Queue mails about values that expire soon; give up and forget old mails. */
export async function sweepMails(
  { query, write }: Pick<Queries, 'query' | 'write'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString()
  await write((transaction) => queueExpiries(transaction, { now: at, soon: later(TIMES.expiringSeconds) }))
  await write((transaction) => giveUp(transaction, now))
  await forgetEnded(
    { write },
    { table: 'mail_messages', ended: 'done_at', before: later(-MAIL_TIMES.keptSeconds) },
  )
  for (const id of await idleReceivers(query, at))
    await write((transaction) => forgetReceiver(transaction, id))
}

async function queueExpiries(
  transaction: Query,
  { now, soon }: { now: string; soon: string },
): Promise<void> {
  await transaction.deleteFrom('mail_expiries').where('expires_at', '<', now).execute()
  const expiring = await transaction
    .selectFrom('keys')
    .leftJoin('mail_expiries as noted', (join) =>
      join
        .onRef('noted.tenant_id', '=', 'keys.tenant_id')
        .onRef('noted.key_id', '=', 'keys.id')
        .onRef('noted.expires_at', '=', 'keys.expires_at'),
    )
    .select(['keys.tenant_id', 'keys.id as key_id', 'keys.expires_at'])
    .where('keys.expires_at', '>', now)
    .where('keys.expires_at', '<=', soon)
    .where('noted.key_id', 'is', null)
    .limit(AT_ONCE)
    .execute()
  const tenants = new Set<string>()
  for (const { expires_at, ...key } of expiring) {
    const row = { ...key, expires_at: expires_at ?? '' }
    const insertion = transaction.insertInto('mail_expiries').values(row)
    if (await hasChanged(insertion.onConflict((known) => known.doNothing()))) tenants.add(key.tenant_id)
  }
  const drafts = await Promise.all([...tenants].map((tenantId) => draftsFor(transaction, tenantId)))
  await queueMails(transaction, drafts.flat(), now)
}

async function draftsFor(transaction: Query, tenantId: string) {
  const owners = await peopleFor(transaction, 'key_expires')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.role', '=', 'owner')
    .execute()
  const plan = { kind: 'key_expires', to: 'actor', topic: tenantId, facts: {} } as const
  return owners.map((owner) => ({ ...plan, ...owner, tenantId, madeBy: null }))
}

async function giveUp(transaction: Query, now: Date): Promise<void> {
  const at = now.toISOString()
  const given = await transaction
    .updateTable('mail_messages')
    .set({ state: 'refused', done_at: at })
    .where('state', '=', 'waiting')
    .where('give_up_at', '<=', at)
    .returning(['kind', 'tenant_id as tenantId'])
    .execute()
  for (const mail of given) await noteExpiriesAgain(transaction, mail, now)
}

async function idleReceivers(query: Query, now: string): Promise<string[]> {
  const rows = await query
    .selectFrom('mail_receivers')
    .leftJoin('mail_messages', 'mail_messages.address_key', 'mail_receivers.id')
    .select('mail_receivers.id')
    .where('mail_messages.id', 'is', null)
    .where('claimed_until', '<=', now)
    .limit(AT_ONCE)
    .execute()
  return rows.map(({ id }) => id)
}

// The receiver is locked first, so that a mail which another call queues is seen.
async function forgetReceiver(transaction: Query, id: string): Promise<void> {
  const locked = transaction.updateTable('mail_receivers').set({ id }).where('id', '=', id)
  if (!(await hasChanged(locked))) return
  if (await isFound(transaction.selectFrom('mail_messages').select('id').where('address_key', '=', id)))
    return
  await transaction.deleteFrom('mail_receivers').where('id', '=', id).execute()
}
