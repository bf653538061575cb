import { TIMES } from '@keyferry/contract'
import type { ApprovalScope } from '../approvals/approval-grounds.ts'
import {
  DELIVERY_REFUSALS,
  type Grounds,
  type PlaceParts,
  requireRememberable,
} from '../approvals/approval-rules.ts'
import { type ApprovalKind, type Begun, type DecisionParts, findUndecided } from '../approvals/decision.ts'
import { remember } from '../approvals/grant.ts'
import { prepareDelivery, type SealingParts, type ToSeal } from '../approvals/sealed-delivery.ts'
import { signedKeys } from '../approvals/signed-approval.ts'
import type { JoinedStores } from '../approvals/together.ts'
import { type ApproverChoice, beginFirst, requireSameAsFirst } from '../approvals/two-people.ts'
import { rulesOfValues } from '../approvals/value-rules.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { EventStore } from '../base/event.ts'
import { requireBoxSize } from '../deliveries/sealed-values.ts'
import { type Bundle, type BundleStore, findBundle } from '../library/bundle.ts'
import type { TenantStore } from '../people/tenant.ts'
import { changeRequest, type RequestParts } from '../requests/request.ts'
import { approveStep } from '../requests/request-steps.ts'
import type { ApprovalRequest, Hold } from '../requests/stored-request.ts'
import { proposalOfTyped, requireTypeable, type ValuesChoice } from './typed-values.ts'

/*
 * The approval of values: the approver chooses a bundle of the tenant of the call and key names. Every name must be in
 * the bundle, and the payload must fit `maxPayloadBytes`. The values are sealed to the client's key.
 */

export type ApprovalParts = DecisionParts<JoinedStores> &
  SealingParts & {
    stores: { bundles: BundleStore; events: EventStore; tenants: TenantStore }
  } & PlaceParts

export const DELIVERY: ApprovalKind<ApprovalParts, ValuesChoice, JoinedStores> = {
  refusals: DELIVERY_REFUSALS,
  async offer(parts, { caller, stored }, choice) {
    requireDelivery(stored.request)
    const { bundles, policies } = parts.stores
    // The rules are read with the bundle, before they are needed: `decide` reads each of them once.
    const [bundle] = await Promise.all([
      findBundle(bundles, caller, choice.bundle_id),
      policies.find(caller.tenantId, choice.bundle_id),
    ])
    const chosen = { caller, stored, bundle, choice }
    return {
      ...judgedDelivery(parts, bundle, [...choice.include_keys, ...choice.typed.map(({ name }) => name)]),
      async requireSame(grounds) {
        requireRememberable(grounds, choice, { ...parts, bundle })
        await requireTypeable(parts, { asking: { caller, stored }, grounds, bundle }, choice)
        await requireSameAsFirst(parts, chosen, grounds)
      },
      begin: (grounds, hold) => begin(parts, chosen, { grounds, hold }),
    }
  },
}

/** What judges a delivery of these names. */
export function judgedDelivery(
  { stores }: { stores: Parameters<typeof rulesOfValues>[0] },
  bundle: Bundle,
  names: readonly string[],
): ApprovalScope {
  return {
    places: [bundle],
    people: 'as the rules',
    rulesOfValues: () => rulesOfValues(stores, placeOf(bundle), names),
    keys: names,
  }
}

export function placeOf({ tenant_id: tenantId, id: bundleId }: Pick<Bundle, 'tenant_id' | 'id'>) {
  return { tenantId, bundleId }
}

async function begin(
  parts: ApprovalParts,
  chosen: ApproverChoice,
  { grounds, hold }: { grounds: Grounds; hold: Hold | null },
): Promise<Begun<JoinedStores>> {
  const { request, expiresAtMs } = chosen.stored
  const needsTwo = grounds.policy.approvals_needed === 2
  if (needsTwo && chosen.stored.first === null) return await beginFirst(parts, chosen, hold)
  const { caller, bundle, choice } = chosen
  const { include_keys: names, typed } = choice
  const { first, vouch } = grounds
  const remembering = rememberingOf(parts, choice)
  const toSeal = { caller, bundle, request, names, typed, hold, expiresAtMs, first, vouch, remembering }
  const { sealed, delivery } = await prepareDelivery(parts, toSeal)
  const proposal = proposalOfTyped(parts.clock, { request, bundle, typed })
  return {
    signs: () => ({ bundle: delivery.bundle, ...signedKeys(delivery.keys, delivery) }),
    gives: { as: 'approval', ...sealed },
    async record(own) {
      await own.deliveries.begin(caller.tenantId, delivery)
      if (proposal) await own.proposals.keep(proposal, delivery.stamp)
      if (hold === null)
        await remember({ own, clock: parts.clock }, request, { ...sealed.approved, by: null })
    },
    ...(proposal ? { storesIn: caller.tenantId } : {}),
    ...(needsTwo ? { approvals: { given: 2, needed: 2 } } : {}),
  }
}

function rememberingOf({ clock }: ApprovalParts, choice: ValuesChoice): ToSeal['remembering'] {
  const { remember_hours: hours, remember_for, also = [] } = choice
  const task = { until: timestamp(clock, TIMES.taskSeconds), also }
  if (remember_for === 'task') return { hours: 1, isForRepository: false, task }
  return hours === undefined ? undefined : { hours, isForRepository: remember_for === 'repository' }
}

/** @throws DomainError conflict */
export function requireDelivery({ kind }: ApprovalRequest): void {
  if (kind === 'deposit')
    throw new DomainError('conflict', 'This request stores values: approve it as a deposit')
  if (kind === 'names')
    throw new DomainError('conflict', 'This request lists names: approve it as a request for names')
}

/** Store a ciphertext that was sealed elsewhere; for development.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict · too_large */
export async function storePayload(
  parts: RequestParts & { maxPayloadBytes: number },
  requestId: string,
  ciphertextBase64: string,
): Promise<void> {
  requireBoxSize(ciphertextBase64, parts.maxPayloadBytes)
  const { request, first } = await findUndecided(parts, requestId)
  requireDelivery(request)
  const seen = { first: first?.userId ?? null, vouch: null }
  const step = { seen, approved: null, ciphertextBase64, hold: null }
  await changeRequest(parts, requestId, (stored) => approveStep(stored, step))
}
