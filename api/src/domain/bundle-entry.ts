import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { WantedValues } from './wanted-values.ts'

/*
 * What a bundle holds: the library keys attached to it and its own legacy items. A bundle may deliver a key under another
 * name than the key has in the library, so that two environments deliver two values as one variable. An entry's `name` is
 * the delivered name. An attached key hides a legacy item of the same name, so each name has one value. Exports, approvals
 * and the bundle page all read entries from here.
 */

/** A library key as attached to a bundle: delivered as `name`, called `key_name` in the library. `order` counts from 0
 * without gaps. `value` is null where it was not read. */
export type AttachedKey = {
  id: string
  name: string
  key_name: string
  value: Plaintext | null
  is_secret: boolean
  description: string
  order: number
  required: boolean
}

/** A name and value that belong to one bundle only (deprecated: see legacy-item.ts). */
type LegacyItem = { name: string; value: Plaintext | null; is_secret: boolean }

/** `bytes`: of the value's UTF-8. */
type ValueSize = { name: string; bytes: number }

/** The two lists that a bundle's entries come from. Sizes are known without reading a value. */
export type EntryStores = {
  attachments: {
    /** In order. */
    list(tenantId: string, bundleId: string, values: WantedValues): Promise<AttachedKey[]>
    valueSizes(tenantId: string, bundleId: string): Promise<ValueSize[]>
  }
  legacyItems: {
    /** By name, byte by byte. */
    list(tenantId: string, bundleId: string, values: WantedValues): Promise<LegacyItem[]>
    valueSizes(tenantId: string, bundleId: string): Promise<ValueSize[]>
  }
}

/** One variable of a bundle: an attached key, or a legacy item (`id`, `key_name`, `description` and `order` null). */
export type BundleEntry = {
  id: string | null
  name: string
  key_name: string | null
  value: Plaintext | null
  is_secret: boolean
  description: string | null
  order: number | null
  required: boolean
}

/** A bundle's entries: attached keys in order, then by name the legacy items that no key hides. */
export async function bundleEntries(
  { attachments, legacyItems }: EntryStores,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  values: WantedValues,
): Promise<BundleEntry[]> {
  const attached = await attachments.list(tenantId, bundleId, values)
  const names = new Set(attached.map(({ name }) => name))
  const legacy = await legacyItems.list(tenantId, bundleId, withoutNames(values, names))
  const unhidden = legacy.filter(({ name }) => !names.has(name))
  return [...attached, ...unhidden.map((item) => ({ ...item, ...NOT_ATTACHED }))]
}

const NOT_ATTACHED = { id: null, key_name: null, description: null, order: null, required: false } as const

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
