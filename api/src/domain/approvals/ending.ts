import type { Assurance, Receipt, ReleaseWay, WaitResult } from '@keyferry/contract'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { Event, EventStore } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import type { Caller } from '../people/membership.ts'
import type { Approved } from '../requests/approved.ts'
import type { RequestParts } from '../requests/request.ts'
import { removeApproverStep } from '../requests/request-steps.ts'
import type { AppliedDeposit } from '../requests/stored-deposit.ts'
import {
  type ApprovalRequest,
  backerOf,
  type FirstApproval,
  type StoredRequest,
  type Vouch,
} from '../requests/stored-request.ts'
import type { Joined } from './together.ts'

/*
 * What becomes of an approval after it was given. Each approval has a record, which ends here. What is stored decides:
 * the program is given one entry per kind of approval.
 */

/** `expired` and `wrong_code`: the approval did not return to the terminal in time. `removed`: its approver may approve
 * no more. */
type EndReason = 'removed' | 'denied' | 'withdrawn' | 'wrong_code' | 'expired'

type Why = { reason: EndReason; origin: Origin | null }

/** `at`: ISO timestamp. */
export type End = Why & { at: string; wasHeld: boolean }

/** `at`: ISO timestamp. */
type Return = { request: ApprovalRequest; by: ReleaseWay; at: string; origin: Origin }

type Facts = Omit<Extract<z.input<typeof WaitResult>, { status: 'ready' }>, 'status' | 'ciphertext_base64'>

export type Ending = {
  /** It gives nothing, or nothing more. */
  end(end: End): Promise<unknown>
  /** What the rules demand of its return; null: nobody knows any more. */
  assurance(): Promise<Assurance | null>
  /** It need not return to the terminal. */
  carryOut?(request: ApprovalRequest, caller: Caller): Promise<Partial<AppliedDeposit>>
  /** It returned to the terminal.
   * @throws DomainError what carrying it out throws */
  returned?(back: Return): Promise<void>
  /** Each of these follows its return, and is tried again if it fails. */
  afterReturn?(back: Return): (() => Promise<void>)[]
  /** It will return by a code. */
  byCode?(): Approved
  /** What the client gets while it waits for the return. */
  statement?: z.output<typeof Receipt>
  /** What the client gets beside the ciphertext. */
  facts?: Facts
  /** The client has everything. */
  collected?(own: Pick<Joined, 'deliveries'>, origin: Origin): Promise<void>
}

type ByKind<E> = Readonly<Record<string, (approved: Approved) => E>>

/** For each kind of approval, how it is read back and what becomes of it. */
export type Endings = ByKind<Ending>

/** For each kind of approval, how it is read back and ends. */
export type Ends = ByKind<Pick<Ending, 'end'>>

export type EndParts<E = Endings> = { clock: ClockAndIds; endings: E; stores: { events: EventStore } }

/** What becomes of this approval.
 * @throws Error: a node of another version stored it */
export function endingOf<E>({ endings }: { endings: ByKind<E> }, approved: Approved): E {
  const ending = endings[approved.kind]
  if (ending === undefined) throw new Error('this version does not know the kind of an approval')
  return ending(approved)
}

/** End the record of what was approved for a request that ended. What a client has claimed may have arrived, so its
 * record stays. */
export async function endApproval(
  parts: EndParts<Ends>,
  { status, approved, ...backing }: Pick<StoredRequest, 'status' | 'approved' | 'first' | 'vouch'>,
  why: Why,
): Promise<void> {
  if (status === 'claimed') return
  const end = { at: timestamp(parts.clock), ...why, wasHeld: status === 'held' }
  if (approved !== null) await endingOf(parts, approved).end(end)
  const backer = approved === null ? backerOf(backing) : null
  if (backer !== null && end.wasHeld && isAlarm(why))
    await recordBacker(parts, backer, { ...end, action: 'delivery.not_released' })
}

/** The approval did not return to the terminal that asked. */
export function isAlarm({ reason }: Why): boolean {
  return reason === 'wrong_code' || reason === 'expired'
}

type OfBacker = Pick<Event, 'action' | 'at' | 'origin'> & { reason?: EndReason; once?: string }

/** The first of two approvals and a vouch sealed nothing, so there is no delivery that tells what became of them. */
export function recordBacker(
  { stores }: Pick<EndParts, 'stores'>,
  { tenantId, bundleId, bundleName, approverId, keys, ...more }: FirstApproval | Vouch,
  { action, reason, origin, at, once }: OfBacker,
): Promise<void> {
  const target = { kind: 'bundle', id: bundleId, name: bundleName } as const
  const data = {
    names: keys,
    ...(reason === undefined ? {} : { reason }),
    ...('returned' in more ? { vouched_by: approverId } : {}),
  }
  const event = { tenantId, action, actor: person(approverId), at, origin, target, data }
  return stores.events.record(event, once)
}

export const person = (id: string): Event['actor'] => ({ kind: 'user', id })

type Approver = { userId: string; tenantId: string | null }

/** Take away what this user approved and no client has claimed: in one tenant, or in all (null). A request that waits
 * for a second person waits for two again. */
export async function removeApprovalsOf(
  parts: RequestParts & EndParts<Ends>,
  approver: Approver,
): Promise<void> {
  const ids = await parts.requests.ofApprover(approver.userId, parts.clock.now().getTime())
  await Promise.all(ids.map((id) => removeApproval(parts, id, approver)))
}

/** As `removeApprovalsOf`, of one request. The record of what was approved ends too, without the alarm of an approval
 * that never returned: nobody was lured. */
async function removeApproval(
  parts: RequestParts & EndParts<Ends>,
  requestId: string,
  approver: Approver,
): Promise<void> {
  const nowMs = parts.clock.now().getTime()
  const removed = await parts.requests.change(requestId, nowMs, (stored) =>
    removeApproverStep(stored, approver),
  )
  if (typeof removed === 'object' && removed !== null)
    await endApproval(parts, removed, { reason: 'removed', origin: null })
}
