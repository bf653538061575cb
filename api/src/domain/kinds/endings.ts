import { requireStillAllowed } from '../approvals/approval-rules.ts'
import { type Ending, type Endings, type EndParts, type Ends, isAlarm, person } from '../approvals/ending.ts'
import { remember } from '../approvals/grant.ts'
import { mayApprove } from '../approvals/policy.ts'
import { returningByCode, withTouches } from '../approvals/receipt.ts'
import { type AssuranceParts, policyNow } from '../approvals/value-rules.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { DeliveryStore } from '../deliveries/delivery.ts'
import { type MembershipStore, roleAt } from '../people/membership.ts'
import { reaches } from '../people/reach.ts'
import { type Approved, ApprovedDelivery, ApprovedDeposit, ApprovedNames } from '../requests/approved.ts'
import type { DepositStore } from '../requests/deposit-record.ts'
import { returningDeposit, type StoringParts } from './deposit-storing.ts'

type EndingParts = AssuranceParts & StoringParts & { stores: { memberships: MembershipStore } }

type End = Pick<Ending, 'end'>

/** For each kind of approval, how it ends when it delivers nothing, or nothing more. */
export const ENDS: Ends = {
  delivery: (approved) => deliveryEnd(ApprovedDelivery.parse(approved)),
  names: (approved) => namesEnd(ApprovedNames.parse(approved)),
  deposit: (approved) => depositEnd(ApprovedDeposit.parse(approved)),
}

/** What becomes of an approval, for each kind. */
export function endingsOf(parts: EndingParts): Endings {
  return {
    delivery: (approved) => deliveryEnding(parts, ApprovedDelivery.parse(approved)),
    names: (approved) => namesEnding(ApprovedNames.parse(approved)),
    deposit: (approved) => depositEnding(parts, ApprovedDeposit.parse(approved)),
  }
}

function deliveryEnding(parts: EndingParts, approved: ApprovedDelivery): Ending {
  const { bundle, tenant, deliveryId } = approved
  const { clock } = parts
  const names = approved.versions.map(({ name }) => name)
  const policy = () => policyNow(parts, { tenantId: tenant.id, bundleId: bundle.id }, names)
  return {
    ...deliveryEnd(approved),
    assurance: async () => (await policy())?.assurance ?? null,
    async returning({ request, first }) {
      const now = await policy()
      const role = first && (await roleAt(parts.stores.memberships, first, bundle.name))
      const given = first && role && now && mayApprove(now, { ...first, role }) ? 2 : 1
      return {
        async inside(own, { by, member, at, origin }) {
          const isHere = member !== null && reaches(member.reach, bundle.name)
          const approver = isHere ? { role: member.role, userId: approved.approverId } : null
          const { touches } = approved
          const isTask = approved.remember?.task !== undefined
          requireStillAllowed(now, { request, by, approver, touches, given, isTask })
          await own.deliveries.release(tenant.id, { deliveryId, at, origin, by })
          if (by === 'loopback' || isTask) await remember({ own, clock }, request, { ...approved, by })
          return null
        },
      }
    },
    refused: (own) =>
      own.deliveries.void(tenant.id, { deliveryId, at: timestamp(clock), origin: null, isAlarm: false }),
    byCode: () => byCode(parts, approved),
    facts: {
      bundle,
      workspace: tenant,
      missing_required: approved.missingRequired,
      expired: approved.expired,
      delivery_id: deliveryId,
      versions: approved.versions,
      receipt: withTouches(approved.receipt, approved),
      ...(approved.remember?.task ? { task_until: approved.remember.task.until } : {}),
    },
    collected: (own, origin) =>
      own.deliveries.collect(tenant.id, { deliveryId, at: timestamp(clock), origin }),
  }
}

function deliveryEnd({ tenant, deliveryId }: ApprovedDelivery): End {
  return {
    async end(own, { reason, origin, at, wasHeld }) {
      const why = reason === 'removed' ? {} : { reason }
      const end = { deliveryId, at, origin, isAlarm: wasHeld && isAlarm({ reason }) }
      await own.deliveries.void(tenant.id, { ...end, ...why })
    },
  }
}

// The receipt says how the approval returned. If it returns by a code, only a task is remembered.
function byCode({ receipts }: EndingParts, approved: ApprovedDelivery): Approved {
  const { remember: draft } = approved
  return {
    ...approved,
    receipt: returningByCode(receipts, approved.receipt),
    remember: draft?.task ? draft : null,
  }
}

function namesEnding(approved: ApprovedNames): Ending {
  return { ...namesEnd(approved), assurance: async () => approved.assurance }
}

function namesEnd({ tenant, approverId, target }: ApprovedNames): End {
  return {
    async end(own, { wasHeld, ...end }) {
      const { reason, origin, at } = end
      const isVoid = reason === 'removed'
      if (!isVoid && !(wasHeld && isAlarm(end))) return
      const action = isVoid ? 'names.void' : 'names.not_released'
      const event = { tenantId: tenant.id, action, target, at, origin, data: { reason } } as const
      await own.events.record({ ...event, actor: person(approverId) })
    },
  }
}

function depositEnding(parts: EndingParts, approval: ApprovedDeposit): Ending {
  return {
    ...depositEnd(approval),
    assurance: async () => approval.assurance,
    returning: ({ request }) => returningDeposit(parts, approval, request),
    async refused(own, error) {
      const isChanged = error instanceof DomainError && error.code === 'plan_changed'
      const end = {
        reason: isChanged ? 'plan_changed' : 'refused',
        at: timestamp(parts.clock),
        origin: null,
      } as const
      await own.deposits.void(approval.tenant.id, { depositId: approval.depositId, ...end })
    },
    statement: withTouches(approval.statement, approval),
    byCode: () => ({ ...approval, statement: returningByCode(parts.receipts, approval.statement) }),
  }
}

function depositEnd({ tenant, depositId }: ApprovedDeposit): End {
  return {
    end: (own, { reason, origin, at }) => own.deposits.void(tenant.id, { depositId, reason, origin, at }),
  }
}

/** How long after the end of its request a record ends. A request that expires ends its record itself; this is for
 * requests that a crash of the database lost. */
const GRACE_SECONDS = 60

type Overdue = Pick<EndParts, 'clock' | 'together'> & {
  stores: { deposits: DepositStore; deliveries: DeliveryStore }
}

/** End the deliveries and deposits whose approval never returned to the terminal, and whose request is lost. */
export async function endOverdue({ stores, clock, together }: Overdue): Promise<void> {
  const { deliveries, deposits } = stores
  const end = { at: timestamp(clock), origin: null, reason: 'expired' } as const
  const before = timestamp(clock, -GRACE_SECONDS)
  for (const { tenantId, deliveryId } of await deliveries.overdue(before))
    await together((own) => own.deliveries.void(tenantId, { ...end, deliveryId, isAlarm: true }))
  for (const { tenantId, depositId } of await deposits.overdue(before))
    await together((own) => own.deposits.void(tenantId, { ...end, depositId }))
}
