import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { ExchangeAnswer } from '../src/base/exchange.ts'
import type { CleanUp, Environment, Parts, ProgramStart } from '../src/base/parts.ts'
import { httpExchange } from '../src/server/http-exchange.ts'

/** Parts that keep what a command does to them. The network is real, the rest is written down. */
export type Stage = Parts & {
  readonly seen: {
    stdout: string
    stderr: string
    readonly opened: string[]
    readonly started: ProgramStart[]
    /** Settled by a test, when a program that is watched shall end. */
    readonly ended: PromiseWithResolvers<number>
    readonly keyPairs: KeyPair[]
    /** What would run if a signal came now. */
    readonly cleanUps: Set<CleanUp>
  }
}

export function stage(env: Environment, cwd: string): Stage {
  const seen: Stage['seen'] = {
    stdout: '',
    stderr: '',
    opened: [],
    started: [],
    ended: Promise.withResolvers(),
    keyPairs: [],
    cleanUps: new Set(),
  }
  const output = (name: 'stdout' | 'stderr') => ({
    isTerminal: false,
    columns: () => 80,
    rows: () => 24,
    write: (text: string) => {
      seen[name] += text
    },
  })
  return {
    seen,
    env,
    cwd,
    platform: 'linux',
    stdin: { readAll: async () => new Uint8Array() },
    keyboard: {
      isThere: () => false,
      ask: () => null,
      askHidden: async () => null,
      askUntil: async () => null,
    },
    stdout: output('stdout'),
    stderr: output('stderr'),
    view: 'person',
    clock: {
      monotonicMs: () => performance.now(),
      epochMs: () => Date.now(),
      sleep: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
      every: () => () => undefined,
    },
    exchange: httpExchange({}),
    randomness: async () => ({
      newKeyPair: () => {
        const pair = generateKeyPair()
        seen.keyPairs.push(pair)
        return pair
      },
      newPollVerifier: generatePollVerifier,
    }),
    openBrowser: (url) => void seen.opened.push(url),
    startProgram: async (start) => {
      seen.started.push(start)
      return 0
    },
    superviseProgram: async (start) => {
      seen.started.push(start)
      return {
        ended: seen.ended.promise,
        restart: async (again) => {
          seen.started.push(again)
          return 'restarted'
        },
      }
    },
    leaveKeysTo: (child) => child(),
    atInterrupt: (cleanUp) => {
      seen.cleanUps.add(cleanUp)
      return () => void seen.cleanUps.delete(cleanUp)
    },
  }
}

/** An answer of a server, without headers. */
export function answered(body: object | string, status = 200): ExchangeAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, body: text, retryAfterMs: null, dateMs: null, location: null }
}
