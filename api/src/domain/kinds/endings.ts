import { type End, type Ending, type Endings, type Ends, isAlarm, person } from '../approvals/ending.ts'
import { type GrantParts, remember } from '../approvals/grant.ts'
import type { HeldDeliveryStore } from '../approvals/held-delivery.ts'
import { returningByCode } from '../approvals/receipt.ts'
import { type AssuranceParts, assuranceNow } from '../approvals/value-rules.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { EventStore } from '../base/event.ts'
import type { DeliveryStore } from '../deliveries/delivery.ts'
import { type Approved, ApprovedDelivery, ApprovedDeposit, ApprovedNames } from '../requests/approved.ts'
import type { DepositStore } from './deposit-record.ts'
import { type StoringParts, storeDeposit, storeReleased } from './deposit-storing.ts'

type Records = {
  stores: {
    deliveries: DeliveryStore
    deposits: Pick<DepositStore, 'void'>
    events: EventStore
    heldDeliveries: HeldDeliveryStore
  }
}

type Parts = GrantParts & AssuranceParts & StoringParts & Records

/** For each kind of approval, how it ends when it delivers nothing, or nothing more. */
export function endsOf(records: Records): Ends {
  return {
    delivery: (approved) => deliveryEnd(records, ApprovedDelivery.parse(approved)),
    names: (approved) => namesEnd(records, ApprovedNames.parse(approved)),
    deposit: (approved) => depositEnd(records, ApprovedDeposit.parse(approved)),
  }
}

/** What becomes of an approval, for each kind. */
export function endingsOf(parts: Parts): Endings {
  return {
    delivery: (approved) => deliveryEnding(parts, ApprovedDelivery.parse(approved)),
    names: (approved) => namesEnding(parts, ApprovedNames.parse(approved)),
    deposit: (approved) => depositEnding(parts, ApprovedDeposit.parse(approved)),
  }
}

function deliveryEnding(parts: Parts, approved: ApprovedDelivery): Ending {
  const { bundle, tenant, deliveryId } = approved
  const names = approved.versions.map(({ name }) => name)
  const { heldDeliveries } = parts.stores
  return {
    ...deliveryEnd(parts, approved),
    assurance: () => assuranceNow(parts, { tenantId: tenant.id, bundleId: bundle.id }, names),
    async carryOut(request) {
      await remember(parts, request, approved)
      return {}
    },
    afterReturn: ({ request, by, at, origin }) => [
      () => heldDeliveries.release(tenant.id, { deliveryId, at, origin, by }),
      ...(by === 'loopback' ? [() => remember(parts, request, approved)] : []),
    ],
    byCode: () => byCode(parts, approved),
    facts: {
      bundle,
      workspace: tenant,
      missing_required: approved.missingRequired,
      expired: approved.expired,
      delivery_id: deliveryId,
      versions: approved.versions,
      receipt: approved.receipt,
    },
    collected: (own, origin) =>
      own.deliveries.collect(tenant.id, { deliveryId, at: timestamp(parts.clock), origin }),
  }
}

function deliveryEnd({ stores }: Records, { tenant, deliveryId }: ApprovedDelivery) {
  return {
    async end({ reason, origin, at, wasHeld }: End) {
      const end = { deliveryId, at, origin }
      if (reason === 'removed') await stores.deliveries.void(tenant.id, end)
      else if (!wasHeld) await stores.deliveries.void(tenant.id, { ...end, reason })
      // It may still return in the last moment, so the sweep ends it later.
      else if (reason !== 'expired') await stores.heldDeliveries.end(tenant.id, { ...end, reason })
    },
  }
}

// A receipt says how the approval returned, and only a return over loopback is remembered.
function byCode({ receipts }: Parts, approved: ApprovedDelivery): Approved {
  return { ...approved, receipt: returningByCode(receipts, approved.receipt), remember: null }
}

function namesEnding(parts: Parts, approved: ApprovedNames): Ending {
  return { ...namesEnd(parts, approved), assurance: async () => approved.assurance }
}

function namesEnd({ stores }: Records, { tenant, approverId, target }: ApprovedNames) {
  return {
    async end({ wasHeld, ...end }: End) {
      const { reason, origin, at } = end
      const isVoid = reason === 'removed'
      if (!isVoid && !(wasHeld && isAlarm(end))) return
      const action = isVoid ? 'names.void' : 'names.not_released'
      const event = { tenantId: tenant.id, action, target, at, origin, data: { reason } } as const
      await stores.events.record({ ...event, actor: person(approverId) })
    },
  }
}

function depositEnding(parts: Parts, approval: ApprovedDeposit): Ending {
  return {
    ...depositEnd(parts, approval),
    assurance: async () => approval.assurance,
    carryOut: (request, caller) => storeDeposit(parts, { request, approval, caller }),
    returned: ({ request }) => storeReleased(parts, request.id),
    statement: approval.statement,
    byCode: () => ({ ...approval, statement: returningByCode(parts.receipts, approval.statement) }),
  }
}

function depositEnd({ stores }: Records, { tenant, depositId }: ApprovedDeposit) {
  return {
    end: ({ reason, origin, at }: End) => stores.deposits.void(tenant.id, { depositId, reason, origin, at }),
  }
}

/** How long after the end of its request a record ends: a release in the last moment is recorded or stored first. */
const GRACE_SECONDS = { delivery: 5, deposit: 30 }

type Overdue = { clock: ClockAndIds; stores: { deposits: DepositStore; heldDeliveries: HeldDeliveryStore } }

/** End the deliveries and deposits whose approval never returned to the terminal. */
export async function endOverdue({ stores, clock }: Overdue): Promise<void> {
  const { heldDeliveries, deposits } = stores
  const end = { at: timestamp(clock), origin: null, reason: 'expired' } as const
  const lateDeliveries = await heldDeliveries.overdue(timestamp(clock, -GRACE_SECONDS.delivery))
  for (const { tenantId, deliveryId } of lateDeliveries) {
    await heldDeliveries.end(tenantId, { ...end, deliveryId })
  }
  for (const { tenantId, depositId } of await deposits.overdue(timestamp(clock, -GRACE_SECONDS.deposit))) {
    await deposits.void(tenantId, { ...end, depositId })
  }
}
