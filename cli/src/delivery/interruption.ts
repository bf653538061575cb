import type { CleanUp, Parts } from '../ground/parts.ts'

export type Interruption = {
  /** Resolves when the step ends; never resolves after a signal. The signal decides how the client ends, and a delivery
   * that arrives during the clean-up is not used. */
  readonly unlessEnding: <T>(step: Promise<T>) => Promise<T>
  readonly takeBack: () => void
}

/** Runs `cleanUp` when a signal ends the client, and stops every step that waits for `unlessEnding`. */
export function atInterruption({ atInterrupt }: Parts, cleanUp: CleanUp): Interruption {
  let isEnding = false
  const takeBack = atInterrupt(() => {
    isEnding = true
    return cleanUp()
  })
  return {
    takeBack,
    unlessEnding: async (step) => {
      try {
        return await step
      } finally {
        if (isEnding) await new Promise<never>(() => undefined)
      }
    },
  }
}
