import { MAIL_LIMITS, MAIL_TIMES, type OwnMail } from '@keyferry/contract/mail'
import { randomId } from '@keyferry/crypto/token'
import { entryOf } from '../../domain/audit/audit.ts'
import { emailKey } from '../../domain/base/email.ts'
import { reaches } from '../../domain/people/reach.ts'
import type { AfterAppend } from '../../storage/audit/appending.ts'
import type { Query } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { countOf, deleteOf, isFound, selectOf } from '../../storage/base/tenant-rows.ts'
import { REACH, withReach } from '../../storage/reach/membership-reach.ts'
import { isLimited, isOverLimit, isOwnMail, type MailEntry, type MailPlan, mailsOf } from '../domain/mail.ts'

/*
 * The mails of appended entries, written in the transaction that appends them: no entry is in the log without its
 * mails, and none makes them twice.
 */

/** Who gets a mail: a person, or an invited address. */
type MailReceiver = { address: string; userId: string | null }

export type MailDraft = MailPlan & MailReceiver & { tenantId: string; madeBy: string | null }

/** Queue the mails of appended entries. */
export const queueOfEntries: AfterAppend = async (transaction, batches) => {
  const drafts: MailDraft[] = []
  for (const { tenantId, rows } of batches)
    for (const { seq, body } of rows) {
      const entry = { ...entryOf(body, null), seq }
      for (const plan of mailsOf(entry, tenantId)) {
        const receivers = await receiversOf(transaction, plan, { tenantId, entry })
        drafts.push(...receivers.map((each) => ({ ...plan, ...each, tenantId, madeBy: entry.actor.id })))
      }
    }
  await queueMails(transaction, drafts, batches[0]?.now ?? '')
}

async function receiversOf(
  transaction: Query,
  { to, kind }: MailPlan,
  { tenantId, entry: { actor, target } }: { tenantId: string; entry: MailEntry },
): Promise<MailReceiver[]> {
  if (to === 'invited') {
    const invited = selectOf(transaction, 'invitations', { tenantId, id: target.id }).select('email')
    return (await invited.execute()).map(({ email }) => ({ address: emailKey(email), userId: null }))
  }
  if (to === 'former_address' || to === 'new_address')
    return await unprovenAddress(transaction, actor.id ?? '', to)
  if (!isOwnMail(kind)) return []
  const people = peopleFor(transaction, kind)
  if (to === 'actor') return await people.where('users.id', '=', actor.id ?? '').execute()
  const others = await people
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .select(REACH)
    .where('memberships.tenant_id', '=', tenantId)
    .where('users.id', '<>', actor.id ?? '')
    // Owners first.
    .orderBy('memberships.role', 'desc')
    .limit(MAIL_LIMITS.deciders)
    .execute()
  // A mail at this time tells a limited member that something happened.
  const members = await withReach(transaction, others)
  return members.filter(
    ({ reach }) => reach === null || (target.kind === 'bundle' && reaches(reach, target.name ?? '')),
  )
}

/** The present address of a person who did not prove it, or the one that they proved before. */
async function unprovenAddress(
  query: Query,
  userId: string,
  which: 'former_address' | 'new_address',
): Promise<MailReceiver[]> {
  const person = query.selectFrom('users').select(['id as userId', 'email_key', 'proven_key'])
  const row = await person.where('id', '=', userId).where('is_active', '=', 1).executeTakeFirst()
  if (row === undefined || row.proven_key === row.email_key) return []
  const address = which === 'new_address' ? row.email_key : row.proven_key
  return address === null ? [] : [{ address, userId }]
}

/** Active people who proved their address and want mails of this kind; null: of all kinds. */
export function peopleFor(query: Query, kind: OwnMail | null) {
  return query
    .selectFrom('users')
    .select(['users.id as userId', 'users.email_key as address'])
    .where('users.is_active', '=', 1)
    .whereRef('users.proven_key', '=', 'users.email_key')
    .where((users) =>
      users.not(
        users.exists(
          users
            .selectFrom('mail_choices as choice')
            .select('choice.kind')
            .whereRef('choice.user_id', '=', 'users.id')
            .where('choice.kind', '=', kind),
        ),
      ),
    )
}

/** Queue mails within the limits. Mails of one kind and topic that wait become one. */
export async function queueMails(
  transaction: Query,
  drafts: readonly MailDraft[],
  now: string,
): Promise<void> {
  // Each receiver is locked until the transaction ends, in one order, so that no two wait for each other.
  for (const draft of drafts.toSorted((one, other) => (one.address < other.address ? -1 : 1))) {
    await lockReceiver(transaction, draft.address)
    const { address, userId, tenantId, madeBy, kind, topic } = draft
    const give_up_at = new Date(Date.parse(now) + MAIL_TIMES.triedSeconds * 1_000).toISOString()
    const fresh = {
      topic,
      tenant_id: tenantId,
      facts: JSON.stringify(draft.facts),
      give_up_at,
      created_at: now,
    }
    if (await hasChanged(waitingLike(transaction, draft).set(fresh))) continue
    if (isLimited(kind) && (await isOver(transaction, draft, now))) continue
    const row = { ...fresh, id: randomId(), address_key: address, kind, user_id: userId, made_by: madeBy }
    await transaction
      .insertInto('mail_messages')
      .values({ ...row, state: 'waiting', not_before: now, attempts: 0 })
      .execute()
  }
}

// The newest takes the place of one that waits, at the end of the line. An inviter has one place for each address.
function waitingLike(transaction: Query, { address, kind, topic, madeBy }: MailDraft) {
  const waiting = transaction
    .updateTable('mail_messages')
    .where('address_key', '=', address)
    .where('kind', '=', kind)
    .where('state', '=', 'waiting')
  return kind === 'invitation' ? waiting.where('made_by', '=', madeBy) : waiting.where('topic', '=', topic)
}

async function lockReceiver(transaction: Query, id: string): Promise<void> {
  await transaction
    .insertInto('mail_receivers')
    .values({ id, next_at: '', failures: 0, claimed_until: '' })
    .onConflict((known) => known.column('id').doUpdateSet({ id }))
    .execute()
}

async function isOver(
  transaction: Query,
  { address, tenantId, madeBy }: MailDraft,
  now: string,
): Promise<boolean> {
  const since = dayBefore(now)
  const sent = () =>
    transaction
      .selectFrom('mail_messages')
      .where('kind', 'in', ['invitation', 'proof'])
      .where('created_at', '>', since)
  return isOverLimit({
    toAddress: await countOf(sent().where('address_key', '=', address)),
    ofInviterToAddress: await countOf(
      sent().where('address_key', '=', address).where('made_by', '=', madeBy),
    ),
    ofInviter: await countOf(sent().where('made_by', '=', madeBy)),
    ofWorkspace: await countOf(sent().where('tenant_id', '=', tenantId)),
  })
}

/** Let values that expire soon make mails again, where a mail about them was given up and no owner got one. */
export async function noteExpiriesAgain(
  transaction: Query,
  { kind, tenantId }: Pick<MailDraft, 'kind' | 'tenantId'>,
  now: Date,
): Promise<void> {
  if (kind !== 'key_expires') return
  const got = selectOf(transaction, 'mail_messages', { tenantId, kind, state: 'sent' })
  if (await isFound(got.select('id').where('done_at', '>', dayBefore(now.toISOString())))) return
  await deleteOf(transaction, 'mail_expiries', tenantId).execute()
}

function dayBefore(time: string): string {
  return new Date(Date.parse(time) - 24 * 60 * 60 * 1_000).toISOString()
}
