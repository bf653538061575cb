import { ATTEMPTS, type Release, type ReleaseWay, TIMES } from '@keyferry/contract'
import { releaseHash } from '@keyferry/crypto/release'
import type { z } from 'zod'
import { refused, releaseRequired } from '../approvals/approval-rules.ts'
import { type EndParts, endApproval, endingOf, recordBacker } from '../approvals/ending.ts'
import { replaceOlder } from '../approvals/open-vouches.ts'
import { type AssuranceParts, assuranceNow } from '../approvals/value-rules.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import type { Caller } from '../people/membership.ts'
import { newHold } from '../requests/release-hold.ts'
import {
  type Claimant,
  changeRequest,
  findOpen,
  findOwn,
  goneError,
  type OpenRequest,
  type RequestParts,
  requestNotFound,
  requireOpen,
} from '../requests/request.ts'
import { type Released, releaseStep, renewCodeStep } from '../requests/request-steps.ts'
import { backerOf } from '../requests/stored-request.ts'
import type { Deliveries } from './request-deliveries.ts'

/*
 * How an approval returns to the terminal that asked. The approver's page gets a secret, and the request is held until
 * the client that asked gives the secret back: over its own loopback address within ten seconds, or as a code that the
 * person types there within two minutes. A lure that ends with a click has neither, so its values never leave.
 *
 * A terminal that has to ask its person first says so within that time (`keep`). Then the secret has proved its way,
 * and counts for two minutes more.
 *
 * No secret is in a URL, in a log or in the store, which keeps its hash. The third wrong code denies the request; a
 * wrong loopback secret does not count, because any page can send one to the client's port, and 256 bits cannot be
 * guessed.
 */

export type ReleaseParts = RequestParts &
  EndParts & {
    deliveries: Deliveries
    /** Counts a release of the request.
     * @throws DomainError too_many */
    takeRelease: (requestId: string) => Promise<void>
    /** How long a request lives from the moment on which it waits for another person. */
    waitingSeconds: number
  }

/** Release a held request: for the client that asked.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (not held) ·
 *   release_wrong · release_expired · too_many · what storing a deposit throws */
export async function releaseRequest(
  parts: ReleaseParts,
  claimant: Claimant,
  { secret, keep, origin }: { secret: string; keep?: boolean | undefined; origin: Origin },
): Promise<void> {
  const stored = await findOwn(parts, claimant)
  const { request, held } = stored
  if (request.pollChallenge === null) throw requestNotFound()
  if (held === null) throw notHeld()
  await parts.takeRelease(request.id)
  const hash = releaseHash(request.id, { by: held.by, secret })
  const limit = ATTEMPTS.wrongReleaseCodes
  const keptMs = parts.clock.now().getTime() + TIMES.codeReleaseSeconds * 1_000
  const kept = keep === true ? { keepUntilMs: Math.min(keptMs, stored.expiresAtMs) } : {}
  const attempt = { hash, limit, longerMs: parts.waitingSeconds * 1_000, ...kept }
  const outcome = await changeRequest(parts, request.id, (now, nowMs) => releaseStep(now, attempt, nowMs))
  if (typeof outcome === 'string') throw goneError(outcome)
  if (outcome.status === 'kept') return
  if (outcome.status === 'released') return await afterReturn(parts, stored, { ...held, origin })
  if (outcome.status === 'wrong' && outcome.attemptsLeft <= 0)
    parts.deliveries.afterwards(() => endApproval(parts, stored, { reason: 'wrong_code', origin }))
  throw refusedRelease(outcome)
}

// The client may have collected the values already, so write the record even if this call fails.
async function afterReturn(
  parts: ReleaseParts,
  { request, approved, first, vouch }: OpenRequest,
  { by, hash, origin }: { by: ReleaseWay; hash: string; origin: Origin },
): Promise<void> {
  if (vouch?.returned === null) parts.deliveries.afterwards(() => replaceOlder(parts, request, vouch))
  const [at, backer] = [timestamp(parts.clock), backerOf({ first, vouch })]
  if (approved === null && backer !== null) {
    const event = { action: 'request.returned', at, origin, once: hash } as const
    parts.deliveries.afterwards(() => recordBacker(parts, backer, event))
  }
  if (approved === null) return
  const ending = endingOf(parts, approved)
  const back = { request, by, at, origin }
  for (const step of ending.afterReturn?.(back) ?? []) parts.deliveries.afterwards(step)
  await ending.returned?.(back)
}

function refusedRelease(outcome: Exclude<Released, { status: 'released' | 'kept' }>): DomainError {
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
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (not held, or too
 *   many codes) · forbidden (another person approved) · release_required (the bundle or the client takes no code) */
export async function freshCode(
  parts: RequestParts & EndParts & AssuranceParts,
  caller: Caller,
  requestId: string,
): Promise<z.output<typeof Release>> {
  const stored = await findOpen(parts, requestId)
  const { request, held, approved } = stored
  if (held === null) throw notHeld()
  if (held.approverId !== caller.userId || tenantOf(stored) !== caller.tenantId)
    throw new DomainError('forbidden', 'Forbidden: another person approved this request')
  await requireCodeAllowed(parts, stored)
  const { hold, release } = newHold(parts.clock, stored, 'code')
  const { hash, untilMs } = hold
  const returning = approved && (endingOf(parts, approved).byCode?.() ?? approved)
  const limit = ATTEMPTS.freshReleaseCodes
  const code = { hash, untilMs, approverId: caller.userId, limit, approved: returning }
  const renewed = await changeRequest(parts, request.id, (now) => renewCodeStep(now, code))
  if (renewed === true) return release
  throw new DomainError('conflict', 'There are no more codes for this request: deny it and start again')
}

async function requireCodeAllowed(
  parts: EndParts & AssuranceParts,
  { request, approved, ...backing }: OpenRequest,
): Promise<void> {
  const backer = backerOf(backing)
  const ofBacker = () => (backer ? assuranceNow(parts, backer, backer.keys) : null)
  const assurance = await (approved ? endingOf(parts, approved).assurance() : ofBacker())
  if (assurance === null) throw notHeld()
  if (assurance === 'local') throw refused(releaseRequired({ assurance }))
  if (!request.release.includes('code')) throw refused(releaseRequired({ assurance: 'local' }))
}

function tenantOf({ approved, ...backing }: OpenRequest): string | undefined {
  return approved?.tenant.id ?? backerOf(backing)?.tenantId
}

const notHeld = () => new DomainError('conflict', 'Request does not wait for its return to the terminal')
