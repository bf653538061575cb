import type { ReleaseWay, WaitResult } from '@keyferry/contract'
import type { z } from 'zod'
import { type GrantParts, remember } from '../approvals/grant.ts'
import type { HeldDeliveryStore } from '../approvals/held-delivery.ts'
import { type ReceiptSigner, returningByCode } from '../approvals/receipt.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { Event, EventStore } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import type { DeliveryStore } from '../deliveries/delivery.ts'
import type { Approved, ApprovedDelivery, ApprovedDeposit, ApprovedNames } from '../requests/approved.ts'
import type { ApprovalRequest, FirstApproval, StoredRequest } from '../requests/stored-request.ts'
import type { DepositStore } from './deposit-record.ts'

/*
 * What becomes of an approval after it was given, by what it gave. Each approval has a record, which ends here.
 */

/** `expired` and `wrong_code`: the approval did not return to the terminal in time. */
type EndReason = 'overtaken' | 'denied' | 'withdrawn' | 'wrong_code' | 'expired'

/** `at`: ISO timestamp; now, if it is absent. */
type Why = { reason: EndReason; origin: Origin | null; at?: string }

type End = Why & { at: string; wasHeld: boolean }

export type EndParts = {
  clock: ClockAndIds
  stores: {
    deliveries: DeliveryStore
    deposits: DepositStore
    events: EventStore
    heldDeliveries: HeldDeliveryStore
  }
}

export type ReturnParts = EndParts & GrantParts

/** `at`: ISO timestamp. */
type Return = { request: ApprovalRequest; by: ReleaseWay; at: string; origin: Origin }

type Ending<Given> = {
  /** It gives nothing, or nothing more. */
  end(parts: EndParts, given: Given, end: End): Promise<unknown>
  /** Each of these follows its return to the terminal. */
  released?(parts: ReturnParts, given: Given, back: Return): (() => Promise<void>)[]
  /** It will return by a code. */
  byCode?(receipts: ReceiptSigner, given: Given): Given
  /** What the client gets beside the ciphertext. */
  facts?(given: Given): Facts
  /** The client has everything. */
  collected?(parts: EndParts, given: Given, origin: Origin): Promise<void>
}

type Facts = Omit<Extract<z.input<typeof WaitResult>, { status: 'ready' }>, 'status' | 'ciphertext_base64'>

type GivenOf = { delivery: ApprovedDelivery; names: ApprovedNames; deposit: ApprovedDeposit }

const ENDINGS: { [K in Approved['kind']]: Ending<GivenOf[K]> } = {
  delivery: {
    async end({ stores }, { tenant, deliveryId }, { reason, origin, at, wasHeld }) {
      const end = { deliveryId, at, origin }
      if (reason === 'overtaken') return await stores.deliveries.void(tenant.id, end)
      if (!wasHeld) return await stores.deliveries.void(tenant.id, { ...end, reason })
      // It may still return in the last moment, so the sweep ends it later.
      if (reason !== 'expired') await stores.heldDeliveries.end(tenant.id, { ...end, reason })
    },
    released: (parts, approved, { request, by, at, origin }) => [
      () => {
        const release = { deliveryId: approved.deliveryId, at, origin, by }
        return parts.stores.heldDeliveries.release(approved.tenant.id, release)
      },
      ...(by === 'loopback' ? [() => remember(parts, request, approved)] : []),
    ],
    // A receipt says how the approval returned, and only a return over loopback is remembered.
    byCode: (receipts, approved) => ({
      ...approved,
      receipt: returningByCode(receipts, approved.receipt),
      remember: null,
    }),
    facts: ({ bundle, tenant, missingRequired, deliveryId, versions, expired, receipt }) => ({
      bundle,
      workspace: tenant,
      missing_required: missingRequired,
      expired,
      delivery_id: deliveryId,
      versions,
      receipt,
    }),
    collected: ({ stores, clock }, { tenant, deliveryId }, origin) =>
      stores.deliveries.collect(tenant.id, { deliveryId, at: timestamp(clock), origin }),
  },
  names: {
    async end({ stores }, { tenant, approverId, target }, { reason, origin, at }) {
      const action = reason === 'overtaken' ? 'names.void' : 'names.not_released'
      if (reason !== 'overtaken' && !isAlarm(reason)) return
      const event = { tenantId: tenant.id, action, target, at, origin, data: { reason } } as const
      await stores.events.record({ ...event, actor: person(approverId) })
    },
  },
  deposit: {
    end: ({ stores }, { tenant, depositId }, { reason, origin, at }) =>
      stores.deposits.void(tenant.id, { depositId, reason, origin, at }),
  },
}

/** End the record of what was approved for a request that ended. What a client has claimed may have arrived, so its
 * record stays. */
export async function endApproval(
  parts: EndParts,
  { status, approved, first }: Pick<StoredRequest, 'status' | 'approved' | 'first'>,
  why: Why,
): Promise<void> {
  if (status === 'claimed') return
  const end = { at: timestamp(parts.clock), ...why, wasHeld: status === 'held' }
  if (approved !== null) await endingOf(approved.kind).end(parts, approved, end)
  else if (first !== null && end.wasHeld && isAlarm(why.reason)) await recordFirst(parts, first, end)
}

/** End the record of an approval that came after another one. */
export async function endOvertaken(
  parts: EndParts,
  approved: Approved,
  event: { origin: Origin | null; at?: string } = { origin: null },
): Promise<void> {
  await endApproval(parts, { status: 'pending', approved, first: null }, { ...event, reason: 'overtaken' })
}

/** What becomes of an approval of this kind. */
export function endingOf<K extends Approved['kind']>(kind: K): Ending<GivenOf[K]> {
  return ENDINGS[kind]
}

function isAlarm(reason: EndReason): boolean {
  return reason === 'wrong_code' || reason === 'expired'
}

// The first of two approvals sealed nothing, so there is no delivery to end.
function recordFirst(
  { stores }: EndParts,
  { tenantId, bundleId, bundleName, approverId, keys }: FirstApproval,
  { reason, origin, at }: End,
): Promise<void> {
  return stores.events.record({
    tenantId,
    action: 'delivery.not_released',
    actor: person(approverId),
    at,
    origin,
    target: { kind: 'bundle', id: bundleId, name: bundleName },
    data: { names: keys, reason },
  })
}

const person = (id: string): Event['actor'] => ({ kind: 'user', id })

/** How long after the end of its request a record ends: a release in the last moment is recorded or stored first. */
const GRACE_SECONDS = { delivery: 5, deposit: 30 }

/** End the deliveries and deposits whose approval never returned to the terminal. */
export async function endOverdue({ stores, clock }: EndParts): Promise<void> {
  const { heldDeliveries, deposits } = stores
  const end = { at: timestamp(clock), origin: null, reason: 'expired' } as const
  for (const { tenantId, deliveryId } of await heldDeliveries.overdue(
    timestamp(clock, -GRACE_SECONDS.delivery),
  ))
    await heldDeliveries.end(tenantId, { ...end, deliveryId })
  for (const { tenantId, depositId } of await deposits.overdue(timestamp(clock, -GRACE_SECONDS.deposit)))
    await deposits.void(tenantId, { ...end, depositId })
}
