import { MAIL_LIMITS, type MailKind, OWN_MAILS, type OwnMail } from '@keyferry/contract/mail'
import { type AuditEntry, waitsForOthers } from '../../domain/audit/audit.ts'

/*
 * Which entries of an audit log make mails, and to whom. A mail goes to verified addresses, and an invitation to the
 * address that an owner typed. It names no value, key or bundle that the receiver may not see, and it links to the
 * waiting list, the invitation or the account only, so a forged request never looks like one of these mails.
 */

/** The person who acted (at the address that they proved before the present one, or at the present one that they did
 * not prove), the address of an invitation, or the people of a workspace without the one who acted. */
type Receiver = 'actor' | 'former_address' | 'new_address' | 'invited' | 'deciders'

/** `topic`: mails of one kind about the same topic that wait become one. */
export type MailPlan = { kind: MailKind; to: Receiver; topic: string; facts: MailFacts }

/** What a mail needs besides what is read when it is sent. `seq`: the entry that it is about. `off`: warnings that a
 * person switched off. */
export type MailFacts = { seq?: number | undefined; invitation?: string; off?: OwnMail[] }

/** An entry that was just appended. */
export type MailEntry = Pick<AuditEntry, 'action' | 'target' | 'data' | 'seq'> & {
  actor: { kind: string; id: string | null }
}

/** The mails that an entry makes. */
export function mailsOf(entry: MailEntry, tenantId: string): MailPlan[] {
  const { action, target, data, seq } = entry
  if (action === 'member.invited')
    return [{ kind: 'invitation', to: 'invited', topic: target.id, facts: { invitation: target.id } }]
  if (waitsForOthers(entry)) return [{ kind: 'waiting', to: 'deciders', topic: tenantId, facts: {} }]
  if (entry.actor.kind !== 'user') return []
  if (action === 'user.signed_in')
    return [{ kind: 'signed_in', to: 'actor', topic: String(seq), facts: { seq: seq ?? undefined } }]
  if (action === 'user.changed' && [data['changed']].flat().includes('email'))
    return [
      { kind: 'account', to: 'former_address', topic: 'email', facts: {} },
      { kind: 'proof', to: 'new_address', topic: '', facts: {} },
    ]
  return action === 'grant.created' ? [{ kind: 'remembered', to: 'actor', topic: tenantId, facts: {} }] : []
}

/** Whether a mail of this kind can go to an address that nobody proved. */
export function isLimited(kind: MailKind): boolean {
  return kind === 'invitation' || kind === 'proof'
}

/** Whether such mails of the last day leave no room for another one. No person can use up all that one address gets,
 * and whether somebody here has the address makes no difference. */
export function isOverLimit(sent: Readonly<Record<MailLimit, number>>): boolean {
  return LIMITED.some((limit) => sent[limit] >= MAIL_LIMITS[limit])
}

const LIMITED = ['toAddress', 'ofInviterToAddress', 'ofInviter', 'ofWorkspace'] as const
type MailLimit = (typeof LIMITED)[number]

/** Which kinds a person can switch off. */
export function isOwnMail(kind: MailKind): kind is OwnMail {
  return OWN_MAILS.some((own) => own === kind)
}

/** Warnings about what can be done with a stolen session. Who switches them off does not stop one that is queued, and
 * makes a mail. */
export function isWarning(kind: MailKind): boolean {
  return kind === 'signed_in' || kind === 'remembered'
}

/** Seconds from each failure in a row to the next try. A receiver that defers a first mail often takes it after five
 * minutes. */
const SCHEDULE = [60, 6 * 60, 30 * 60]
const HOUR = 60 * 60

/** How long a mail whose fate is unclear can be tried again: twice. */
const UNCLEAR = 2.5 * HOUR

/** What became of a mail. `dropped`: what it was about has ended. `refused`: the receiver will never take it.
 * `unclear`: the server got all of it and did not say whether it took it. */
export type MailOutcome =
  | { end: 'sent' | 'dropped' | 'refused' | 'unclear' }
  | { end: 'failed'; word: string }

/** What follows: the state of the message, and when the receiver is tried again. */
export function settledMail(
  outcome: MailOutcome,
  { failures, giveUpAt, now }: { failures: number; giveUpAt: string; now: Date },
) {
  const { end } = outcome
  if (end !== 'failed' && end !== 'unclear') return { state: end, retryAt: '', giveUpAt } as const
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString()
  const retryAt = later((end === 'failed' && SCHEDULE[failures]) || HOUR)
  const endAt = end === 'unclear' && later(UNCLEAR) < giveUpAt ? later(UNCLEAR) : giveUpAt
  return { state: endAt <= retryAt ? 'refused' : 'waiting', retryAt, giveUpAt: endAt } as const
}
