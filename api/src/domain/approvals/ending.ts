import type { Assurance, Receipt, ReleaseWay, WaitResult } from '@keyferry/contract'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { Event } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import type { Membership } from '../people/membership.ts'
import type { Approved } from '../requests/approved.ts'
import { isClaimed, leaveStep } from '../requests/request-steps.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import {
  approvalOf,
  heldSupport,
  type StoredRequest,
  type Support,
  type Vouch,
} from '../requests/stored-request.ts'
import type { JoinedStores, Together } from './together.ts'

/*
 * What becomes of an approval after it was given. Each approval has a record, which ends in the transaction that ends
 * its request. The program is given one entry per kind of approval.
 */

/** `expired` and `wrong_code`: the approval did not return to the terminal in time. `removed`: its approver may approve
 * no more. */
type ApprovalEndReason = 'removed' | 'denied' | 'withdrawn' | 'wrong_code' | 'expired'

type EndCause = { reason: ApprovalEndReason; origin: Origin | null }

/** `at`: ISO timestamp. */
type ApprovalEnd = EndCause & { at: string; wasHeld: boolean }

/** `member`: what the approver is now; null: they may do nothing. `at`: ISO timestamp. */
type TerminalReturn = { by: ReleaseWay; member: Membership | null; at: string; origin: Origin }

/** What the return of an approval carries out. */
export type Carrying = {
  /** The workspace whose library it changes. */
  storesIn?: string
  /** @returns what was stored
   * @throws DomainError */
  inside(own: JoinedStores, back: TerminalReturn): Promise<AppliedDeposit | null>
}

type DeliveryFacts = Omit<
  Extract<z.input<typeof WaitResult>, { status: 'ready' }>,
  'status' | 'ciphertext_base64'
>

export type Ending = {
  /** It gives nothing, or nothing more. */
  end(own: JoinedStores, end: ApprovalEnd): Promise<void>
  /** What the rules demand of its return; null: nobody knows any more. */
  assurance(): Promise<Assurance | null>
  /** It is about to return to the terminal. */
  returning?(stored: StoredRequest): Promise<Carrying>
  /** Its return failed with this error, so it gives nothing, and the request is open again. */
  refused?(own: JoinedStores, error: unknown): Promise<void>
  /** It will return by a code. */
  byCode?(): Approved
  /** What the client gets while it waits for the return. */
  statement?: z.output<typeof Receipt>
  /** What the client gets beside the ciphertext. */
  facts?: DeliveryFacts
  /** The client has everything. */
  collected?(own: JoinedStores, origin: Origin): Promise<void>
}

type ByKind<E> = Readonly<Record<string, (approved: Approved) => E>>

/** For each kind of approval, how it is read back and what becomes of it. */
export type Endings = ByKind<Ending>

/** For each kind of approval, how it is read back and ends. */
export type Ends = ByKind<Pick<Ending, 'end'>>

export type EndParts<E = Endings> = { clock: ClockAndIds; endings: E; together: Together }

/** What becomes of this approval.
 * @throws Error: a node of another version stored it */
export function endingOf<E>({ endings }: { endings: ByKind<E> }, approved: Approved): E {
  const ending = endings[approved.kind]
  if (ending === undefined) throw new Error('this version does not know the kind of an approval')
  return ending(approved)
}

/** End the record of what was approved for a request that ends in this transaction. What a client has claimed may have
 * arrived, so its record stays.
 * @param stored the request as it was before */
export async function endApproval(
  own: JoinedStores,
  parts: Pick<EndParts<Ends>, 'clock' | 'endings'>,
  { stored, ...why }: EndCause & { stored: StoredRequest },
): Promise<void> {
  if (isClaimed(stored)) return
  const end = { at: timestamp(parts.clock), ...why, wasHeld: stored.status === 'held' }
  const approved = approvalOf(stored)?.approved
  if (approved) await endingOf(parts, approved).end(own, end)
  const support = heldSupport(stored)
  if (support && isAlarm(why)) await recordSupport(own, support, { ...end, action: 'delivery.not_released' })
}

/** The approval did not return to the terminal that asked. */
export function isAlarm({ reason }: Pick<EndCause, 'reason'>): boolean {
  return reason === 'wrong_code' || reason === 'expired'
}

type OfSupport = Pick<Event, 'action' | 'at' | 'origin'> & { reason?: ApprovalEndReason }

/** A support seals nothing, so there is no delivery that tells what became of it. */
export function recordSupport(
  { events }: Pick<JoinedStores, 'events'>,
  { tenantId, bundleId, bundleName, userId, keys, ...more }: Support | Vouch,
  { action, reason, origin, at }: OfSupport,
): Promise<void> {
  const target = { kind: 'bundle', id: bundleId, name: bundleName } as const
  const data = {
    names: keys,
    ...(reason === undefined ? {} : { reason }),
    ...('deciders' in more ? { vouched_by: userId } : {}),
  }
  return events.record({ tenantId, action, actor: person(userId), at, origin, target, data })
}

export const person = (id: string): Event['actor'] => ({ kind: 'user', id })

/** Take away what this user approved and no client has claimed: in one tenant, or in all (null). A request that waits
 * for a second person waits for two again. The records end without the alarm of an approval that never returned: nobody
 * was lured. Call it in the transaction that takes the person's rights, after that. */
export async function removeApprovalsOf(
  own: JoinedStores,
  parts: Pick<EndParts<Ends>, 'clock' | 'endings'>,
  approver: { userId: string; tenantId: string | null },
): Promise<void> {
  const nowMs = parts.clock.now().getTime()
  for (const { request } of await own.requests.ofApprover(approver.userId, nowMs)) {
    const removed = await own.requests.change(request.id, nowMs, (stored) => leaveStep(stored, approver))
    if (removed) await endApproval(own, parts, { stored: removed, reason: 'removed', origin: null })
  }
}
