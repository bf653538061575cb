import type { Exchange } from './base/exchange.ts'
import type { Clock, Environment, Parts, Randomness } from './base/parts.ts'
import { isForMachines } from './command-line/parse-words.ts'
import { inheritedDescriptors } from './program/inherited-descriptors.ts'
import { endOnSignals } from './terminal/interrupt.ts'
import { terminalKeyboard } from './terminal/keyboard.ts'
import { fileOutput, standardInput } from './terminal/streams.ts'

/** The parts of the real machine, for the command.
 * @param args the command line
 * @param openAtStart the file descriptors that were open before the client opened any */
export function realParts(args: readonly string[], openAtStart: readonly number[]): Parts {
  const { env, platform } = process
  const stderr = fileOutput(2)
  const signals = endOnSignals(stderr, isForMachines(args))
  const inherited = args[0] === 'run' ? inheritedDescriptors(openAtStart, env) : []
  const starting = { platform, beforeHandover: signals.stop, inherited }
  return {
    ...systemParts(env),
    cwd: workingFolder(),
    keyboard: terminalKeyboard(stderr, signals.without, process),
    stderr,
    view: 'person',
    startProgram: async (start) => {
      const { startProgram } = await import('./program/start-program.ts')
      return await startProgram(start, starting)
    },
    superviseProgram: async (start) => {
      const { supervise } = await import('./program/supervise.ts')
      return supervise(start, starting)
    },
    leaveKeysTo: signals.leaveKeysTo,
    atInterrupt: signals.atInterrupt,
  }
}

/** The parts that do not depend on who uses the client: the command, or a program that imports it. */
export function systemParts(env: Environment) {
  const { platform } = process
  return {
    env,
    platform,
    stdin: standardInput(),
    stdout: fileOutput(1),
    clock,
    exchange: lazyExchange(env),
    randomness,
    openBrowser: (url: string): void => {
      void import('./terminal/open-browser.ts').then(({ openBrowser }) => openBrowser(url, env, platform))
    },
  }
}

// Modules that are slow to load are loaded when a command needs them, so that `--help` stays fast.
async function randomness(): Promise<Randomness> {
  const [{ generateKeyPair }, { generatePollVerifier }] = await Promise.all([
    import('@keyferry/crypto/key-pair'),
    import('@keyferry/crypto/poll-challenge'),
  ])
  return { newKeyPair: generateKeyPair, newPollVerifier: generatePollVerifier }
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

function lazyExchange(env: Environment): Exchange {
  let loaded: Promise<Exchange> | null = null
  return async (request) => {
    loaded ??= import('./server/http-exchange.ts').then(({ httpExchange }) => httpExchange(env))
    return await (await loaded)(request)
  }
}

/** Empty if the folder was deleted. */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return '' // the folder was deleted
  }
}
