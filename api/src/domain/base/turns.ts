import { setImmediate as nextTurn } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/** Lets other calls run. Each turn of the event loop resumes one call that waits here. Otherwise long calls that came
 * together would resume together, and block the others for the sum of their parts. */
export async function turn(): Promise<void> {
  last = last.then(() => nextTurn())
  await last
}

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
