import type { OwnMail } from '@keyferry/contract/mail'
import { addressToken, invitationToken, mailedToken } from '@keyferry/crypto/invitation-token'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { hashToken } from '@keyferry/crypto/token'
import type { GrantStore } from '../domain/approvals/grant.ts'
import { type ClockAndIds, timestamp } from '../domain/base/clock-and-ids.ts'
import type { InvitationStore } from '../domain/people/invitation.ts'
import type { Caller, MembershipStore } from '../domain/people/membership.ts'
import { type BundleReach, reaches } from '../domain/people/reach.ts'
import type { Query } from '../storage/base/queries.ts'
import { type MailContent, mailText, quoted } from './domain/mail-text.ts'
import type { OutgoingMail } from './sending/mail-call.ts'
import type { QueuedMail } from './storage/mail-outbox.ts'
import {
  expiringKeys,
  invitationOf,
  newSignIn,
  personalAddress,
  workspaceName,
} from './storage/mail-reading.ts'

export type ComposingParts = {
  query: Query
  ring: RootKeyRing
  clock: ClockAndIds
  invitations: Pick<InvitationStore, 'findOffer'>
  memberships: MembershipStore
  grants: Pick<GrantStore, 'list'>
  /** How many requests and proposals wait for the decision of this person. */
  countWaiting: (caller: Caller) => Promise<number>
}

type Composed = { to: string; content: MailContent }

/** Write a queued mail, with what is true now.
 * @returns null: what it was about has ended, or the person does not want it */
export async function composed(
  parts: ComposingParts,
  mail: QueuedMail,
  publicUrl: string,
): Promise<OutgoingMail | null> {
  const written = await (mail.kind === 'invitation' ? invitation(parts, mail) : personal(parts, mail))
  if (written === null) return null
  const { to, content } = written
  return { id: mail.id, to, ...mailText(mail.kind, content, publicUrl) }
}

async function invitation(parts: ComposingParts, { tenantId, facts }: QueuedMail): Promise<Composed | null> {
  const { query, ring, clock, invitations } = parts
  const id = facts.invitation ?? ''
  const row = await invitationOf(query, tenantId, id)
  const tokens = ring.keys.map((key) => invitationToken(key, id))
  const token = tokens.find((each) => hashToken(each) === row?.token_hash)
  const offer = token && (await invitations.findOffer(hashToken(token), clock.now().toISOString()))
  if (!row || !offer) return null
  const { tenant, invited_by, role, expires_at } = offer
  const as = role === 'owner' ? 'an owner' : 'a member'
  const lines = [
    `${quoted(invited_by.username)} invites you to the workspace ${quoted(tenant.name)} as ${as}.`,
    `The invitation ends on ${shown(expires_at)}.`,
  ]
  return {
    to: row.email,
    content: {
      lines,
      link: { label: 'Join the workspace', path: `/invite/${mailedToken(ring.first, token)}` },
    },
  }
}

async function personal(parts: ComposingParts, mail: QueuedMail): Promise<Composed | null> {
  const to = await personalAddress(parts.query, mail)
  const content = to === null ? null : await contentOf(parts, mail)
  return to === null || content === null ? null : { to, content }
}

const ACCOUNT = { label: 'Open your account', path: '/account' }

async function contentOf(parts: ComposingParts, mail: QueuedMail): Promise<MailContent | null> {
  const { kind, tenantId, facts, userId } = mail
  const place = quoted(await workspaceName(parts.query, tenantId))
  if (kind === 'signed_in') return await signedIn(parts, mail)
  if (kind === 'account') return { lines: changedAccount(facts), link: ACCOUNT }
  if (kind === 'proof') return proof(parts, mail)
  const standing = await parts.memberships.findStanding({ userId: userId ?? '', tenantId })
  if (standing === null || standing.role === null) return null
  const { role, reach } = standing
  if (kind === 'remembered') return await remembered(parts, { tenantId, userId, reach }, place)
  if (kind === 'key_expires') return role === 'owner' ? await expiring(parts, tenantId, place) : null
  const count = await parts.countWaiting({ userId: userId ?? '', tenantId, role, reach, origin: null })
  if (count === 0) return null
  const what = count === 1 ? 'One request waits' : `${count} requests wait`
  const link = { label: 'Open the list of what waits for you', path: `/w/${tenantId}/waiting` }
  return { lines: [`${what} for your decision in the workspace ${place}.`], link }
}

async function signedIn({ query }: ComposingParts, mail: QueuedMail): Promise<MailContent | null> {
  const entry = await newSignIn(query, mail)
  if (entry === null) return null
  const ip = entry.origin?.['ip'] ?? ''
  const lines = [
    `Somebody signed in to your account on ${shown(entry.at)} from ${ip}, a network address that you did not use before.`,
    'If that was not you, open your account, sign out everywhere, and change how you sign in.',
  ]
  return { lines, link: ACCOUNT }
}

function changedAccount({ off }: QueuedMail['facts']): string[] {
  const what = off
    ? ['Your account no longer gets these mails:', ...off.map((kind) => WARNINGS[kind] ?? kind)]
    : ['Your account has another e-mail address now, so this address gets no more mails about it.']
  return [
    ...what,
    'If that was not you, sign out everywhere, change how you sign in, and tell your operator.',
  ]
}

const WARNINGS: Partial<Record<OwnMail, string>> = {
  signed_in: 'a sign-in from a new network address',
  remembered: 'an approval in your name is remembered',
}

function proof({ ring }: ComposingParts, { userId, address }: QueuedMail): MailContent {
  const path = `/account?proof=${addressToken(ring.first, userId ?? '', address)}`
  const line =
    'A Keyferry account has this address now. To get its mails here, sign in and prove that you read this.'
  return { lines: [line], link: { label: 'Prove this address', path } }
}

/** All that are valid now, so one mail is enough for several. */
async function remembered(
  { grants, clock }: ComposingParts,
  { tenantId, userId, reach }: Pick<QueuedMail, 'tenantId' | 'userId'> & { reach: BundleReach },
  place: string,
): Promise<MailContent | null> {
  const own = await grants.list(
    tenantId,
    { userId: userId ?? '', now: timestamp(clock), knownSince: null },
    LISTED,
  )
  const shownHere = own.rows.filter(({ bundle }) => reaches(reach, bundle.name))
  if (shownHere.length === 0) return null
  return {
    lines: [
      `Terminals may repeat a command without a new approval, because you approved that in the workspace ${place}:`,
      ...shownHere.map(
        ({ bundle, expires_at }) => `for the bundle ${quoted(bundle.name)} until ${shown(expires_at)}`,
      ),
      'Your account lists all of them. If one is not yours, revoke them there.',
    ],
    link: ACCOUNT,
  }
}

const LISTED = { limit: 10, offset: 0 }

async function expiring({ query, clock }: ComposingParts, tenantId: string, place: string) {
  const keys = await expiringKeys(query, tenantId, clock.now())
  if (keys.length === 0) return null
  const lines = keys.map(({ name, expires_at }) => `${quoted(name)} on ${shown(expires_at ?? '')}`)
  return { lines: [`In the workspace ${place}, values expire soon:`, ...lines], link: ACCOUNT }
}

// 2026-11-27T09:00:00.000Z
function shown(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
}
