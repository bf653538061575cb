import type { TouchRule } from '@keyferry/contract'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Caller, MembershipStore } from '../people/membership.ts'
import { requireAddress, type TouchParts } from '../people/touch.ts'
import { unsignedStep } from '../requests/request-steps.ts'
import { type EndParts, endApproval } from './ending.ts'
import type { JoinedStores } from './together.ts'

/* How owners set the rule that people sign. Setting it ends what nobody signed. */

const NEEDED_KEYS = 2

type SettingParts = EndParts & {
  touchParts: TouchParts
  stores: { memberships: MembershipStore }
  clock: ClockAndIds
}

/** Run a change of rules that may set `touch`.
 * @throws DomainError conflict: too few owners could sign, or approval keys do not work here · what `change` throws */
export async function changingTouch(
  parts: SettingParts,
  caller: Caller,
  {
    touch = null,
    change,
  }: { touch: TouchRule | null | undefined; change: (own: JoinedStores) => Promise<void> },
): Promise<void> {
  const { tenantId } = caller
  const isSet = touch !== null && touch !== 'none'
  if (isSet) await requireSigners(parts, tenantId, touch)
  await parts.together(
    async (own) => {
      if (isSet) {
        // Every decision locks its person, so none is under way.
        await own.lockPeople(tenantId)
        await endUnsigned(own, parts, tenantId)
      }
      await change(own)
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
  const kind = touch === 'device' ? 'approval keys that are bound to one device' : 'approval keys'
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
