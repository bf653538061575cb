import { ATTEMPTS, type Release, type ReleaseWay } from '@keyferry/contract'
import { releaseHash } from '@keyferry/crypto/release'
import type { z } from 'zod'
import { refused, releaseRequired } from './approval-rules.ts'
import type { BundleStore } from './bundle.ts'
import { timestamp } from './clock-and-ids.ts'
import type { DepositStore } from './deposit-record.ts'
import { DomainError } from './errors.ts'
import type { EventStore } from './event.ts'
import { type GrantStore, remember } from './grant.ts'
import { type HeldDeliveryStore, recordFirstNotReleased } from './held-delivery.ts'
import type { Caller } from './membership.ts'
import { recordNamesNotReleased } from './names-event.ts'
import type { Origin } from './origin.ts'
import { effectivePolicy, type Policy, type PolicyParts, type PolicyStore } from './policy.ts'
import { type ReceiptSigner, returningByCode } from './receipt.ts'
import { newHold } from './release-hold.ts'
import {
  type Claimant,
  findLive,
  findOwn,
  goneError,
  type RequestParts,
  requestNotFound,
  requireOpen,
} from './request.ts'
import type { Deliveries } from './request-deliveries.ts'
import type { Released } from './request-store.ts'
import type { Approval, ApprovalRequest, StoredRequest } from './stored-request.ts'

/*
 * How an approval returns to the terminal that asked. The approver's page gets a secret, and the request is held until the
 * client that asked gives the secret back: over its own loopback address within ten seconds, or as a code that the person
 * types there within two minutes. A lure that ends with a click has neither, so its values never leave.
 *
 * No secret is in a URL, in a log or in the store, which keeps its hash. The third wrong code denies the request; a wrong
 * loopback secret does not count, because any page can send one to the client's port, and 256 bits cannot be guessed.
 */

export type ReleaseParts = RequestParts & {
  stores: {
    bundles: BundleStore
    deposits: DepositStore
    events: EventStore
    grants: GrantStore
    heldDeliveries: HeldDeliveryStore
    policies: PolicyStore
  }
  deliveries: Deliveries
  receipts: ReceiptSigner
  /** Counts a release of the request.
   * @throws DomainError too_many */
  takeRelease: (requestId: string) => Promise<void>
}

/** Release a held request: for the client that asked.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (not held) ·
 *   release_wrong · release_expired · too_many */
export async function releaseRequest(
  parts: ReleaseParts,
  claimant: Claimant,
  { secret, origin }: { secret: string; origin: Origin },
): Promise<void> {
  const { request, held, first, approval, names, deposit } = await findOwn(parts, claimant)
  if (request.pollChallenge === null) throw requestNotFound()
  if (held === null) throw notHeld()
  await parts.takeRelease(request.id)
  const hash = releaseHash(request.id, { by: held.by, secret })
  const attempt = { hash, limit: ATTEMPTS.wrongReleaseCodes }
  const outcome = await parts.requests.release(request.id, attempt, parts.clock.now().getTime())
  if (outcome.status === 'released') return noteRelease(parts, { request, approval, origin, by: held.by })
  if (outcome.status === 'wrong' && outcome.attemptsLeft <= 0)
    noteWrongCodes(parts, { first, approval, names, deposit, origin })
  throw await refusedRelease(parts, request.id, outcome)
}

type Note = { request: ApprovalRequest; approval: Approval | null; origin: Origin; by: ReleaseWay }

// The client may have collected the values already, so write the record even if this call fails.
function noteRelease(parts: ReleaseParts, { request, approval, origin, by }: Note): void {
  if (approval === null) return
  const release = { deliveryId: approval.deliveryId, at: timestamp(parts.clock), origin, by }
  parts.deliveries.afterwards(() => parts.stores.heldDeliveries.release(approval.tenant.id, release))
  if (by === 'loopback') parts.deliveries.afterwards(() => remember(parts, request, approval))
}

function noteWrongCodes(
  { deliveries, stores, clock }: ReleaseParts,
  {
    first,
    approval,
    names,
    deposit,
    origin,
  }: Pick<StoredRequest, 'first' | 'approval' | 'names' | 'deposit'> & { origin: Origin },
) {
  const why = { at: timestamp(clock), origin, reason: 'wrong_code' } as const
  if (deposit) {
    const end = { ...why, depositId: deposit.id }
    deliveries.afterwards(async () => void (await stores.deposits.void(deposit.tenant.id, end)))
  }
  if (approval === null) {
    const { events } = stores
    if (names) deliveries.afterwards(() => recordNamesNotReleased({ events, clock }, names, why))
    if (first) deliveries.afterwards(() => recordFirstNotReleased({ events, clock }, first, why))
    return
  }
  const end = { ...why, deliveryId: approval.deliveryId }
  deliveries.afterwards(() => stores.heldDeliveries.end(approval.tenant.id, end))
}

async function refusedRelease(
  parts: ReleaseParts,
  requestId: string,
  outcome: Exclude<Released, { status: 'released' }>,
): Promise<DomainError> {
  if (outcome.status === 'gone') return await goneError(parts, requestId)
  if (outcome.status === 'wrong') {
    const details = { attempts_left: outcome.attemptsLeft }
    return new DomainError('release_wrong', 'This is not what the approval page showed', { details })
  }
  if (outcome.status === 'late')
    return new DomainError('release_expired', 'The time to return the approval is over: ask for a fresh code')
  requireOpen(outcome.status)
  return notHeld()
}

/** A fresh code for an approval that did not reach the terminal: for the person who approved, a few times.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (not held, or too many
 *   codes) · forbidden (another person approved) · release_required (the bundle or the client takes no code) */
export async function freshCode(
  parts: ReleaseParts & Pick<PolicyParts, 'assurance'>,
  caller: Caller,
  requestId: string,
): Promise<z.output<typeof Release>> {
  const stored = await findLive(parts, requestId)
  requireOpen(stored.status)
  const { request, held, approval, names } = stored
  if (held === null) throw notHeld()
  const tenantId = stored.deposit?.tenant.id ?? names?.tenantId ?? placeOf(stored)?.tenantId
  if (held.approverId !== caller.userId || tenantId !== caller.tenantId)
    throw new DomainError('forbidden', 'Forbidden: another person approved this request')
  await requireCodeAllowed(parts, stored)
  const { hold, release } = newHold(parts.clock, request, 'code')
  const { hash, untilMs } = hold
  const receipt = approval && returningByCode(parts.receipts, approval.receipt)
  const returning = approval && receipt && { ...approval, receipt, remember: null }
  const limit = ATTEMPTS.freshReleaseCodes
  const code = { hash, untilMs, approverId: caller.userId, limit, approval: returning, names }
  if (await parts.requests.renewCode(request.id, code, parts.clock.now().getTime())) return release
  throw new DomainError('conflict', 'There are no more codes for this request: deny it and start again')
}

async function requireCodeAllowed(
  { stores, assurance }: ReleaseParts & Pick<PolicyParts, 'assurance'>,
  stored: StoredRequest,
): Promise<void> {
  const judged = stored.deposit ?? stored.names
  if (judged) return requireOfferedCode(stored, judged)
  const place = placeOf(stored)
  const bundle = place && (await stores.bundles.find(place.tenantId, place.bundleId))
  if (!place || !bundle) throw notHeld()
  const policy = effectivePolicy(assurance, await stores.policies.find(place.tenantId, bundle.id), bundle)
  requireOfferedCode(stored, policy)
}

function requireOfferedCode({ request }: StoredRequest, policy: Pick<Policy, 'assurance'>): void {
  if (policy.assurance === 'local') throw refused(releaseRequired(policy))
  if (!request.release.includes('code')) throw refused(releaseRequired({ assurance: 'local' }))
}

/** What a held request was approved with. */
function placeOf({ approval, first }: StoredRequest): { tenantId: string; bundleId: string } | null {
  if (approval) return { tenantId: approval.tenant.id, bundleId: approval.bundle.id }
  return first && { tenantId: first.tenantId, bundleId: first.bundleId }
}

const notHeld = () => new DomainError('conflict', 'Request does not wait for its return to the terminal')
