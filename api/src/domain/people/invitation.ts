import { type InvitationPreview, type Invitation as InvitationSchema, TIMES } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller, Role } from './membership.ts'
import type { Tenant } from './tenant.ts'

/*
 * An owner invites one e-mail address to their tenant, as an owner or a member. A new invitation to the same address
 * replaces the older one. The token is shown once and stored as a hash; it can be used once, within seven days, by a
 * user whose verified e-mail is the invited one, and only while the inviter is an active owner. Every other token gets
 * the same answer: not found.
 */

export type Invitation = z.output<typeof InvitationSchema>

/** `replaces`: a member, whose membership moves to who accepts: the same person, with another way to sign in. */
export type NewInvitation = Invitation & { token_hash: string; replaces: string | null }

/** The member who has the invited e-mail address. */
export type InvitedAlready = { id: string; username: string }

/** `left`: who gave their membership to the person who joined. */
export type JoinedTenant = { tenant: Tenant; left: string | null }

export type Acceptance = {
  tokenHash: string
  userId: string
  membershipId: string
  now: string
  /** The token is the one of the mail. */
  isMailed: boolean
  origin: Origin | null
}

/** What an invitation offers, and who made it: their e-mail as `emailForOthers` has it. */
export type PreviewedInvitation = z.output<typeof InvitationPreview>

export interface InvitationStore {
  /** Replaces an open invitation to the same e-mail. @returns a member who has this e-mail; null: invited */
  insert(invitation: NewInvitation, stamp: Stamp): Promise<InvitedAlready | null>
  /** Those not used and not expired, the newest first. */
  list(tenantId: string, now: string): Promise<Invitation[]>
  /** @throws DomainError not_found */
  delete(invitationId: string, stamp: Stamp): Promise<void>
  /** The e-mail that an open invitation is for; null when it is unknown, used or expired. */
  openEmail(tokenHash: string, now: string): Promise<string | null>
  /** Null when it is unknown, used or expired, or when its inviter is not an active owner. */
  findOffer(tokenHash: string, now: string): Promise<PreviewedInvitation | null>
  /** Whether only the missing verification of the user's e-mail keeps them from joining. */
  waitsForVerification(acceptance: Acceptance): Promise<boolean>
}

/** Use an invitation up and join, in one step. Null unless it is open, its inviter is an active owner, and the user's
 * verified e-mail is the invited one. */
export type Accept = (acceptance: Acceptance) => Promise<JoinedTenant | null>

/** Invite by e-mail. The token is in the answer and, where the server sends mails, in the mail; what is stored is its
 * hash.
 * @throws DomainError conflict: a member already */
export async function invite(
  invitations: InvitationStore,
  caller: Caller,
  {
    email,
    role,
    replaces,
    limited_to = null,
    groups = [],
    clock,
    tokenOf,
  }: Pick<Invitation, 'email' | 'role' | 'limited_to' | 'groups'> & {
    replaces: string | null
    clock: ClockAndIds
    tokenOf: (invitationId: string) => string
  },
): Promise<Invitation & { token: string }> {
  if (limited_to !== null) requireLimitable(role, replaces)
  const id = clock.newId()
  const token = tokenOf(id)
  const invitation = {
    id,
    email,
    role,
    limited_to,
    groups: [...new Set(groups)].toSorted(),
    created_at: timestamp(clock),
    expires_at: timestamp(clock, TIMES.invitationSeconds),
  }
  const stored = { ...invitation, token_hash: hashToken(token), replaces }
  const member = await invitations.insert(stored, stampOf(caller, clock))
  if (member !== null) throw new DomainError('conflict', 'already a member', { details: member })
  return { ...invitation, token }
}

function requireLimitable(role: Role, replaces: string | null): void {
  const why =
    role === 'owner' ? 'an owner sees everything' : replaces && 'a membership that moves keeps its limit'
  if (why) throw new DomainError('invalid', `limited_to is for new members: ${why}`, FIELD)
}

const FIELD = { details: { field: 'limited_to' } }

/** What an invitation offers. The token is enough to read it, so that a person who is signed in with another account
 * sees which e-mail it is for.
 * @throws DomainError not_found: unknown, used or expired */
export async function previewInvitation(
  invitations: InvitationStore,
  { token, clock }: { token: string; clock: ClockAndIds },
): Promise<PreviewedInvitation> {
  const offer = await invitations.findOffer(hashToken(token), timestamp(clock))
  if (!offer) throw invitationNotFound()
  return offer
}

export function emailUnverified(): DomainError {
  return new DomainError(
    'email_unverified',
    'your e-mail address is not verified: verify it at the identity provider, sign in again, then join',
  )
}

export function invitationNotFound(): DomainError {
  return new DomainError('not_found', 'invitation not found or expired')
}
