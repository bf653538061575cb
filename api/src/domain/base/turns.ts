import { setImmediate as turn } from 'node:timers/promises'

const AT_ONCE = 500

/** What `map` makes of each entry of a list that can be as long as a bundle. Other calls run between its parts. */
export async function mapInTurns<T, R>(list: readonly T[], map: (entry: T) => R): Promise<R[]> {
  const mapped: R[] = []
  for (const [at, entry] of list.entries()) {
    if (at > 0 && at % AT_ONCE === 0) await turn()
    mapped.push(map(entry))
  }
  return mapped
}
