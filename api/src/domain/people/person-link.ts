import type { OwnLinks } from '@keyferry/contract'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { EventOrigin } from '../base/event.ts'
import { type Arrival, type Moment, momentOf } from '../base/stamp.ts'
import { userNotFound } from './membership.ts'

/*
 * One person can have several ways to sign in. A link makes a new way sign in the person of the old way. It is
 * confirmed by a sign-in with the old way in the same browser, or by the operator; an e-mail address only offers it.
 * The memberships of the new way move to the person; approval keys, remembered approvals and proposals end with the
 * memberships that they belong to. A link ends all sessions, and can be undone for a month; later it can still be
 * removed, but nothing moves back. If a rule of one of the workspaces asks for signatures, the link lasts: the person
 * confirms it again a day later, and until then either side can stop it.
 */

/** `idpUserId`, `confirmed`: the ids of the new and the old way, as ensure-user has them. */
export type WantedLink = { idpUserId: string; confirmed: string }

/** `ended`: the ids whose sessions end. `left`: the person whose memberships moved away. */
export type ChangedLink = { id: string; ended: string[]; left: string | null }

export type LinkRefusal = 'absent' | 'inactive' | 'same' | 'chained' | 'two_passwords' | 'second_factor'

/** `waits`: when the person can confirm again. */
export type LinkOutcome = ChangedLink | LinkRefusal | { waits: string }

/** `by`: the person, and the way that their session began with; null: the operator. */
export type EndedLink = { id: string; by: { userId: string; idpUserId: string } | null }

export type UndoRefusal = 'no_link' | 'earlier_way'

export interface LinkStore {
  link(link: WantedLink, terms: LinkTerms): Promise<LinkOutcome>
  /** Undo a link, remove one that is older than a month, or stop one that waits. */
  undo(link: EndedLink, terms: LinkTerms): Promise<ChangedLink | UndoRefusal>
}

/** A way could otherwise lock out those that it was added to: it ends its own link, and later ones.
 * @param way the link of the session's way; null: the way that the person began with */
export function mayEnd(
  way: { id: string; linked_at: string | null } | null,
  link: { id: string; linked_at: string | null },
): boolean {
  return way === null || way.id === link.id || (way.linked_at ?? '') < (link.linked_at ?? '')
}

/** `actor` null: the person of the link. `mayWait` false: the operator's link counts at once. */
export type LinkTerms = Moment & {
  actor: EventOrigin['actor'] | null
  mayWait: boolean
  newId: () => string
}

export interface LinkReads {
  /** Links of the person, those that wait too, and whether another person has the same verified e-mail address. */
  listOf(userId: string, now: string): Promise<z.input<typeof OwnLinks>>
}

const DAY_MS = 24 * 60 * 60 * 1_000
const [WAITS_DAYS, WAIT_KEPT_DAYS, UNDO_DAYS] = [1, 7, 30]

/** `countsFrom`: when a link that begins to wait can be confirmed again. `waitingSince`: when the oldest wait that
 * still counts began. `undoableSince`: from when on what a link moved can move back. */
export function linkTimes(now: string) {
  const daysFrom = (days: number) => new Date(Date.parse(now) + days * DAY_MS).toISOString()
  return {
    countsFrom: daysFrom(WAITS_DAYS),
    waitingSince: daysFrom(-WAIT_KEPT_DAYS),
    undoableSince: daysFrom(-UNDO_DAYS),
  }
}

/** Let a way to sign in be the person who just signed in with `confirmed`.
 * @throws DomainError not_found · forbidden: disabled · conflict: not possible, or it waits for a day */
export async function linkPerson(links: Pick<LinkStore, 'link'>, wanted: WantedLink, arrival: Arrival) {
  const outcome = await links.link(wanted, { ...termsOf(arrival), actor: null })
  if (typeof outcome === 'string') throw refusalOf(outcome)
  if ('waits' in outcome) throw waits(outcome.waits)
  return outcome
}

/** Until when undoing a link moves back what it moved; null: no longer. */
export function undoableUntil(linkedAt: string, now: string): string | null {
  const until = new Date(Date.parse(linkedAt) + UNDO_DAYS * DAY_MS).toISOString()
  return until > now ? until : null
}

/** @throws DomainError not_found: no such link of this person · forbidden: of an earlier way to sign in */
export async function undoLink(
  links: Pick<LinkStore, 'undo'>,
  { id, by }: EndedLink & { by: object },
  arrival: Arrival,
): Promise<ChangedLink> {
  const actor = { kind: 'user', id: by.userId } as const
  const undone = await links.undo({ id, by }, { ...termsOf(arrival), actor })
  if (undone === 'no_link') throw new DomainError('not_found', 'no such link')
  if (undone === 'earlier_way') throw new DomainError('forbidden', EARLIER_WAY)
  return undone
}

const EARLIER_WAY =
  'this sign-in was linked before yours: sign in with it, or ask the operator, to undo its link'

function termsOf(arrival: Arrival) {
  return { ...momentOf(arrival), mayWait: true, newId: () => arrival.clock.newId() }
}

/** What a refusal says, to the person and to the operator. */
export const LINK_REFUSALS: Readonly<Record<LinkRefusal, string>> = {
  absent: 'User not found',
  inactive: 'Forbidden: user is inactive',
  same: 'both ways sign in the same person already',
  chained: 'other ways to sign in are linked to this person: undo those links first',
  two_passwords: 'the person has a password here already: sign in with it instead',
  second_factor: 'the account asks for a passkey after the password: turn that off first, and on again later',
}

function refusalOf(refusal: LinkRefusal): DomainError {
  if (refusal === 'absent') return userNotFound()
  return new DomainError(refusal === 'inactive' ? 'forbidden' : 'conflict', LINK_REFUSALS[refusal])
}

function waits(from: string): DomainError {
  const text = `a workspace asks for signed approvals, so the link waits: confirm it again after ${from}`
  return new DomainError('conflict', text, { details: { counts_from: from } })
}
