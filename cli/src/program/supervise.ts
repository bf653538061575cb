import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import type { ProgramStart, SupervisedProgram } from '../base/parts.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import { type Child, type ChildStart, startChild } from './child.ts'
import { ENDING, onForwardedSignals } from './forwarded-signals.ts'
import { endTree } from './process-tree.ts'
import { requireFits } from './size-limits.ts'

const GRACE_MS = 10_000

type SuperviseOptions = ChildStart & {
  /** How long the program may take to end before a restart: 10 s unless given. */
  readonly graceMs?: number
}

/** Run the program as a child process that can be restarted, and forward signals to it.
 * @throws CliError 126 · 127 */
export function supervise(first: ProgramStart, options: SuperviseOptions): SupervisedProgram {
  const supervisor = new Supervisor(first, options)
  options.beforeHandover()
  return supervisor
}

// A terminal signals its own process group, so there the program must stay in ours.
function hasOwnGroup(platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true // no terminal
  }
}

class Supervisor implements SupervisedProgram {
  readonly #options: SuperviseOptions
  readonly #hasOwnGroup: boolean
  readonly #end = withResolvers<number>()
  readonly ended = this.#end.promise
  /** Null: it could not be started again. */
  #child: Child | null = null
  #isRestarting = false
  #isEnding = false

  constructor(first: ProgramStart, options: SuperviseOptions) {
    this.#options = options
    this.#hasOwnGroup = hasOwnGroup(options.platform)
    const how = { platform: options.platform, hasOwnGroup: this.#hasOwnGroup }
    // It listens before the handover: a signal that arrives while nothing listens is lost.
    const stop = onForwardedSignals(how, (signal, isSeen) => this.#forward(signal, isSeen))
    void this.#end.promise.then(stop, stop)
    try {
      this.#child = this.#startIn(first)
      this.#follow(this.#child)
    } catch (error) {
      stop()
      throw error
    }
  }

  async restart(start: ProgramStart): Promise<'restarted' | 'killed' | 'over'> {
    requireFits(start, this.#options.platform) // while the program still runs
    this.#isRestarting = true
    const end = await this.#stop()
    if (this.#isEnding) return 'over'
    const child = this.#startIn(start)
    await child.started()
    this.#child = child
    this.#isRestarting = false
    this.#follow(child)
    return end === 'killed' ? 'killed' : 'restarted'
  }

  #startIn(start: ProgramStart): Child {
    requireFits(start, this.#options.platform)
    return startChild(start, { ...this.#options, hasOwnGroup: this.#hasOwnGroup })
  }

  async #forward(signal: NodeJS.Signals, isSeen: Promise<boolean>): Promise<void> {
    this.#isEnding ||= this.#isRestarting && ENDING.has(signal)
    if (this.#child === null && ENDING.has(signal)) this.#end.resolve(128 + constants.signals[signal])
    else if (!(await isSeen)) this.#child?.process.kill(signal)
  }

  #follow({ ended }: Child): void {
    const report = (exitCode: number): void => {
      if (!this.#isRestarting || this.#isEnding) this.#end.resolve(exitCode)
    }
    ended.then(report, this.#end.reject)
  }

  async #stop(): Promise<'ended' | 'killed'> {
    const child = this.#child
    if (child === null) return 'ended'
    const end = await endProgram(child, this.#options)
    await child.ended
    this.#child = null
    return end
  }
}

// With all that it started: `npm start` leaves its server running, which keeps its port.
async function endProgram(
  { process: child }: Child,
  { platform, graceMs = GRACE_MS }: SuperviseOptions,
): Promise<'ended' | 'killed'> {
  if (child.pid !== undefined && platform !== 'win32') return await endTree(child.pid, graceMs)
  child.kill()
  return 'ended'
}
