import { listWaiting } from './domain/kinds/waiting.ts'
import type { Caller } from './domain/people/membership.ts'
import type { Stores } from './domain/stores.ts'
import type { StoresWithin } from './storage/stores.ts'

type CountingParts = Omit<Parameters<typeof listWaiting>[0], 'stores'> & {
  stores: Stores
  storesWithin: StoresWithin
}

/** How many requests and proposals wait for the decision of this person, within what a limited member reaches. */
export async function countWaiting(
  { storesWithin, ...parts }: CountingParts,
  caller: Caller,
): Promise<number> {
  const { tenantId, userId, reach } = caller
  const stores = reach === null ? parts.stores : storesWithin({ tenantId, userId, reach })
  return (await listWaiting({ ...parts, stores }, caller)).length
}
