import { constants } from 'node:os'
import type { CleanUp, Output } from '../base/parts.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

// What Ctrl-C and Ctrl-\ send.
const KEYS = ['SIGINT', 'SIGQUIT'] as const

function ignore(): void {
  // It is for another program.
}

// Long enough for one last call to a server, short enough not to seem stuck.
const LAST_CALLS_MS = 1_200

type EndingSignal = (typeof SIGNALS)[number]

/** End the client on SIGINT, SIGTERM and SIGHUP: clean up, say so, and exit with 128 plus the signal's number. A second
 * signal is ignored, because npm repeats a signal that the terminal has already sent. */
export function endOnSignals(stderr: Output, isForMachines: boolean) {
  const cleanUps = new Set<CleanUp>()
  let isEnding = false
  const end = async (signal: EndingSignal): Promise<void> => {
    if (isEnding) return
    isEnding = true
    await bounded([...cleanUps].map(async (cleanUp) => await cleanUp()))
    if (isForMachines) stderr.write(`${JSON.stringify({ event: 'interrupted', signal })}\n`)
    else if (signal === 'SIGINT') stderr.write('keyferry: interrupted\n')
    process.exit(128 + constants.signals[signal])
  }
  const onSignal = (signal: EndingSignal): void => void end(signal)
  const start = (): void => {
    for (const signal of SIGNALS) process.on(signal, onSignal)
  }
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  start()
  return {
    atInterrupt: (cleanUp: CleanUp) => {
      cleanUps.add(cleanUp)
      return () => void cleanUps.delete(cleanUp)
    },
    leaveKeysTo: async <T>(child: () => Promise<T>): Promise<T> => {
      process.off('SIGINT', onSignal)
      for (const signal of KEYS) process.on(signal, ignore)
      try {
        return await child()
      } finally {
        for (const signal of KEYS) process.off(signal, ignore)
        process.on('SIGINT', onSignal)
      }
    },
    /** Restore the default signal handling, before a program takes over. */
    stop,
    /** Runs `read` with default signal handling. */
    without: <T>(read: () => T): T => {
      stop()
      try {
        return read()
      } finally {
        start()
      }
    },
  }
}

async function bounded(lastCalls: readonly Promise<void>[]): Promise<void> {
  const isOver = new Promise((resolve) => void setTimeout(resolve, LAST_CALLS_MS))
  await Promise.race([isOver, Promise.allSettled(lastCalls)])
}
