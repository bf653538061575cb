import type { Key } from '../calls/answers.ts'

type UsedKey = Pick<Key, 'id' | 'name' | 'bundles'>

/** What a key is called on the pages: the name that bundles deliver it under; its name in the library where none does.
 * A bundle may be given whose name for it counts. */
export function variableOf({ name, bundles = [] }: UsedKey, bundleId: string | null = null): string {
  return (bundles.find(({ id }) => id === bundleId) ?? bundles[0])?.as ?? name
}
