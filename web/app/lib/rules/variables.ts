import type { Key } from '../calls/answers.ts'

type UsedKey = Pick<Key, 'id' | 'name' | 'bundles'>

/** What a key is called on the pages: the name that bundles deliver it under; its name in the library where none does.
 * A bundle may be given whose name for it counts. */
export function variableOf({ name, bundles = [] }: UsedKey, bundleId: string | null = null): string {
  return (bundles.find(({ id }) => id === bundleId) ?? bundles[0])?.as ?? name
}

/** One variable of several environments: the keys that are its values. */
export type VariableKeys<K> = { name: string; keys: K[] }

/** Keys by the variable that they are a value of, by name. */
export function byVariable<K extends UsedKey>(keys: readonly K[]): VariableKeys<K>[] {
  const groups = Map.groupBy(keys, (key) => variableOf(key))
  return [...groups]
    .map(([name, values]) => ({ name, keys: values }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
