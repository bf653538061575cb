import { isProduction } from '@keyferry/contract/production'
import type { BundleItem, BundleWithItems } from '../calls/answers.ts'
import { call } from '../calls/call.ts'
import { useAnswer } from '../calls/use-call.ts'

/** The values of a bundle that everyone may read, by name; empty without a bundle. */
export function useReadableValues(bundleId: string | null): ReadonlyMap<string, string> {
  const { data } = useAnswer('getBundle', { bundle_id: bundleId ?? '' }, { enabled: bundleId !== null })
  return readableIn(data?.items ?? [])
}

/** The ids of the bundles for production; undefined until they are known. */
export function useProduction(): ReadonlySet<string> | undefined {
  const bundles = useAnswer('listBundles', {}).data
  return bundles && new Set(bundles.filter(isProduction).map(({ id }) => id))
}

/** Names and their values, without those that are secret. */
function readableIn(items: readonly BundleItem[]): ReadonlyMap<string, string> {
  return new Map(items.flatMap(({ name, value, is_secret }) => (is_secret ? [] : [[name, value]])))
}

/** Create a deleted bundle again, with the same keys, names and order; its id is another one. */
export async function restoreBundle({ name, description, tags, items }: BundleWithItems): Promise<void> {
  const { id: bundle_id } = await call('createBundle', { name, description, tags })
  for (const item of items) {
    if (item.id === null) continue
    await call('attachKey', { bundle_id, key_id: item.id, as: item.name, required: item.required })
  }
}
