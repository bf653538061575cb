import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { Opening } from './opening.ts'
import type { Stores } from './stores.ts'

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

/** What a bundle holds: attached keys in order, then legacy items by name; a key hides a legacy item of its name. */
export async function bundleEntries(
  { attachments, legacyItems }: Pick<Stores, 'attachments' | 'legacyItems'>,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  opening: Opening,
): Promise<BundleEntry[]> {
  const attached = await attachments.list(tenantId, bundleId, opening)
  const names = new Set(attached.map(({ name }) => name))
  const legacy = await legacyItems.list(tenantId, bundleId, (item) => !names.has(item.name) && opening(item))
  const unhidden = legacy.filter(({ name }) => !names.has(name))
  return [
    ...attached,
    ...unhidden.map((item) => ({ ...item, id: null, description: null, order: null, required: false })),
  ]
}
