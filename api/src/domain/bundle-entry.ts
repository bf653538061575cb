import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { Stores } from './stores.ts'
import type { WantedValues } from './wanted-values.ts'

/** One variable of a bundle: an attached key, or a legacy item (`id`, `description` and `order` null). */
export type BundleEntry = {
  id: string | null
  name: string
  value: Plaintext | null
  is_secret: boolean
  description: string | null
  order: number | null
  required: boolean
}

type EntryStores = Pick<Stores, 'attachments' | 'legacyItems'>

/** What a bundle holds: attached keys in order, then legacy items by name; a key hides a legacy item of its name. */
export async function bundleEntries(
  { attachments, legacyItems }: EntryStores,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  values: WantedValues,
): Promise<BundleEntry[]> {
  const attached = await attachments.list(tenantId, bundleId, values)
  const names = new Set(attached.map(({ name }) => name))
  const legacy = await legacyItems.list(tenantId, bundleId, withoutNames(values, names))
  const unhidden = legacy.filter(({ name }) => !names.has(name))
  return [
    ...attached,
    ...unhidden.map((item) => ({ ...item, id: null, description: null, order: null, required: false })),
  ]
}

// A hidden item is not delivered, so its value must not be decrypted.
function withoutNames(values: WantedValues, hidden: ReadonlySet<string>): WantedValues {
  return typeof values === 'string' ? values : new Set([...values].filter((name) => !hidden.has(name)))
}

/** The size of each value that a bundle delivers, in bytes of UTF-8 by name. The database knows it without reading a
 * value, so an approval that is too large is refused before any value is in memory. */
export async function valueSizes(
  { attachments, legacyItems }: EntryStores,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
): Promise<ReadonlyMap<string, number>> {
  const attached = await attachments.valueSizes(tenantId, bundleId)
  const legacy = await legacyItems.valueSizes(tenantId, bundleId)
  return new Map([...legacy, ...attached].map(({ name, bytes }) => [name, bytes]))
}
