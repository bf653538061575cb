import { attachKey } from './attachment.ts'
import { bundleNotFound } from './bundle.ts'
import { createKey, type Key, keyNotFound } from './key.ts'
import type { Caller } from './membership.ts'
import type { Source } from './source.ts'
import type { Stores } from './stores.ts'

type ConversionStores = Pick<Stores, 'attachments' | 'bundles' | 'keys' | 'legacyItems'>
type Conversion = { bundleId: string; name: string; source: Source }

/** Put a library key in the place of a legacy item: same name, value and mark, at the end of the bundle. The item goes
 * last, and an attached key hides an item of its name: whatever interrupts this, the bundle delivers the same value. A
 * key that cannot be attached goes again, or it would stand in the way of the next try.
 * @throws DomainError not_found: bundle or item · conflict: the library has a key of this name */
export async function convertLegacyItem(
  stores: ConversionStores,
  caller: Caller,
  { bundleId, name, source }: Conversion,
): Promise<Key> {
  const { tenantId } = caller
  const items = await stores.legacyItems.list(tenantId, bundleId, (entry) => entry.name === name)
  const item = items.find((entry) => entry.name === name)
  if (!item?.value) throw (await stores.bundles.find(tenantId, bundleId)) ? keyNotFound() : bundleNotFound()
  const draft = { name, value: item.value.reveal(), is_secret: item.is_secret, description: '' }
  const key = await createKey(stores.keys, caller, { draft, source })
  await attachOrForget(stores, caller, { bundleId, keyId: key.id })
  await stores.legacyItems.delete({ tenantId, bundleId }, name)
  return { ...key, used_in_bundles: 1 }
}

async function attachOrForget(
  stores: ConversionStores,
  caller: Caller,
  place: { bundleId: string; keyId: string },
): Promise<void> {
  try {
    await attachKey(stores, caller, { ...place, order: undefined, required: false })
  } catch (error) {
    // With a store that is away this fails too, and what it failed for is what the caller has to know.
    await stores.keys.delete(caller.tenantId, place.keyId).catch(() => false)
    throw error
  }
}
