import { ATTEMPTS, type Release, TIMES } from '@keyferry/contract'
import { isSameReleaseHash, releaseHash } from '@keyferry/crypto/release'
import type { z } from 'zod'
import { refused, releaseRequired } from '../approvals/approval-rules.ts'
import {
  type Carrying,
  type Ending,
  type EndParts,
  endApproval,
  endingOf,
  recordSupport,
} from '../approvals/ending.ts'
import { replaceOlder } from '../approvals/open-vouches.ts'
import { type SigningParts, signatureOf, signedAgain } from '../approvals/signed-approval.ts'
import type { JoinedStores } from '../approvals/together.ts'
import { type AssuranceParts, policyNow } from '../approvals/value-rules.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import type { Caller, Membership, SignedCaller } from '../people/membership.ts'
import { spendTouch } from '../people/touch.ts'
import { newHold } from '../requests/release-hold.ts'
import {
  type Claimant,
  changeRequest,
  findOpen,
  findOwn,
  notHeld,
  type RequestParts,
  requestNotFound,
} from '../requests/request.ts'
import {
  appliedStep,
  type Returned,
  refuseStep,
  renewCodeStep,
  returnStep,
} from '../requests/request-steps.ts'
import { approvalOf, heldSupport, type OpenRequest, type StoredRequest } from '../requests/stored-request.ts'

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
    /** Counts a release of the request.
     * @throws DomainError too_many */
    takeRelease: (requestId: string) => Promise<void>
    /** How long a request lives from the moment on which it waits for another person. */
    waitingSeconds: number
  }

type Held = Extract<StoredRequest, { status: 'held' }>

type SecretAttempt = { hash: string; isKept: boolean; origin: Origin }

/** Release a held request: for the client that asked.
 * @returns the request before its release; null: the client asks its person first
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (not held) ·
 *   release_wrong · release_expired · too_many · what storing a deposit throws */
export async function releaseRequest(
  parts: ReleaseParts,
  claimant: Claimant,
  { secret, keep, origin }: { secret: string; keep?: boolean | undefined; origin: Origin },
): Promise<StoredRequest | null> {
  const stored = await findOwn(parts, claimant)
  const { request } = stored
  if (request.pollChallenge === null) throw requestNotFound()
  if (stored.status !== 'held') throw notHeld()
  await parts.takeRelease(request.id)
  const hash = releaseHash(request.id, { by: stored.held.by, secret })
  const returned = await returnHeld(parts, stored, { hash, isKept: keep === true, origin })
  if (returned.status === 'returned') return stored
  if (returned.status !== 'wrong') return null
  const details = { attempts_left: returned.attemptsLeft }
  throw new DomainError('release_wrong', 'This is not what the approval page showed', { details })
}

// What a deposit stores is decrypted before the transaction, and only for the holder of the secret. If storing it
// fails, the request is open again.
async function returnHeld(parts: ReleaseParts, stored: Held, attempt: SecretAttempt): Promise<Returned> {
  const approved = stored.approval?.approved
  const ending = approved ? endingOf(parts, approved) : null
  const returns = !attempt.isKept && isSameReleaseHash(stored.held.hash, attempt.hash)
  const progress = { isCarrying: returns }
  try {
    const carrying = returns ? await ending?.returning?.(stored) : undefined
    const returning = { stored, attempt, carrying, progress }
    return await parts.together((own) => returnTogether(parts, own, returning), {
      storesIn: carrying?.storesIn,
    })
  } catch (error) {
    const isRefused = !(error instanceof DomainError) || error.code !== 'unavailable'
    if (progress.isCarrying && isRefused) await reopen(parts, { stored, ending, error })
    throw error
  }
}

type ReturnCall = {
  stored: Held
  attempt: SecretAttempt
  carrying: Carrying | undefined
  progress: { isCarrying: boolean }
}

async function returnTogether(
  parts: ReleaseParts,
  own: JoinedStores,
  { stored, attempt: { hash, isKept, origin }, carrying, progress }: ReturnCall,
): Promise<Returned> {
  progress.isCarrying = false
  const { request, held, vouch } = stored
  const member = await lockedMember(own, stored)
  const nowMs = parts.clock.now().getTime()
  const keptMs = Math.min(nowMs + TIMES.codeReleaseSeconds * 1_000, stored.expiresAtMs)
  const longerMs = parts.waitingSeconds * 1_000
  const limit = ATTEMPTS.wrongReleaseCodes
  const attempt = { hash, limit, longerMs, keepUntilMs: isKept ? keptMs : null }
  const step = (now: StoredRequest) => returnStep(sameHold(now, stored), attempt, nowMs)
  const returned = await own.requests.change(request.id, nowMs, step)
  if (returned.status === 'wrong' && returned.attemptsLeft <= 0)
    await endApproval(own, parts, { stored, reason: 'wrong_code', origin })
  if (returned.status !== 'returned') return returned
  const at = timestamp(parts.clock)
  const support = heldSupport(stored)
  if (support) await recordSupport(own, support, { action: 'request.returned', at, origin })
  if (vouch && support === vouch) await replaceOlder({ requests: own.requests, nowMs }, request, vouch)
  progress.isCarrying = true
  const applied = await carrying?.inside(own, { by: held.by, member, at, origin })
  if (applied) await own.requests.change(request.id, nowMs, (now) => appliedStep(now, applied))
  return returned
}

// If a fresh code was made since, it is the one that counts.
function sameHold(now: StoredRequest, { held }: Held): StoredRequest {
  if (now.status !== 'held' || now.held.hash === held.hash) return now
  throw new DomainError('conflict', 'The approver made a fresh code: type that one')
}

// The vouches of a person follow one another, and the rights of a deposit's approver count when it is stored.
async function lockedMember(own: JoinedStores, stored: Held): Promise<Membership | null> {
  const person = personOf(stored)
  return person && (await own.lockMember(person, stored.held.support === 'vouch'))
}

function personOf(stored: OpenRequest): SignedCaller | null {
  const approved = approvalOf(stored)?.approved
  return approved ? { userId: approved.approverId, tenantId: approved.tenant.id } : heldSupport(stored)
}

type Failed = { stored: Held; ending: Ending | null; error: unknown }

async function reopen(parts: ReleaseParts, { stored, ending, error }: Failed): Promise<void> {
  const { request, held } = stored
  await parts.together(async (own) => {
    await changeRequest({ ...parts, ...own }, request.id, (now) => refuseStep(now, held.hash))
    await ending?.refused?.(own, error)
  })
}

/** A fresh code for an approval that did not reach the terminal: for the person who approved, a few times.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (not held, or too
 *   many codes) · forbidden (another person approved) · release_required (the bundle or the client takes no code) */
export async function freshCode(
  parts: RequestParts & EndParts & AssuranceParts & SigningParts,
  caller: Caller,
  { requestId, touch: given }: { requestId: string; touch: string | undefined },
): Promise<z.output<typeof Release>> {
  const stored = await findOpen(parts, requestId)
  if (stored.status !== 'held') throw notHeld()
  const { request, held, approval } = stored
  const person = personOf(stored)
  if (person?.userId !== caller.userId || person.tenantId !== caller.tenantId)
    throw new DomainError('forbidden', 'Forbidden: another person approved this request')
  await requireCodeAllowed(parts, stored)
  const { hold, release } = newHold(parts.clock, stored, 'code')
  const approved = approval?.approved ?? null
  const returning = approved && (endingOf(parts, approved).byCode?.() ?? approved)
  const { hash, untilMs } = hold
  // Otherwise a program could turn "returns to this computer" into a code.
  const signed = (approved ?? heldSupport(stored))?.touches?.at(-1)
  const touch = await signedAgain(parts, { caller }, { signed, way: 'code', given })
  const code = { hash, untilMs, limit: ATTEMPTS.freshReleaseCodes, approved: returning }
  const fresh = { ...code, replaces: held.hash, touch: touch && signatureOf(touch) }
  await parts.together(async (own) => {
    if (touch) await spendTouch(own, touch, timestamp(parts.clock))
    await changeRequest({ ...parts, ...own }, request.id, (now) => renewCodeStep(now, fresh))
  })
  return release
}

async function requireCodeAllowed(
  parts: Pick<EndParts, 'endings'> & AssuranceParts,
  stored: Held,
): Promise<void> {
  const approved = stored.approval?.approved
  const support = heldSupport(stored)
  const ofSupport = async () => (support ? await policyNow(parts, support, support.keys) : null)
  const assurance = approved
    ? await endingOf(parts, approved).assurance()
    : ((await ofSupport())?.assurance ?? null)
  if (assurance === null) throw notHeld()
  if (assurance === 'local') throw refused(releaseRequired({ assurance }))
  if (!stored.request.release.includes('code')) throw refused(releaseRequired({ assurance: 'local' }))
}
