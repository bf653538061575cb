import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import { endOnSignals } from './interrupt.ts'
import { startProgram } from './program/start-program.ts'
import type { Exchange } from './server/exchange.ts'
import type { Clock, Surroundings } from './surroundings.ts'
import { terminalKeyboard } from './terminal/keyboard.ts'
import { fileOutput, standardInput } from './terminal/streams.ts'

/** The machine itself. */
export function realSurroundings(): Surroundings {
  const { env, platform } = process
  const stderr = fileOutput(2)
  const signals = endOnSignals(stderr)
  return {
    env,
    cwd: workingFolder(),
    platform,
    stdin: standardInput(),
    keyboard: terminalKeyboard(signals.without),
    stdout: fileOutput(1),
    stderr,
    clock,
    exchange: lazyExchange(env),
    newKeyPair: generateKeyPair,
    newPollVerifier: generatePollVerifier,
    openBrowser: (url) => {
      void import('./terminal/browser.ts').then(({ openBrowser }) => openBrowser(url, env, platform))
    },
    startProgram: (start) => startProgram(start, { platform, beforeHandover: signals.stop }),
    atInterrupt: signals.atInterrupt,
  }
}

const clock: Clock = {
  monotonicMs: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  epochMs: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
  every: (milliseconds, tick) => {
    const timer = setInterval(tick, milliseconds)
    return () => clearInterval(timer)
  },
}

// Node's HTTP client takes a while to load, and `--help` has no use for it.
function lazyExchange(env: NodeJS.ProcessEnv): Exchange {
  return async (request) => {
    const { httpExchange } = await import('./server/http-exchange.ts')
    return await httpExchange(env)(request)
  }
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return '' // deleted under us
  }
}
