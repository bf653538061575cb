import type { ApproveNames } from '@keyferry/contract'
import type { z } from 'zod'
import type { Grounds } from '../approvals/approval-rules.ts'
import type { ApprovalKind, Begun, DecisionParts } from '../approvals/decision.ts'
import { requestOrigin } from '../approvals/request-delivery.ts'
import type { JoinedStores } from '../approvals/together.ts'
import { madeBy } from '../base/event.ts'
import { stampOf } from '../base/stamp.ts'
import { sealText } from '../deliveries/sealed-values.ts'
import { findSelf, type TenantStore } from '../people/tenant.ts'
import { publicKeyOf } from '../requests/request.ts'
import type { Hold } from '../requests/stored-request.ts'
import { NAMES_REFUSALS, type NamesOfferParts, type OfferedNames, offeredNames } from './names-offer.ts'

/*
 * The approval of a request for names. The list is sealed to the client's key as values are. If the rules require it,
 * the approval returns to the terminal first, so a click alone gives an attacker no name. No value leaves the server,
 * so there is no delivery and no holder, only one event.
 */

type NamesApprovalParts = DecisionParts<JoinedStores> &
  NamesOfferParts & {
    stores: { tenants: TenantStore }
    /** Bound of the list that is sealed. */
    maxPayloadBytes: number
  }

export const NAMES: ApprovalKind<NamesApprovalParts, z.output<typeof ApproveNames>, JoinedStores> = {
  refusals: NAMES_REFUSALS,
  async offer(parts, asking, { bundle_id }) {
    const offered = await offeredNames(parts, asking, bundle_id)
    return {
      ...offered,
      requireSame: () => {},
      begin: (grounds, hold) => begin(parts, { offered, grounds }, hold),
    }
  },
}

type NamesGrounds = { offered: OfferedNames; grounds: Grounds }

async function begin(
  parts: NamesApprovalParts,
  { offered, grounds }: NamesGrounds,
  hold: Hold | null,
): Promise<Begun<JoinedStores>> {
  const { stores, maxPayloadBytes } = parts
  const { caller, request, policy } = grounds
  const { tenant, username } = await findSelf(stores.tenants, caller)
  const { listed } = offered
  const text = JSON.stringify({ v: 1, kind: 'names', workspace: tenant, approvers: [username], ...listed })
  const sealing = { publicKey: publicKeyOf(request.publicKey), maxBytes: maxPayloadBytes }
  const ciphertextBase64 = sealText(text, sealing)
  const target = { kind: 'bundle', ...listed.bundle } as const
  const origin = { ...caller.origin, ...requestOrigin(request) }
  const data = { count: listed.names.length, ...(hold === null ? {} : { release: hold.by }) }
  const event = { ...madeBy(stampOf(caller, parts.clock)), origin }
  const approved = {
    kind: 'names' as const,
    approverId: caller.userId,
    tenant,
    target,
    assurance: policy.assurance,
    touches: [],
  }
  return {
    gives: { as: 'approval', approved, ciphertextBase64 },
    record: (own) => own.events.record({ ...event, action: 'names.approved', target, data }),
  }
}
