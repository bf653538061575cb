import { CallError } from '@keyferry/contract/client'
import type { Outcome } from './history.ts'

/** Make a call and tell what became of it. An answer of the server's own failure may come after the deed was done.
 * @returns its answer, null unless it was acknowledged */
export async function attempt<T>(
  call: () => Promise<T>,
  report: (outcome: Outcome) => void,
): Promise<{ answer: T } | null> {
  try {
    const answer = await call()
    report('acknowledged')
    return { answer }
  } catch (error) {
    report(error instanceof CallError && error.status < 500 ? 'refused' : 'unknown')
    return null
  }
}
