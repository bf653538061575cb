import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import { withdrawStep } from '../requests/request-steps.ts'
import type { ApprovalRequest, StoredRequest, Vouch } from '../requests/stored-request.ts'
import type { JoinedRequests } from './together.ts'

export type VouchedRequest = StoredRequest & { vouch: Vouch }

/** Refuses a first approval by a person of whom many wait for a second person, so that nobody hides a request among
 * many.
 * @param open what the person supports
 * @throws DomainError conflict */
export function requireRoomForFirst(
  open: readonly StoredRequest[],
  { request: { id }, by }: { request: ApprovalRequest; by: string },
): void {
  const others = open.filter(({ request, first }) => request.id !== id && first?.userId === by)
  if (others.length < LIMITS.firstApprovalsOfPerson) return
  throw new DomainError('conflict', 'Too many requests that you approved wait for a second person already')
}

/** Those of these requests that somebody vouches for. */
export function vouched(open: readonly StoredRequest[]): VouchedRequest[] {
  return open.flatMap((stored) => (stored.vouch === null ? [] : [{ ...stored, vouch: stored.vouch }]))
}

/** Whether a person vouches for another request of the same command. A client that says no command has none. */
export function isSameCommand(
  { request: one, vouch }: VouchedRequest,
  { request: other, by }: { request: ApprovalRequest; by: string },
): boolean {
  if (one.id === other.id || one.argv === null || vouch.userId !== by) return false
  return isDeepStrictEqual(commandOf(one), commandOf(other))
}

function commandOf({ argv, argvMasked, cwd, suggestedBundle, templateKeys, ...of }: ApprovalRequest) {
  return [argv, argvMasked, cwd, suggestedBundle, templateKeys, of.requesterMeta.ip]
}

/** A request takes the place of older ones of the same command, once its vouch returned. Lock the person first. */
export async function replaceOlder(
  { requests, nowMs }: { requests: JoinedRequests; nowMs: number },
  request: ApprovalRequest,
  vouch: Vouch,
): Promise<void> {
  const { userId: by } = vouch
  const older = vouched(await requests.waitingFrom(vouch, nowMs)).filter(
    (other) => orderOf(other.vouch) < orderOf(vouch) && isSameCommand(other, { request, by }),
  )
  for (const other of older) await requests.change(other.request.id, nowMs, withdrawStep)
}

// Two may come in one millisecond.
const orderOf = ({ at, id }: Vouch) => `${at} ${id}`
