import type { Approved, ApproveNames } from '@keyferry/contract'
import type { z } from 'zod'
import { type Grounds, requireAllowedIn } from './approval-rules.ts'
import { requireSettled } from './approval-step.ts'
import type { ApprovedNames } from './approved.ts'
import { type Event, type EventStore, madeBy } from './event.ts'
import type { Caller } from './membership.ts'
import { NAMES_REFUSALS, type OfferedNames, type OfferParts, offerNames } from './names-offer.ts'
import { newHold } from './release-hold.ts'
import { changeRequest, publicKeyOf } from './request.ts'
import { labelOf, requesterOrigin } from './request-delivery.ts'
import { approveStep } from './request-steps.ts'
import { sealText } from './sealed-values.ts'
import { stampOf } from './stamp.ts'
import type { ApprovalRequest } from './stored-request.ts'
import { findSelf, type TenantStore } from './tenant.ts'
import { requireUserCode } from './user-code-check.ts'

/*
 * How a person lets a terminal list names. The list is sealed to the client's key as values are. If the rules require it,
 * the approval returns to the terminal first, so a click alone gives an attacker no name. No value leaves the server, so there is
 * no delivery and no holder, only one event.
 */

export type NamesParts = OfferParts & {
  stores: OfferParts['stores'] & { events: EventStore; tenants: TenantStore }
  /** Bound of the list that is sealed. */
  maxPayloadBytes: number
}

type Choice = z.output<typeof ApproveNames>

/** Approve a request for names. If several calls run at once, one succeeds.
 * @throws DomainError what `offerNames` throws · release_required · owner_approves · agents_denied · invalid (a wrong or missing
 *   check code) · too_large */
export async function approveNames(
  parts: NamesParts,
  caller: Caller,
  { requestId, choice }: { requestId: string; choice: Choice },
): Promise<{ approved: z.output<typeof Approved>; request: ApprovalRequest }> {
  const offered = await offerNames(parts, caller, { requestId, bundleId: choice.bundle_id })
  const { grounds, listed } = offered
  requireAllowedIn(NAMES_REFUSALS, grounds, choice)
  await requireUserCode(parts, grounds, choice)
  const { tenant } = await findSelf(parts.stores.tenants, caller)
  const { request, policy } = grounds
  const text = JSON.stringify({ v: 1, kind: 'names', workspace: tenant, ...listed })
  const sealing = { publicKey: publicKeyOf(request.publicKey), maxBytes: parts.maxPayloadBytes }
  const ciphertextBase64 = sealText(text, sealing)
  const target = listed.bundle
    ? ({ kind: 'bundle', ...listed.bundle } as const)
    : ({ kind: 'tenant', ...tenant } as const)
  const by = { approverId: caller.userId, tenant }
  const names = { kind: 'names' as const, ...by, target, assurance: policy.assurance }
  const approved = await settle(parts, caller, { offered, release: choice.release, ciphertextBase64, names })
  return { approved, request }
}

type Approving = {
  offered: OfferedNames
  release: Choice['release']
  ciphertextBase64: string
  names: ApprovedNames
}

// Writes the event before the list can leave the server. If another approval was faster, it writes a second event.
async function settle(
  { requests, stores: { events }, clock }: NamesParts,
  caller: Caller,
  { offered: { grounds, listed }, release, ciphertextBase64, names }: Approving,
): Promise<z.output<typeof Approved>> {
  const held = release === undefined ? null : newHold(clock, grounds.request, release)
  const event = eventOf(grounds, { ...madeBy(stampOf(caller, clock)), tenantId: caller.tenantId })
  const count = listed.bundle ? listed.names.length : listed.bundles.length
  const data = { count, ...(release === undefined ? {} : { release }) }
  await events.record({ ...event, action: 'names.approved', target: names.target, data })
  const step = {
    after: null,
    first: null,
    approved: names,
    ciphertextBase64,
    hold: held?.hold ?? null,
  }
  const { id } = grounds.request
  const settled = await changeRequest({ requests, clock }, id, (stored, nowMs) =>
    approveStep(stored, step, nowMs),
  )
  if (settled !== 'done')
    await events.record({
      ...event,
      action: 'names.void',
      target: names.target,
      data: { reason: 'overtaken' },
    })
  requireSettled(settled)
  return { ok: true, ...(held ? { release: held.release } : {}) }
}

function eventOf(
  { request: { requesterMeta } }: Grounds,
  { origin, ...event }: Pick<Event, 'actor' | 'at' | 'origin' | 'tenantId'>,
) {
  return { ...event, origin: { ...origin, ...requesterOrigin(requesterMeta, labelOf(requesterMeta)) } }
}
