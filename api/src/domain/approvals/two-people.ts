import type { EncryptFromBundle } from '@keyferry/contract'
import type { z } from 'zod'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { madeBy } from '../base/event.ts'
import { stampOf } from '../base/stamp.ts'
import { namesInBundle } from '../deliveries/sealed-values.ts'
import type { Bundle } from '../library/bundle.ts'
import { bundleEntries, type EntryStores } from '../library/bundle-entry.ts'
import { type MembershipStore, roleAt } from '../people/membership.ts'
import { findSelf, type TenantStore } from '../people/tenant.ts'
import type { RequestParts } from '../requests/request.ts'
import type { Hold, Support } from '../requests/stored-request.ts'
import type { OpenCall } from './approval-grounds.ts'
import type { Grounds } from './approval-rules.ts'
import type { Begun } from './decision.ts'
import { requireRoomForFirst } from './open-vouches.ts'
import { mayApprove } from './policy.ts'
import { deliveredKeys } from './request-delivery.ts'
import { signedKeys } from './signed-approval.ts'
import type { JoinedStores } from './together.ts'

/*
 * Where a bundle needs two people, the first approval seals nothing. The second person sees who was first and must
 * approve the same names; that seals the values.
 */

type TwoPeopleParts = RequestParts & {
  stores: EntryStores & { memberships: MembershipStore; tenants: TenantStore }
}

/** A choice of names of a bundle. */
export type ApproverChoice = OpenCall & { bundle: Bundle; choice: z.output<typeof EncryptFromBundle> }

/** The first of two approvals.
 * @throws DomainError invalid (a name that the bundle does not contain) */
export async function beginFirst(
  parts: TwoPeopleParts,
  { caller, stored, bundle, choice }: ApproverChoice,
  hold: Hold | null,
): Promise<Begun<JoinedStores>> {
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const keys = await namesInBundle(parts.stores, place, choice.include_keys)
  const { username } = await findSelf(parts.stores.tenants, caller)
  const first = {
    ...place,
    id: parts.clock.newId(),
    userId: caller.userId,
    bundleName: bundle.name,
    username,
    keys,
    at: timestamp(parts.clock),
    returned: null,
  }
  const event = {
    action: 'delivery.first_approved',
    target: { kind: 'bundle', id: bundle.id, name: bundle.name },
    data: { names: keys, ...(hold === null ? {} : { release: hold.by }) },
    ...madeBy(stampOf(caller, parts.clock)),
  } as const
  const asked = { request: stored.request, by: caller.userId }
  const entries = (await bundleEntries(parts.stores, place, 'none')).filter(({ name }) => keys.includes(name))
  const unversioned = entries.flatMap(({ id, name }) => (id === null ? [name] : []))
  return {
    signs: () => ({
      bundle: { id: bundle.id, name: bundle.name },
      ...signedKeys(deliveredKeys(entries), { unversioned }),
    }),
    gives: { as: 'first', support: first },
    approvals: { given: 1, needed: 2 },
    room: { of: 'person', require: (open) => requireRoomForFirst(open, asked) },
    record: (own) => own.events.record(event),
  }
}

/** The second person must approve what the first did, and the first must still be allowed to approve.
 * @throws DomainError conflict */
export async function requireSameAsFirst(
  parts: TwoPeopleParts,
  { caller, stored: { first }, bundle, choice }: ApproverChoice,
  { policy }: Grounds,
): Promise<void> {
  if (policy.approvals_needed === 1 || first === null) return
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  if (subjectOf({ ...place, keys: choice.include_keys }) !== subjectOf(first)) {
    const isSamePlace = first.tenantId === place.tenantId && first.bundleId === place.bundleId
    const details = { field: 'include_keys', keys: isSamePlace ? first.keys : [] }
    throw new DomainError('conflict', 'The first person approved something else: approve the same keys', {
      details,
    })
  }
  const role = await roleAt(parts.stores.memberships, first, bundle.name)
  if (role !== null && mayApprove(policy, { ...first, role })) return
  throw new DomainError('conflict', 'The first approval is no longer valid: deny the request and start again')
}

function subjectOf({ tenantId, bundleId, keys }: Pick<Support, 'tenantId' | 'bundleId' | 'keys'>) {
  return JSON.stringify([tenantId, bundleId, ...[...new Set(keys)].toSorted()])
}
