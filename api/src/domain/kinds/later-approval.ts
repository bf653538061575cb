import { LIMITS, TIMES } from '@keyferry/contract'
import { groundsOf } from '../approvals/approval-grounds.ts'
import {
  DELIVERY_REFUSALS,
  hasNetwork,
  mayBeLater,
  type PlaceParts,
  refusalOf,
  refused,
} from '../approvals/approval-rules.ts'
import { type ApprovalKind, type Begun, decide } from '../approvals/decision.ts'
import { type EndParts, endApproval } from '../approvals/ending.ts'
import { type GrantStore, lengthSeconds, makesKnown, namesDigest, remember } from '../approvals/grant.ts'
import { isHere } from '../approvals/grant-match.ts'
import { type GrantUseParts, useGrantFor } from '../approvals/grant-use.ts'
import type { JoinedStores } from '../approvals/together.ts'
import { type ClockAndIds, latestEnd, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import { type Bundle, findBundle } from '../library/bundle.ts'
import { bundleEntries } from '../library/bundle-entry.ts'
import type { Caller, SignedCaller } from '../people/membership.ts'
import { type Claimant, changeRequest, findOpen, findOwn, openOfTerminal } from '../requests/request.ts'
import { stopStep, withdrawStep } from '../requests/request-steps.ts'
import {
  type ApprovalRequest,
  agentOf,
  isFree,
  type OpenRequest,
  type StoredRequest,
} from '../requests/stored-request.ts'
import type { WaitingRoom } from '../requests/waiting-room.ts'
import { type ApprovalParts, judgedDelivery, placeOf, requireDelivery } from './request-approval.ts'
import type { ValuesChoice } from './typed-values.ts'

/*
 * A request whose command stopped before anybody approved it, as the harness of an AI agent does with commands that
 * wait. Its client leaves the request, or is killed. A person can then approve the next run: a remembered approval of
 * one use, for exactly this command. Nothing is sealed or delivered.
 *
 * Such an approval does not return. So it takes a known terminal: within a week, an approval of the same person in the
 * same workspace was remembered for its key, returned over loopback, and came from this network, and nothing ended it.
 * A server without accounts knows every terminal that has a key.
 */

type LaterParts = ApprovalParts & GrantUseParts & EndParts & { room: WaitingRoom }

const LATER: ApprovalKind<LaterParts, ValuesChoice, JoinedStores> = {
  refusals: DELIVERY_REFUSALS,
  find: findOpen,
  judge(texts, grounds) {
    const refusal = refusalOf(texts, grounds)
    if (refusal) throw refused(refusal)
  },
  async offer(parts, { caller, stored }, choice) {
    requireDelivery(stored.request)
    const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
    return {
      ...judgedDelivery(parts, bundle, choice.include_keys),
      async requireSame(grounds) {
        const isAllowed = mayBeLater(grounds, { ...parts, bundle })
        if (!isAllowed || !(await isKnown(parts, stored.request, caller))) throw notLater()
      },
      begin: () => begin(parts, { caller, stored, bundle }, choice),
    }
  },
}

type ApprovingLater = { caller: Caller; stored: OpenRequest; bundle: Bundle }

async function begin(
  parts: LaterParts,
  { caller, stored, bundle }: ApprovingLater,
  { include_keys: names }: ValuesChoice,
): Promise<Begun<JoinedStores>> {
  const entries = await bundleEntries(parts.stores, placeOf(bundle), 'none')
  const all = entries.map(({ name }) => name)
  if (!names.every((name) => all.includes(name))) throw notLater()
  const leftOut = entries.filter(({ name, required }) => required && !names.includes(name))
  const draft = {
    hours: 1,
    isForRepository: false,
    isOnce: true,
    keys: [...new Set(names)].toSorted(),
    leftOut: leftOut.map(({ name }) => name),
    bundleNames: namesDigest(all),
    epoch: caller.epoch ?? 0,
  }
  const approved = {
    remember: draft,
    bundle,
    tenant: { id: caller.tenantId },
    approverId: caller.userId,
    by: null,
  }
  return {
    gives: { as: 'later' },
    async record(own) {
      await endApproval(own, parts, { stored, reason: 'withdrawn', origin: caller.origin })
      await remember({ own, clock: parts.clock }, stored.request, approved)
    },
  }
}

const notLater = () =>
  new DomainError('invalid', 'this command cannot be approved for its next run', {
    details: { field: 'later' },
  })

/** Approve the next run of a command that stopped. One that asks again already starts now, if its client waits at this
 * node: a dead one would use up the approval. */
export async function approveLater(
  parts: LaterParts,
  caller: Caller,
  { requestId, choice, touch }: { requestId: string; choice: ValuesChoice; touch: string | undefined },
): Promise<{ ok: true; later_until: string }> {
  const { request } = await findOpen(parts, requestId)
  const later_until = timestamp(parts.clock, TIMES.laterSeconds)
  await decide(parts, caller, { kind: LATER, act: 'encryptFromBundle', requestId, choice, touch })
  const waiting = (await openOfTerminal(parts, request)).filter(
    (other) => isFree(other) && parts.room.isHeld(other.request.id),
  )
  await useGrantFor(
    parts,
    waiting.map((other) => other.request),
  )
  return { ok: true, later_until }
}

/** Whether the client may leave its request when it is stopped: an agent runs it, and a person to whom its terminal is
 * known may approve the next run. */
export async function mayLeave(parts: LaterParts, stored: OpenRequest): Promise<boolean> {
  const { request } = stored
  const { kind, suggestedBundle, suggestedWorkspace: workspace } = request
  if (kind !== 'delivery' || suggestedBundle === null || agentOf(request) === null) return false
  const known = parts.isLocal ? null : await knownTo(parts, request)
  for (const userId of new Set(known?.map((person) => person.userId) ?? [null])) {
    const found = await parts.stores.bundles.findSuggested(userId, { bundle: suggestedBundle, workspace })
    for (const { bundle, workspace: at } of found) {
      const person = known
        ? known.find((one) => one.userId === userId && one.tenantId === at.id)
        : (await parts.stores.memberships.listActive(at.id))[0]
      const approver = person && { userId: person.userId, tenantId: at.id, bundleId: bundle.id }
      if (approver && (await isLeavable(parts, stored, approver))) return true
    }
  }
  return false
}

async function isLeavable(
  parts: LaterParts,
  stored: OpenRequest,
  { userId, tenantId, bundleId }: SignedCaller & { bundleId: string },
): Promise<boolean> {
  const standing = await parts.stores.memberships.findStanding({ userId, tenantId })
  const bundle = await parts.stores.bundles.find(tenantId, bundleId)
  if (!standing?.isActive || standing.role === null || bundle === null) return false
  const { role, reach } = standing
  const entries = await bundleEntries(parts.stores, placeOf(bundle), 'none')
  const { templateKeys } = stored.request
  const names = templateKeys.length > 0 ? templateKeys : entries.map(({ name }) => name)
  const asking = { caller: { userId, tenantId, role, reach, origin: null }, stored }
  const grounds = await groundsOf(parts, asking, judgedDelivery(parts, bundle, names))
  return refusalOf(DELIVERY_REFUSALS, grounds) === null && mayBeLater(grounds, { ...parts, bundle })
}

/** Leave a request that its client stops waiting for, if it may. It waits for two hours, and no longer if it is left
 * again. Of the requests that commands of one terminal left, the oldest goes, of the same command first.
 * @returns false: it is as before
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function leaveRequest(parts: LaterParts, claimant: Claimant, origin: Origin): Promise<boolean> {
  const stored = await findOwn(parts, claimant)
  if (stored.leftAtMs !== undefined) return true
  if (stored.request.pollChallenge === null || !(await mayLeave(parts, stored))) return false
  const before = await parts.together(async (own) => {
    const nowMs = parts.clock.now().getTime()
    const was = await changeRequest({ ...parts, ...own }, stored.request.id, (now) => stopStep(now, nowMs))
    if (was) await endApproval(own, parts, { stored: was, reason: 'withdrawn', origin })
    return was
  })
  if (before) await withdrawOldest(parts, stored.request)
  return before !== null
}

async function withdrawOldest(parts: LaterParts, request: ApprovalRequest): Promise<void> {
  const command = JSON.stringify([request.argv, request.cwd])
  const isOther = ({ request: of }: StoredRequest) => Number(JSON.stringify([of.argv, of.cwd]) !== command)
  const left = (await openOfTerminal(parts, request)).filter(({ leftAtMs }) => leftAtMs !== undefined)
  const oldest = left.toReversed().toSorted((one, other) => isOther(one) - isOther(other))
  for (const { request: old } of oldest.slice(0, Math.max(0, left.length + 1 - LIMITS.leftRequests)))
    await changeRequest(parts, old.id, withdrawStep)
}

type KnownParts = PlaceParts & { stores: { grants: GrantStore }; clock: ClockAndIds }

/** Whether the terminal of a request is known to this person in this workspace. */
export async function isKnown(
  parts: KnownParts,
  request: ApprovalRequest,
  { userId, tenantId }: SignedCaller,
): Promise<boolean> {
  if (request.deviceKey === null || parts.isLocal) return request.deviceKey !== null
  const known = await knownTo(parts, request)
  return known.some((person) => person.userId === userId && person.tenantId === tenantId)
}

async function knownTo(parts: KnownParts, request: ApprovalRequest): Promise<SignedCaller[]> {
  const { stores, clock } = parts
  const { deviceKey } = request
  if (deviceKey === null || !hasNetwork(request, parts)) return []
  const grants = await stores.grants.ofDevice(deviceKey)
  const known = grants.filter((grant) => {
    const { ended, use, expiresAt } = grant
    const length = lengthSeconds(grant)
    // When it was given is not sealed.
    const isOfWeek = expiresAt > timestamp(clock, length - TIMES.knownTerminalSeconds)
    const isPossible = isOfWeek && expiresAt <= latestEnd(clock, length)
    return isPossible && ended === null && makesKnown(use) && isHere(use, request)
  })
  return known.map(({ userId, tenant }) => ({ userId, tenantId: tenant.id }))
}
