import { setTimeout as sleep } from 'node:timers/promises'

/** How long tests wait for what has to come. It only catches what hangs: a busy machine is slow, and not wrong. */
export const PATIENCE_MS = 5 * 60_000

/** The setting by which servers under test multiply their own time limits. Tests of these limits set 1. */
export const TIME_LIMIT_FACTOR = '10'

const EVERY_MS = 20

type Falsy = false | null | undefined | 0 | ''

/** Ask again and again until the answer is something.
 * @param what completes "waited in vain for …"
 * @param ask gives something falsy while it is not so
 * @returns the answer
 * @throws Error that names `what`, after five minutes */
export async function until<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, Falsy>> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<T, Falsy>
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
    await sleep(EVERY_MS)
  }
}

/** Check again and again until the check throws nothing.
 * @returns what it gives
 * @throws what it throws after five minutes */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
    }
    await sleep(EVERY_MS)
  }
}
