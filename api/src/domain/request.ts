import type { RequestContext } from '@keyferry/contract'
import {
  type Assurance,
  CLAIMS,
  type ClaimedMeta,
  type CreatedRequest,
  type CreateRequest,
  LIMITS,
  TIMES,
} from '@keyferry/contract'
import { isPollChallenge, verifierMatches } from '@keyferry/crypto/poll-challenge'
import { parsePublicKey } from '@keyferry/crypto/public-key'
import { hashToken } from '@keyferry/crypto/token'
import { userCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { DeliveryStore } from './delivery.ts'
import { type DeviceParts, requireDevice } from './device.ts'
import { DomainError } from './errors.ts'
import { type EventStore, madeBy } from './event.ts'
import type { HeldDeliveryStore, HeldEnd } from './held-delivery.ts'
import type { Visitor } from './membership.ts'
import type { Origin } from './origin.ts'
import {
  type ApprovalRequest,
  ENDED_STATES,
  type Ended,
  type RequesterMeta,
  type RequestStore,
  type StoredRequest,
} from './request-store.ts'
import { stampOf } from './stamp.ts'
import { claimUnclaimed, voidUnclaimed } from './take-back.ts'

/*
 * An approval request: a client asks for values, a person approves or denies, and the client collects the values once.
 *
 * | state     | who may do what                                  | next state |
 * | --------- | ------------------------------------------------ | ---------- |
 * | (none)    | anyone: create                                   | pending    |
 * | pending   | a member of a tenant: approve                    | ready      |
 * | pending   | the same, with a return to the terminal          | held       |
 * | pending   | the first of two people: approve                 | pending    |
 * | held      | the client that asked: release                   | ready      |
 * | held      | the same, after the first of two approvals       | pending    |
 * | held      | the client that asked: send a third wrong code   | denied     |
 * | pending, held | a member of a tenant: deny                   | denied     |
 * | pending   | a member of a tenant: type a fifth wrong code    | denied     |
 * | ready     | the client that asked: wait (claims the values)  | claimed    |
 * | claimed   | the server: the answer was delivered             | removed    |
 * | claimed   | the server: the connection broke before that     | ready      |
 * | pending, held, ready, claimed | the client that asked: withdraw | withdrawn |
 * | held, ready | the server: the approver left or was removed   | removed    |
 * | any       | the server: the request expires                  | removed    |
 *
 * Of any number of callers at once, one wins; the store makes each change in one atomic step. A denied or withdrawn
 * request keeps a marker until its lifetime would have ended, so that callers learn why it ended. The id of a request
 * that expired is kept for 15 minutes more, so that a late caller learns that too. Everything else that is not there
 * answers "not found": unknown and delivered requests look alike.
 * See request-approval.ts for what the approver does, release.ts for how an approval returns to the terminal, and
 * request-wait.ts for how the values are delivered only once.
 */

const REQUEST_ID = /^[0-9a-f]{32}$/

export type RequestParts = { requests: RequestStore; clock: ClockAndIds }

export type NewRequestParts = DeviceParts &
  RequestParts & {
    /** 128 random bits or more, as 32 lower-case hex digits. */
    newRequestId: () => string
    lifetimeSeconds: number
    /** What the server demands of every approval. */
    assurance: Assurance
  }

/** What the client sends, and where the call came from. */
export type Ask = { asked: z.output<typeof CreateRequest>; peer: { address: string; userAgent: string } }

/** A request and what the client sent to prove that it made the request. */
export type Claimant = { requestId: string; verifier: string | undefined }

/** Keep a new request until its lifetime ends (interface: "Create request").
 * @throws DomainError invalid (an unsafe public key, or a malformed challenge) · unavailable (too many open requests) */
export async function createRequest(
  parts: NewRequestParts,
  ask: Ask,
): Promise<{ created: z.output<typeof CreatedRequest>; request: ApprovalRequest }> {
  const publicKey = requirePublicKey(ask.asked.client_pubkey)
  const deviceKey = await requireDevice(parts, ask.asked, publicKey)
  const request = newRequest(parts, ask, { publicKey, deviceKey })
  if (!(await parts.requests.create(request, parts.clock.now().getTime()))) throw tooManyOpen()
  const created = {
    id: request.id,
    verification_uri_complete: `/approve/${request.id}`,
    interval: TIMES.pollIntervalSeconds,
    expires_in: parts.lifetimeSeconds,
    user_code: userCode(request.id, publicKey),
    assurance: parts.assurance,
  }
  return { created, request }
}

/** What the approval page shows about the request (interface: "Get request context").
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function requestContext(
  parts: RequestParts & { assurance: Assurance },
  requestId: string,
): Promise<Omit<z.output<typeof RequestContext>, 'viewer_ip' | 'same_network'>> {
  const { request, status, held, first } = await findOpen(parts, requestId)
  return {
    cli_pubkey: request.publicKey,
    suggested_bundle_id: request.suggestedBundle,
    workspace: request.suggestedWorkspace,
    template_keys: request.templateKeys,
    requester_meta: request.requesterMeta,
    status,
    user_code: userCodeOf(request),
    user_code_required: parts.assurance === 'typed',
    expires_at: new Date(request.expiresAtMs).toISOString(),
    assurance: parts.assurance,
    release: request.release,
    held: held && { by: held.by, until: new Date(held.untilMs).toISOString() },
    awaits_second: status === 'pending' && first !== null,
    argv: request.argv,
    is_argv_masked: request.argvMasked !== null,
    cwd: request.cwd,
  }
}

type EndParts = RequestParts & {
  stores: { events: EventStore; deliveries: DeliveryStore; heldDeliveries: HeldDeliveryStore }
}

/** Deny a pending or held request, so that nothing is delivered.
 * @throws DomainError not_found · request_denied (already) · request_withdrawn · request_expired
 *   · conflict (approved already) */
export async function deny(parts: EndParts, caller: Visitor, requestId: string): Promise<void> {
  const { request, status } = await findLive(parts, requestId)
  requireOpen(status)
  if (status === 'ready') throw alreadyApproved()
  const event = denialOf(request, caller, parts.clock)
  await parts.stores.events.record({ ...event, action: 'delivery.denied' })
  const settled = await parts.requests.deny(request.id, parts.clock.now().getTime())
  if (settled !== 'done') {
    await parts.stores.events.record({ ...event, action: 'delivery.void', data: { reason: settled } })
  }
  requireOpen(settled)
  if (settled === 'ready') throw alreadyApproved()
  await endHeld(parts, request.id, { reason: 'denied', origin: caller.origin })
}

// Reads the request again: it may have been approved and held after it was read first.
async function endHeld(
  { requests, stores, clock }: RequestParts & Pick<EndParts, 'stores'>,
  requestId: string,
  end: Pick<HeldEnd, 'reason' | 'origin'>,
): Promise<void> {
  const ended = await requests.find(requestId, clock.now().getTime())
  if (!ended?.approval) return
  const { tenant, deliveryId } = ended.approval
  await stores.heldDeliveries.end(tenant.id, { ...end, deliveryId, at: timestamp(clock) })
}

// The event names a hash of the request's id, because the id lets its holder act on the request.
function denialOf(request: ApprovalRequest, caller: Visitor, clock: ClockAndIds) {
  const { actor, at, origin } = madeBy(stampOf(caller, clock))
  return {
    tenantId: caller.tenantId,
    target: { kind: 'request', id: hashToken(request.id), name: null },
    actor,
    at,
    origin: { ...origin, requester_ip: request.requesterMeta.ip },
  } as const
}

/** Withdraw a pending, held or approved request, so that it cannot be approved or fetched. Only the client that asked may do
 * this. A request made without a challenge cannot be withdrawn, because no client can prove that it made the request.
 * @throws DomainError not_found · request_denied (already) · request_expired */
export async function withdrawRequest(parts: EndParts, claimant: Claimant, origin: Origin): Promise<void> {
  const { id, pollChallenge } = (await findOwn(parts, claimant)).request
  if (pollChallenge === null) throw requestNotFound()
  const unclaimed = await claimUnclaimed(parts, id)
  const settled = await parts.requests.withdraw(id, parts.clock.now().getTime())
  if (unclaimed) await voidUnclaimed(parts, unclaimed, { reason: 'withdrawn', origin })
  requireOpen(settled)
  if (settled !== 'done') throw requestNotFound()
  await endHeld(parts, id, { reason: 'withdrawn', origin })
}

type Open = Exclude<StoredRequest['status'], Ended>

/** A request that is neither denied nor withdrawn. */
export type OpenRequest = Omit<StoredRequest, 'status'> & { status: Open }

/** The caller's own request. A request made without a challenge can be claimed by anyone who has its id. A wrong
 * verifier gets the answer of an unknown id, before the state of the request is looked at.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function findOwn(
  parts: RequestParts,
  { requestId, verifier = '' }: Claimant,
): Promise<OpenRequest> {
  const { status, ...stored } = await findLive(parts, requestId)
  const { pollChallenge } = stored.request
  if (pollChallenge !== null && !verifierMatches(pollChallenge, verifier)) throw requestNotFound()
  requireOpen(status)
  return { ...stored, status }
}

/** A request that is neither denied nor withdrawn.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function findOpen(parts: RequestParts, requestId: string): Promise<OpenRequest> {
  const { status, ...stored } = await findLive(parts, requestId)
  requireOpen(status)
  return { ...stored, status }
}

/** Refuses an ended request. Only this function distinguishes the three ends.
 * @throws DomainError not_found (`gone`) · request_denied · request_withdrawn */
export function requireOpen<Status extends string>(
  status: Status,
): asserts status is Exclude<Status, Ended | 'gone'> {
  if (status === 'gone') throw requestNotFound()
  const ended = ENDED_STATES.find((state) => state === status)
  if (ended) throw new DomainError(`request_${ended}`, NOT_FOUND)
}

/** The check code that the client shows and the approver compares. */
export function userCodeOf({ id, publicKey }: ApprovalRequest): string {
  return userCode(id, publicKeyOf(publicKey))
}

export function publicKeyOf(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64')
}

const NOT_FOUND = 'request not found or expired'

export const alreadyApproved = () => new DomainError('conflict', 'Request already approved')

const tooManyOpen = () =>
  new DomainError('unavailable', 'too many open requests: try again in a minute', { retryAfterSeconds: 60 })

export const requestNotFound = () => new DomainError('not_found', NOT_FOUND)

/** The error for a request that is not there: it expired lately, or it was delivered or never existed. */
export async function goneError({ requests, clock }: RequestParts, requestId: string): Promise<DomainError> {
  const hasExpired = await requests.hasExpired(requestId, clock.now().getTime())
  return hasExpired ? new DomainError('request_expired', NOT_FOUND) : requestNotFound()
}

/** A request whose lifetime has not ended, in any state.
 * @throws DomainError not_found · request_expired */
export async function findLive(parts: RequestParts, requestId: string): Promise<StoredRequest> {
  if (!REQUEST_ID.test(requestId)) throw requestNotFound()
  const stored = await parts.requests.find(requestId, parts.clock.now().getTime())
  if (!stored) throw await goneError(parts, requestId)
  return stored
}

function newRequest(
  parts: NewRequestParts,
  { asked, peer }: Ask,
  { publicKey, deviceKey }: { publicKey: Uint8Array; deviceKey: string | null },
): ApprovalRequest {
  const now = parts.clock.now()
  const seen = {
    ip: peer.address,
    user_agent: shownUserAgent(peer.userAgent),
    requested_at: now.toISOString(),
    format: asked.format,
  }
  return {
    id: parts.newRequestId(),
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

// Every client sends this header, and some send odd ones: replace what a claim may not hold instead of refusing it.
function shownUserAgent(userAgent: string): string {
  const text = userAgent.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd')
  return text.length <= LIMITS.metaValueLength ? text : `${text.slice(0, LIMITS.metaValueLength - 1)}…`
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
