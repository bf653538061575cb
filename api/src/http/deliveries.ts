import {
  type DeliveredKey,
  type Delivery,
  findDelivery,
  listDeliveries,
} from '../domain/deliveries/delivery.ts'
import {
  dismissHolder,
  type Holding,
  isCurrent,
  type KeyHolder,
  type KeyHolding,
  listHolders,
  listHoldings,
  listStaleKeys,
  listTypedValues,
} from '../domain/deliveries/holder.ts'
import { listUse } from '../domain/deliveries/use.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { arrayReply, pageReply } from './list-reply.ts'

export function deliveryHandlers({ stores, clock }: HandlerParts) {
  const { holders, deliveries, uses } = stores
  return {
    listHolders: async ({ caller, params, query: page }) =>
      pageReply(await listHolders(holders, caller, { keyId: params.key_id, page }), presentHolder),
    dismissHolder: ({ caller, params: { key_id: keyId, holder } }) =>
      dismissHolder({ holders, clock }, caller, { keyId, holder }),
    listHoldings: async ({ caller, params, query: page }) =>
      pageReply(await listHoldings(holders, caller, { userId: params.user_id, page }), presentHolding),
    listTypedValues: async ({ caller, params, query: page }) =>
      pageReply(await listTypedValues(holders, caller, { userId: params.user_id, page }), (value) => value),
    listStaleKeys: ({ caller, query: { before, ...page } }) =>
      listStaleKeys(holders, caller, { before, page }),
    async listDeliveries({ caller, query: { limit, offset, bundle_id, user_id, machine_id, from, to } }) {
      const filter = { bundleId: bundle_id, userId: user_id, programId: machine_id, from, to }
      const listed = await listDeliveries(deliveries, caller, { filter, page: { limit, offset } })
      return pageReply(listed, presentDelivery)
    },
    listUse: ({ caller, query }) =>
      arrayReply(listUse(uses, caller, { ...query, now: clock.now() }), (use) => use),
    getDelivery: async ({ caller, params }) =>
      presentDelivery(await findDelivery(deliveries, caller, params.delivery_id)),
  } satisfies Partial<Handlers>
}

function presentDelivery<K extends DeliveredKey>({
  keys,
  ...delivery
}: Omit<Delivery, 'keys'> & { keys: readonly K[] }) {
  return { ...delivery, keys: keys.map(({ isPart = false, ...key }) => ({ ...key, is_part: isPart })) }
}

function presentHolder({ who, ...holding }: KeyHolder) {
  return { ...given(holding), ...who }
}

export function presentHolding({ key, ...holding }: KeyHolding) {
  return { ...given(holding), key: { ...key, version: holding.current_version } }
}

function given(holding: Holding) {
  const { current_version: _, ...entry } = holding
  const state = entry.perhaps_version === null ? 'given' : 'perhaps'
  return { ...entry, is_current: isCurrent(holding), state } as const
}
