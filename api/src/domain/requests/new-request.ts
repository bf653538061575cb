import {
  type Assurance,
  CLAIMS,
  type ClaimedMeta,
  type CreatedRequest,
  type CreateRequest,
  LIMITS,
  TIMES,
} from '@keyferry/contract'
import { shortApprovalPath } from '@keyferry/contract/approval-link'
import { isPollChallenge } from '@keyferry/crypto/poll-challenge'
import { parsePublicKey } from '@keyferry/crypto/public-key'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { DepositKeyStore } from '../transfer/deposit-key.ts'
import { type DeviceParts, requireDevice } from './device.ts'
import { newDeposit } from './new-deposit.ts'
import { gradeOf, type RequestParts, userCodeOf } from './request.ts'
import { type ApprovalRequest, newRequestState, type RequesterMeta } from './stored-request.ts'

/*
 * How a request begins: what the client sends is checked, and what the server saw is added.
 */

export type NewRequestParts = DeviceParts &
  RequestParts & {
    stores: { depositKeys: DepositKeyStore }
    /** 128 random bits or more, as 32 lower-case hex digits. */
    newRequestId: () => string
    lifetimeSeconds: number
    /** What the server demands of every approval. */
    assurance: Assurance
  }

/** What the client sends, and where the call came from. */
export type RequestCall = {
  asked: z.output<typeof CreateRequest>
  peer: { address: string; userAgent: string }
}

/** Keep a new request until its lifetime ends (interface: "Create request").
 * @throws DomainError invalid (an unsafe public key, a malformed challenge, an unknown deposit key) · too_large ·
 *   unavailable (too many open requests, or bytes of deposits) */
export async function createRequest(
  parts: NewRequestParts,
  ask: RequestCall,
): Promise<{ created: z.output<typeof CreatedRequest>; request: ApprovalRequest }> {
  const { asked } = ask
  const publicKey = requirePublicKey(asked.client_pubkey)
  const deviceKey = await requireDevice(parts, asked, publicKey)
  const id = parts.newRequestId()
  const made = asked.deposit
    ? await newDeposit(parts, { id, publicKey, asked, deposit: asked.deposit })
    : null
  const deposit = made && { userCode: made.userCode }
  const request = newRequest(parts, ask, { id, publicKey, deviceKey, deposit })
  const stored = newRequestState(request)
  const epoch = await parts.requests.insert(stored, made?.box ?? null, parts.clock.now().getTime())
  if (epoch === null) throw tooManyOpen()
  const created = {
    id: request.id,
    verification_uri_complete: `/approve/${request.id}`,
    interval: TIMES.pollIntervalSeconds,
    expires_in: parts.lifetimeSeconds,
    user_code: userCodeOf(request),
    ...(request.kind === 'names' ? { kind: request.kind } : {}),
    assurance: gradeOf(request, parts.assurance),
    ...(asked.may_ask_again ? { epoch } : {}),
    ...(asked.short_uri ? shortUri(request.id) : {}),
  }
  return { created, request }
}

function shortUri(id: string) {
  const path = shortApprovalPath(id)
  return path === null ? {} : { verification_uri_short: path }
}

type RequestKeys = Pick<ApprovalRequest, 'id' | 'deviceKey' | 'deposit'> & { publicKey: Uint8Array }

function newRequest(
  parts: NewRequestParts,
  { asked, peer }: RequestCall,
  { id, publicKey, deviceKey, deposit }: RequestKeys,
): ApprovalRequest {
  const now = parts.clock.now()
  const seen = {
    ip: peer.address,
    user_agent: shownUserAgent(peer.userAgent),
    requested_at: now.toISOString(),
    format: asked.format,
  }
  return {
    id,
    kind: asked.kind,
    publicKey: Buffer.from(publicKey).toString('base64'),
    suggestedBundle: asked.bundle_id ?? null,
    suggestedWorkspace: asked.workspace ?? null,
    templateKeys: asked.template_keys,
    requesterMeta: requesterMeta(asked.meta, seen),
    pollChallenge: requireChallenge(asked.poll_challenge),
    release: [...new Set(asked.release)],
    argv: asked.argv ?? null,
    argvMasked: asked.argv_masked ?? null,
    cwd: asked.cwd ?? null,
    deviceKey,
    use: asked.use ?? null,
    deposit,
    waitsForOthers: asked.waits_for_others,
    expiresAtMs: now.getTime() + parts.lifetimeSeconds * 1_000,
  }
}

// Only known claims are kept, and what the server saw comes last, so that no claim replaces it.
function requesterMeta(
  claimed: z.output<typeof ClaimedMeta>,
  seen: Pick<RequesterMeta, 'ip' | 'user_agent' | 'requested_at' | 'format'>,
): RequesterMeta {
  const claims = CLAIMS.flatMap((name) => {
    const value = claimed[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(claims), ...seen }
}

// Every client sends this header, and some send odd ones: replace what a claim may not contain instead of refusing it.
function shownUserAgent(userAgent: string): string {
  const text = userAgent.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd')
  return text.length <= LIMITS.metaValueLength ? text : `${text.slice(0, LIMITS.metaValueLength - 1)}…`
}

export function requirePublicKey(text: string): Uint8Array {
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

const tooManyOpen = () =>
  new DomainError('unavailable', 'too many open requests: try again in a minute', { retryAfterSeconds: 60 })
