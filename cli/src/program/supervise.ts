import { isatty } from 'node:tty'
import type { ProgramStart, SupervisedProgram } from '../base/parts.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import { type Child, killGroup, onForwardedSignals, type StartOptions, startChild } from './child.ts'
import { requireFits } from './size-limits.ts'

const GRACE_MS = 10_000

type SuperviseOptions = StartOptions & {
  /** How long the program may take to end before a restart: 10 s unless given. */
  readonly graceMs?: number
}

// They ask the program to end, so it is not started again.
const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])

/** Run the program as a child process that can be restarted, and forward signals to it.
 * @throws CliError 126 · 127 */
export function supervise(first: ProgramStart, options: SuperviseOptions): SupervisedProgram {
  // It listens before the handover: a signal that arrives while nothing listens is lost.
  const supervisor = new Supervisor(startIn(first, options), options)
  options.beforeHandover()
  return supervisor
}

// A terminal signals its own process group, so there the program must stay in ours.
function startIn(start: ProgramStart, { platform }: StartOptions): Child {
  requireFits(start, platform)
  return startChild(start, { platform, hasOwnGroup: hasOwnGroup(platform) })
}

function hasOwnGroup(platform: NodeJS.Platform): boolean {
  return platform !== 'win32' && !isatty(0)
}

class Supervisor implements SupervisedProgram {
  readonly #options: SuperviseOptions
  readonly #end = withResolvers<number>()
  readonly ended = this.#end.promise
  #child: Child
  #isRestarting = false
  #isEnding = false

  constructor(child: Child, options: SuperviseOptions) {
    this.#options = options
    this.#child = child
    this.#follow(child)
    const stop = onForwardedSignals((signal, isSeen) => {
      this.#isEnding ||= this.#isRestarting && ENDING.has(signal)
      if (!isSeen) this.#child.process.kill(signal)
    })
    void this.#end.promise.then(stop, stop)
  }

  async restart(start: ProgramStart, signal: NodeJS.Signals): Promise<'restarted' | 'killed' | 'over'> {
    requireFits(start, this.#options.platform) // while the program still runs
    this.#isRestarting = true
    const isKilled = await this.#stop(signal)
    if (this.#isEnding) return 'over'
    this.#again(start)
    return isKilled ? 'killed' : 'restarted'
  }

  #again(start: ProgramStart): void {
    try {
      this.#child = startIn(start, this.#options)
      this.#isRestarting = false
      this.#follow(this.#child)
    } catch (error) {
      this.#end.reject(error)
    }
  }

  #follow({ ended }: Child): void {
    const report = (exitCode: number): void => {
      if (!this.#isRestarting || this.#isEnding) this.#end.resolve(exitCode)
    }
    ended.then(report, this.#end.reject)
  }

  /** @returns whether it had to be killed */
  async #stop(signal: NodeJS.Signals): Promise<boolean> {
    const { process: child, ended } = this.#child
    let isKilled = false
    const timer = setTimeout(() => {
      isKilled = true
      this.#kill()
    }, this.#options.graceMs ?? GRACE_MS)
    child.kill(signal)
    await ended
    clearTimeout(timer)
    return isKilled
  }

  #kill(): void {
    const { process: child } = this.#child
    if (hasOwnGroup(this.#options.platform)) killGroup(child, 'SIGKILL')
    else child.kill('SIGKILL')
  }
}
