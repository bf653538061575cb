import { bundleNotFound } from './bundle.ts'
import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import { type Key, keyNameTaken, keyNotFound } from './key.ts'
import type { LegacyItemStore } from './legacy-item.ts'
import type { Caller } from './membership.ts'

/** Put a library key in the place of a legacy item: same name, value and mark, at the end of the bundle.
 * @throws DomainError not_found: bundle or item · conflict: the library has a key of this name */
export async function convertLegacyItem(
  items: LegacyItemStore,
  { tenantId }: Caller,
  { bundleId, name, clock }: { bundleId: string; name: string; clock: ClockAndIds },
): Promise<Key> {
  const id = clock.newId()
  const now = timestamp(clock)
  const item = await items.convert({ tenantId, bundleId }, name, { keyId: id, now })
  if (item === 'no_bundle') throw bundleNotFound()
  if (item === 'no_item') throw keyNotFound()
  if (item === 'taken') throw keyNameTaken()
  const key = { id, name, is_secret: item.is_secret, description: '', created_at: now, updated_at: now }
  return { ...key, value: item.is_secret ? null : item.value, used_in_bundles: 1 }
}
