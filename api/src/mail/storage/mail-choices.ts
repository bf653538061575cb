import { OWN_MAILS, type OwnMail } from '@keyferry/contract/mail'
import { isAddressToken } from '@keyferry/crypto/invitation-token'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { madeBy } from '../../domain/base/event.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { findHome, proveEmail, recordOfUser } from '../../storage/people/user-events.ts'
import { isWarning } from '../domain/mail.ts'
import { peopleFor, queueMails } from './mail-queue.ts'

/** The kinds of mails that people switched off. */
export function createMailChoices({ query, write }: Queries, isSending: boolean) {
  return {
    list: (userId: string) => list(query, userId),
    change: (userId: string, off: readonly OwnMail[], moment: Moment) =>
      write(async (transaction) => {
        if (isSending) await warnOf(transaction, { userId, off }, moment.at)
        await transaction.deleteFrom('mail_choices').where('user_id', '=', userId).execute()
        // In one order, and none twice: the person can have pressed in two tabs.
        for (const kind of [...new Set(off)].toSorted())
          await transaction
            .insertInto('mail_choices')
            .values({ user_id: userId, kind })
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        await recordChange(transaction, userId, moment)
      }),
    prove: (userId: string, proof: { token: string; ring: RootKeyRing } & Moment) =>
      write((transaction) => prove(transaction, userId, proof)),
  }
}

// Before the choice changes, so that nobody can first switch off this mail too.
async function warnOf(
  transaction: Query,
  { userId, off }: { userId: string; off: readonly OwnMail[] },
  now: string,
): Promise<void> {
  const before = await list(transaction, userId)
  const warnings = OWN_MAILS.filter((kind) => isWarning(kind) && off.includes(kind) && !before.includes(kind))
  const home = await findHome(transaction, userId)
  if (warnings.length === 0 || home === null) return
  const plan = { kind: 'account', to: 'actor', topic: warnings.join(), facts: { off: warnings } } as const
  const person = await peopleFor(transaction, null).where('users.id', '=', userId).execute()
  const drafts = person.map((each) => ({ ...plan, ...each, tenantId: home.tenant_id, madeBy: userId }))
  await queueMails(transaction, drafts, now)
}

/** Note that the person reads their address. @returns false: they have another one now */
async function prove(
  transaction: Recorded,
  userId: string,
  { token, ring, ...moment }: { token: string; ring: RootKeyRing } & Moment,
): Promise<boolean> {
  // Locks the person until the transaction ends.
  const locked = transaction.updateTable('users').set({ updated_at: moment.at }).where('id', '=', userId)
  const { email_key = '' } = (await locked.returning('email_key').executeTakeFirst()) ?? {}
  if (!isAddressToken(ring, token, [userId, email_key])) return false
  await proveEmail(transaction, userId, true)
  await recordChange(transaction, userId, moment)
  return true
}

async function recordChange(transaction: Recorded, userId: string, moment: Moment): Promise<void> {
  const { actor } = madeBy({ tenantId: '', by: userId, ...moment })
  const event = { action: 'user.changed', actor, data: { changed: ['mails'] } } as const
  await recordOfUser(transaction, userId, { ...event, ...moment })
}

async function list(query: Query, userId: string): Promise<OwnMail[]> {
  const rows = query.selectFrom('mail_choices').select('kind').where('user_id', '=', userId)
  return (await rows.orderBy('kind').execute()).map(({ kind }) => kind)
}
