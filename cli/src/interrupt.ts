import type { Output } from './surroundings.ts'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

type EndingSignal = keyof typeof EXIT_CODES

export type SignalGuard = {
  /** Runs `cleanUp` when a signal ends the client; returns the way to take it back. */
  readonly atInterrupt: (cleanUp: () => void) => () => void
  /** Give the signals back to the system: what comes now is the program's affair. */
  readonly stop: () => void
}

/** End the client on SIGINT, SIGTERM and SIGHUP: tidy up, say so, and exit with 128 and the signal's number. */
export function endOnSignals(stderr: Output): SignalGuard {
  const cleanUps = new Set<() => void>()
  const end = (signal: EndingSignal): void => {
    for (const cleanUp of cleanUps) cleanUp()
    if (signal === 'SIGINT') stderr.write('keyferry: interrupted\n')
    process.exit(EXIT_CODES[signal])
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  return {
    atInterrupt: (cleanUp) => {
      cleanUps.add(cleanUp)
      return () => void cleanUps.delete(cleanUp)
    },
    stop: () => {
      for (const signal of signals) process.off(signal, end)
    },
  }
}
