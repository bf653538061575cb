import { LIMITS, type ReleaseWay, type VouchRequest } from '@keyferry/contract'
import type { z } from 'zod'
import { otherApprovers } from '../approvals/approval-grounds.ts'
import {
  DELIVERY_REFUSALS,
  type Grounds,
  mayAskOthers,
  refusalOf,
  refused,
  releaseRequired,
  waysOf,
} from '../approvals/approval-rules.ts'
import type { ApprovalKind, Begun } from '../approvals/decision.ts'
import { isSameCommand, vouched } from '../approvals/open-vouches.ts'
import type { JoinedStores } from '../approvals/together.ts'
import type { AuditStore } from '../audit/audit.ts'
import { isSameNetwork } from '../base/address-block.ts'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Event, madeBy } from '../base/event.ts'
import { stampOf } from '../base/stamp.ts'
import { namesInBundle } from '../deliveries/sealed-values.ts'
import { type Bundle, findBundle } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'
import { findSelf } from '../people/tenant.ts'
import type { ApprovalRequest, StoredRequest, Vouch } from '../requests/stored-request.ts'
import { type ApprovalParts, judgedDelivery, placeOf, requireDelivery } from './request-approval.ts'

/*
 * Where the rules let only others approve, the person who ran the command vouches for it: this is my terminal. The
 * vouch returns to that terminal as an approval does, so it cannot be given for another person's. It approves nothing.
 * The others then decide without a code, for the same bundle and the same or fewer names: see `groundsOf`.
 */

type VouchParts = ApprovalParts & { stores: { audit: AuditStore } }

/** Earlier vouches of a person that are looked at. */
const KNOWN = 100

/** Says that a request is of the caller's own terminal, and asks those who may approve it. It throws too_many where the
 * person or the workspace has too many, and conflict where the caller may approve it. */
export const VOUCH: ApprovalKind<VouchParts, z.output<typeof VouchRequest>, JoinedStores> = {
  refusals: DELIVERY_REFUSALS,
  judge(_, grounds, { release }) {
    if (release === undefined || !waysOf(grounds).includes(release))
      throw refused(releaseRequired(grounds.policy))
  },
  async offer(parts, { caller, stored: { request } }, choice) {
    requireDelivery(request)
    const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
    const keys = await namesInBundle(parts.stores, placeOf(bundle), choice.include_keys)
    return {
      ...judgedDelivery(parts, bundle, keys),
      requireSame: () => {},
      async begin(grounds) {
        const deciders = await requireDeciders(parts, grounds, bundle.name)
        return begun(parts, caller, { bundle, keys, deciders, request, release: choice.release })
      },
    }
  },
}

async function requireDeciders(
  { stores }: VouchParts,
  grounds: Grounds,
  bundleName: string,
): Promise<Vouch['deciders']> {
  const refusal = refusalOf(DELIVERY_REFUSALS, grounds)
  if (refusal === null) throw new DomainError('conflict', 'You may approve this request yourself')
  const { caller, policy } = grounds
  const others = await otherApprovers(stores.memberships, caller, { policy, names: [bundleName] })
  if (!mayAskOthers(grounds, others)) throw refused(refusal)
  return { who: refusal.code === 'named_approves' ? 'named' : 'owner', count: others.length }
}

type Vouching = {
  bundle: Bundle
  keys: string[]
  deciders: Vouch['deciders']
  request: ApprovalRequest
  release: ReleaseWay
}

async function begun(parts: VouchParts, caller: Caller, vouching: Vouching): Promise<Begun<JoinedStores>> {
  const { bundle, keys, deciders, request, release } = vouching
  const { username } = await findSelf(parts.stores.tenants, caller)
  const vouch = {
    id: parts.clock.newId(),
    userId: caller.userId,
    username,
    ...placeOf(bundle),
    bundleName: bundle.name,
    keys,
    at: timestamp(parts.clock),
    returned: null,
    deciders,
    isNewNetwork: await isNewNetwork(parts, caller),
  }
  return {
    gives: { as: 'vouch', support: vouch },
    room: { of: 'workspace', require: (open) => requireRoom(open, caller, request) },
    record: (own) => own.events.record(vouchedEvent(parts, caller, vouch, release)),
  }
}

// So that nobody hides a request among many. A new one for the same command takes the place of the old.
function requireRoom(open: readonly StoredRequest[], { userId: by }: Caller, request: ApprovalRequest): void {
  const others = vouched(open).filter(
    (other) => other.request.id !== request.id && !isSameCommand(other, { request, by }),
  )
  const own = others.filter(({ vouch }) => vouch.userId === by)
  if (own.length < LIMITS.vouchesOfPerson && others.length < LIMITS.vouchesOfWorkspace) return
  throw new DomainError(
    'too_many',
    'Too many requests wait for others already: withdraw one, or try again later',
  )
}

async function isNewNetwork({ stores }: VouchParts, { tenantId, userId, origin }: Caller): Promise<boolean> {
  const earlier = { actor: userId, action: 'request.vouched' }
  const { entries } = await stores.audit.list(tenantId, earlier, { limit: KNOWN, offset: 0 })
  return !entries.some((entry) => isSameNetwork(entry.origin?.['ip'] ?? '', origin?.ip ?? '') === true)
}

function vouchedEvent(
  { clock }: VouchParts,
  caller: Caller,
  { bundleId: id, bundleName: name, keys }: Vouch,
  release: ReleaseWay,
): Event {
  return {
    action: 'request.vouched',
    target: { kind: 'bundle', id, name },
    data: { names: keys, release },
    ...madeBy(stampOf(caller, clock)),
  }
}
