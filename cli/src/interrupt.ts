import type { Output } from './surroundings.ts'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type EndingSignal = keyof typeof EXIT_CODES

export type SignalGuard = {
  /** Runs `cleanUp` when a signal ends the client; returns the way to take it back. */
  readonly atInterrupt: (cleanUp: () => void) => () => void
  /** Give the signals back to the system: what comes now is the program's affair. */
  readonly stop: () => void
  /** Runs `read` with the signals at their defaults. */
  readonly without: <T>(read: () => T) => T
}

/** End the client on SIGINT, SIGTERM and SIGHUP: tidy up, say so, and exit with 128 and the signal's number. */
export function endOnSignals(stderr: Output, isForMachines: boolean): SignalGuard {
  const cleanUps = new Set<() => void>()
  const end = (signal: EndingSignal): void => {
    for (const cleanUp of cleanUps) cleanUp()
    if (isForMachines) stderr.write(`${JSON.stringify({ event: 'interrupted', signal })}\n`)
    else if (signal === 'SIGINT') stderr.write('keyferry: interrupted\n')
    process.exit(EXIT_CODES[signal])
  }
  const start = (): void => {
    for (const signal of SIGNALS) process.on(signal, end)
  }
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, end)
  }
  start()
  return {
    atInterrupt: (cleanUp) => {
      cleanUps.add(cleanUp)
      return () => void cleanUps.delete(cleanUp)
    },
    stop,
    without: (read) => {
      stop()
      try {
        return read()
      } finally {
        start()
      }
    },
  }
}
