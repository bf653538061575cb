import type { TouchRule } from '@keyferry/contract'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import type { Caller, MembershipStore } from '../people/membership.ts'
import { requireAddress, type TouchParts } from '../people/touch.ts'
import { unsignedStep } from '../requests/request-steps.ts'
import { type EndParts, endApproval } from './ending.ts'
import type { BundlePolicyChange, RulesAt } from './policy.ts'
import type { JoinedStores } from './together.ts'

/* How owners set the rule that people sign. Setting it ends what nobody signed. */

const NEEDED_KEYS = 2

type SettingParts = EndParts & {
  touchParts: TouchParts
  stores: { memberships: MembershipStore }
  clock: ClockAndIds
}

/** Change the rules of a place, perhaps also `touch`.
 * @throws DomainError conflict: too few owners could sign, or signing keys do not work here · not_found */
export async function changeRules(
  parts: SettingParts,
  caller: Caller,
  { at, change }: { at: RulesAt; change: BundlePolicyChange },
): Promise<void> {
  const { tenantId } = caller
  const { touch = null } = change
  const isSet = touch !== null && touch !== 'none'
  if (isSet) await requireSigners(parts, tenantId, touch)
  await parts.together(
    async (own) => {
      if (isSet) {
        // Every decision locks its person, so none is under way.
        await own.lockPeople(tenantId)
        await endUnsigned(own, parts, tenantId)
      }
      await own.policies.change(at, change, stampOf(caller, parts.clock))
    },
    { isRemoval: true },
  )
}

// Otherwise a lost key would lock everyone out.
async function requireSigners(
  { touchParts, stores, clock }: SettingParts,
  tenantId: string,
  touch: TouchRule,
): Promise<void> {
  const { rpId } = requireAddress(touchParts)
  const [keys, people] = await Promise.all([
    touchParts.approvalKeys.list({ tenantId }, timestamp(clock)),
    stores.memberships.listActive(tenantId),
  ])
  const owners = new Set(people.flatMap(({ userId, role }) => (role === 'owner' ? [userId] : [])))
  const ready = keys.filter(
    (key) =>
      owners.has(key.userId) &&
      key.rpId === rpId &&
      key.state === 'active' &&
      !(touch === 'device' && key.isSynced),
  )
  if (ready.length >= NEEDED_KEYS) return
  const kind = touch === 'device' ? 'signing keys that are bound to one device' : 'signing keys'
  throw new DomainError(
    'conflict',
    `owners of this workspace need ${NEEDED_KEYS} ${kind}, and have ${ready.length}: add one, then set the rule`,
  )
}

// What a client has claimed may have arrived.
async function endUnsigned(own: JoinedStores, parts: SettingParts, tenantId: string): Promise<void> {
  const nowMs = parts.clock.now().getTime()
  for (const { request } of await own.requests.approvedIn(tenantId, nowMs)) {
    const ended = await own.requests.change(request.id, nowMs, (stored) => unsignedStep(stored, tenantId))
    if (ended) await endApproval(own, parts, { stored: ended, reason: 'removed', origin: null })
  }
}
