import { LIMITS, type RequestContext, TIMES } from '@keyferry/contract'
import type { z } from 'zod'
import { contextOf, findOpen, type RequestParts } from '../requests/request.ts'
import { type ApprovalRequest, isFree, type UndecidedRequest } from '../requests/stored-request.ts'

/*
 * Several commands of one start (a Procfile, make -j, compose) ask at the same time. One page can show them together.
 *
 * A page must never offer a request that someone else made. So each one carries a signature of the same terminal's key,
 * which no other machine and no other user has, over its own command, folder and public key. They also come from one
 * address and one folder, and were made within seconds. Every request is still approved, sealed and returned
 * separately.
 */

/** Pending requests that were started together with this one, the oldest first.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function listCompanions(
  parts: RequestParts & Parameters<typeof contextOf>[0],
  requestId: string,
): Promise<
  { request_id: string; context: Omit<z.output<typeof RequestContext>, 'viewer_ip' | 'same_network'> }[]
> {
  const { request } = await findOpen(parts, requestId)
  const { deviceKey } = request
  if (deviceKey === null || !request.together) return []
  const stored = await pendingOf(parts, deviceKey)
  return stored
    .filter((other) => isFree(other) && isCompanion(request, other.request))
    .toSorted((one, other) => (isEarlier(one.request, other.request) ? -1 : 1))
    .slice(0, LIMITS.companions)
    .map((other) => ({
      request_id: other.request.id,
      context: contextOf(parts, other),
    }))
}

/** Whether the page of an earlier request of the same start lists this one: then the client opens no second page. */
export async function joinsAnother(parts: RequestParts, request: ApprovalRequest): Promise<boolean> {
  const { deviceKey } = request
  if (deviceKey === null || !isSimple(request)) return false
  const stored = await pendingOf(parts, deviceKey)
  return stored.some(
    (other) =>
      isCompanion(request, other.request) && isSimple(other.request) && isEarlier(other.request, request),
  )
}

async function pendingOf(parts: RequestParts, deviceKey: string): Promise<UndecidedRequest[]> {
  const found = await parts.requests.ofDevice(deviceKey, parts.clock.now().getTime())
  return found.filter((stored) => stored.status === 'open')
}

function isCompanion(one: ApprovalRequest, other: ApprovalRequest): boolean {
  const isSamePlace = one.cwd === other.cwd && one.requesterMeta.ip === other.requesterMeta.ip
  const apartMs = Math.abs(requestedMs(one) - requestedMs(other))
  return one.id !== other.id && other.together && isSamePlace && apartMs <= TIMES.startSeconds * 1_000
}

// A request that the page can show beside another: it returns over loopback, names its bundle, and no agent makes it.
function isSimple({ together, release, suggestedBundle, requesterMeta }: ApprovalRequest): boolean {
  const isFromAgent = (requesterMeta['agent'] ?? '') !== ''
  return together && release.includes('loopback') && suggestedBundle !== null && !isFromAgent
}

// In an order that all nodes agree on, so that of requests at the same moment exactly one is the first.
function isEarlier(one: ApprovalRequest, other: ApprovalRequest): boolean {
  const differenceMs = requestedMs(one) - requestedMs(other)
  return differenceMs < 0 || (differenceMs === 0 && one.id < other.id)
}

function requestedMs({ requesterMeta }: ApprovalRequest): number {
  return Date.parse(requesterMeta.requested_at)
}
