import { type CreatedRequest, type CreateRequest, TIMES } from '@keyferry/contract'
import { isPollChallenge } from '@keyferry/crypto/poll-challenge'
import { parsePublicKey } from '@keyferry/crypto/public-key'
import { userCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import type { ApprovalRequest, ApprovalStore, Ended, StoredApproval } from './approval-store.ts'
import { DomainError } from './errors.ts'
import { requesterMeta } from './requester-meta.ts'
import type { Source } from './source.ts'

const REQUEST_ID = /^[0-9a-f]{32}$/

export type RequestParts = {
  approvals: ApprovalStore
  source: Source
  /** 128 random bits or more, as 32 lower-case hex digits. */
  newRequestId: () => string
  lifetimeSeconds: number
}

/** What a client asks, and where the call came from. */
export type Ask = { asked: z.output<typeof CreateRequest>; peer: { address: string; userAgent: string } }

export type NewRequest = z.output<typeof CreatedRequest>

/** Keep a new request until its lifetime ends (interface: "Create request").
 * @throws DomainError invalid: a public key that nothing can be sealed to safely, or a malformed challenge */
export async function createRequest(parts: RequestParts, ask: Ask): Promise<NewRequest> {
  const publicKey = requirePublicKey(ask.asked.client_pubkey)
  const request = newRequest(parts, ask, publicKey)
  await parts.approvals.create(request, parts.source.now().getTime())
  return {
    id: request.id,
    verification_uri_complete: `/approve/${request.id}`,
    interval: TIMES.pollIntervalSeconds,
    expires_in: parts.lifetimeSeconds,
    user_code: userCode(request.id, publicKey),
  }
}

/** The check code that the client shows and the approver compares. */
export function userCodeOf({ id, publicKey }: ApprovalRequest): string {
  return userCode(id, publicKeyOf(publicKey))
}

export function publicKeyOf(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64')
}

/** A request whose lifetime has not ended, in whatever state.
 * @throws DomainError not_found */
export async function findLive(
  { approvals, source }: { approvals: ApprovalStore; source: Source },
  requestId: string,
): Promise<StoredApproval> {
  const stored = REQUEST_ID.test(requestId) && (await approvals.find(requestId, source.now().getTime()))
  if (!stored) throw requestNotFound()
  return stored
}

export const requestNotFound = () => new DomainError('not_found', 'request not found or expired')

export const requestEnded = (how: Ended) => new DomainError(`request_${how}`, 'request not found or expired')

export const alreadyApproved = () => new DomainError('conflict', 'Request already approved')

function newRequest(parts: RequestParts, { asked, peer }: Ask, publicKey: Uint8Array): ApprovalRequest {
  const now = parts.source.now()
  return {
    id: parts.newRequestId(),
    publicKey: Buffer.from(publicKey).toString('base64'),
    suggestedBundle: asked.bundle_id ?? null,
    templateKeys: asked.template_keys,
    requesterMeta: requesterMeta(asked.meta, {
      ip: peer.address,
      user_agent: peer.userAgent,
      requested_at: now.toISOString(),
      format: asked.format,
    }),
    pollChallenge: requireChallenge(asked.poll_challenge),
    expiresAtMs: now.getTime() + parts.lifetimeSeconds * 1_000,
  }
}

function requirePublicKey(text: string): Uint8Array {
  try {
    return parsePublicKey(text)
  } catch (cause) {
    const message = 'client_pubkey must be base64 of 32 bytes, and not a low-order point'
    throw new DomainError('invalid', message, { cause, details: { field: 'client_pubkey' } })
  }
}

function requireChallenge(challenge: string | undefined): string | null {
  if (challenge === undefined) return null
  if (isPollChallenge(challenge)) return challenge
  const message = 'poll_challenge must be base64url of a SHA-256, 43 characters'
  throw new DomainError('invalid', message, { details: { field: 'poll_challenge' } })
}
