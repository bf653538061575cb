import type { CleanUp, Parts } from '../ground/parts.ts'

export type Interruption = {
  /** As the step ends, unless a signal has come meanwhile: then never. The signal decides how the client ends, and a
   * delivery that arrives while it says goodbye is not used. */
  readonly unlessEnding: <T>(step: Promise<T>) => Promise<T>
  readonly takeBack: () => void
}

/** Runs `cleanUp` when a signal ends the client, and lets nothing else go on from there. */
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
