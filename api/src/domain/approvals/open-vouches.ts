import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from '@keyferry/contract'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { SignedCaller } from '../people/membership.ts'
import { changeRequest, type RequestParts } from '../requests/request.ts'
import { withdrawStep } from '../requests/request-steps.ts'
import type { ApprovalRequest, StoredRequest, Vouch } from '../requests/stored-request.ts'
import type { JoinedRequests } from './together.ts'

export type Vouched = StoredRequest & { vouch: Vouch }

/** Those of a tenant that wait for a decision, or for the vouch to return. */
export async function openVouches(parts: RequestParts, tenantId: string): Promise<Vouched[]> {
  const open: Vouched[] = []
  for await (const stored of eachWaiting(parts, tenantId)) {
    const { vouch } = stored
    if (isWaiting(stored) && vouch?.tenantId === tenantId) open.push({ ...stored, vouch })
  }
  return open
}

/** The requests that people of a tenant approved first or vouched for, as they are now. */
export function eachWaiting(parts: RequestParts, tenantId: string): AsyncGenerator<StoredRequest> {
  return eachFound(parts, (nowMs) => parts.requests.waitingIn(tenantId, nowMs))
}

/** Read the requests of a list; skip those that are gone. */
export async function readFound(
  parts: RequestParts,
  list: (nowMs: number) => Promise<readonly string[]>,
): Promise<StoredRequest[]> {
  const found: StoredRequest[] = []
  for await (const stored of eachFound(parts, list)) found.push(stored)
  return found
}

// One request can name thousands of values, so other calls run between them.
async function* eachFound(
  { requests, clock }: RequestParts,
  list: (nowMs: number) => Promise<readonly string[]>,
): AsyncGenerator<StoredRequest> {
  const nowMs = clock.now().getTime()
  for (const id of await list(nowMs)) {
    const stored = await requests.read(id, nowMs)
    if (typeof stored !== 'string') yield stored
    await turn()
  }
}

const isWaiting = ({ status }: StoredRequest) => status === 'pending' || status === 'held'

type JoinedParts = { requests: JoinedRequests; clock: ClockAndIds }

/** What a person supports and what waits for others, as the transaction has it. Few: each person has a bound. */
export async function openFrom(
  { requests, clock }: JoinedParts,
  person: SignedCaller,
): Promise<StoredRequest[]> {
  const nowMs = clock.now().getTime()
  const ids = await requests.waitingFrom(person, nowMs)
  const found = await Promise.all(ids.map((id) => requests.read(id, nowMs)))
  return found.filter((stored) => typeof stored !== 'string').filter(isWaiting)
}

/** Refuses a first approval by a person of whom many wait for a second person, so that nobody hides a request among
 * many.
 * @throws DomainError conflict */
export async function requireRoomForFirst(
  parts: JoinedParts,
  person: SignedCaller,
  requestId: string,
): Promise<void> {
  const open = await openFrom(parts, person)
  const others = open.filter(
    ({ request, first }) => request.id !== requestId && first?.approverId === person.userId,
  )
  if (others.length < LIMITS.firstApprovalsOfPerson) return
  throw new DomainError('conflict', 'Too many requests that you approved wait for a second person already')
}

/** Whether a person vouches for another request of the same command. A client that says no command has none. */
export function isSameCommand(
  { request: one, vouch }: Vouched,
  { request: other, by }: { request: ApprovalRequest; by: string },
): boolean {
  if (one.id === other.id || one.argv === null || vouch.approverId !== by) return false
  return isDeepStrictEqual(commandOf(one), commandOf(other))
}

function commandOf({
  argv,
  argvMasked,
  cwd,
  suggestedBundle,
  templateKeys,
  requesterMeta: { ip },
}: ApprovalRequest) {
  return { argv, argvMasked, cwd, suggestedBundle, templateKeys, ip }
}

/** A request takes the place of older ones of the same command, once its vouch returned. */
export async function replaceOlder(
  parts: RequestParts,
  request: ApprovalRequest,
  vouch: Vouch,
): Promise<void> {
  const by = vouch.approverId
  const open = await openVouches(parts, vouch.tenantId)
  const older = open.filter(
    (other) => orderOf(other.vouch) < orderOf(vouch) && isSameCommand(other, { request, by }),
  )
  await Promise.all(older.map((other) => changeRequest(parts, other.request.id, withdrawStep)))
}

// Two may come in one millisecond.
function orderOf({ at, id }: Vouch): string {
  return `${at} ${id}`
}
