import type { ChildProcess } from 'node:child_process'
import { Writable } from 'node:stream'
import type { ProgramStart } from '../base/parts.ts'
import { exitCodeOf, killGroup, spawnGuarded, spawnProgram } from './child.ts'
import { findProgram } from './find-program.ts'
import { passOn } from './program-output.ts'

type CaptureOptions = {
  readonly cwd: string
  readonly timeoutMs: number
  /** Of each stream the last so many bytes are kept. */
  readonly maxBytes: number
  /** Ends the program. */
  readonly cancelled: AbortSignal
}

/** What a program wrote. */
export type Captured = Awaited<ReturnType<typeof capture>>

// From SIGTERM to SIGKILL. Agents kill us two seconds after they closed our input.
const GRACE_MS = 1_000

/** Run a program without input, and keep the end of its output. When the program ends, its remaining
 * child processes are ended too.
 * @returns `exitCode`: 128 plus the signal's number if a signal ended it
 * @throws CliError 126 · 127 */
export async function capture(
  { argv, env, searchPath, filters }: ProgramStart,
  { cwd, timeoutMs, maxBytes, cancelled }: CaptureOptions,
) {
  const [name = '', ...args] = argv
  const child =
    process.platform === 'win32'
      ? spawnProgram(name, args, { cwd, env, argv0: name, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawnGuarded([findProgram(name, { searchPath, cwd }), ...args], { cwd, env })
  const [stdout, stderr] = [new Tail(maxBytes), new Tail(maxBytes)]
  const exited = exitCodeOf(child, name)
  const output = Promise.all([
    passOn(child.stdout, { exited, through: filters.stdout, to: stdout }),
    passOn(child.stderr, { exited, through: filters.stderr, to: stderr }),
  ])
  const timeout = AbortSignal.timeout(timeoutMs)
  const stopEnding = endAt(AbortSignal.any([timeout, cancelled]), child)
  try {
    const exitCode = await exited
    const isTimedOut = timeout.aborted
    await output
    return { exitCode, isTimedOut, stdout: stdout.captured(), stderr: stderr.captured() }
  } finally {
    stopEnding()
    killGroup(child, 'SIGKILL')
  }
}

class Tail extends Writable {
  readonly #max: number
  #kept = Buffer.alloc(0)
  #leftOut = 0

  constructor(max: number) {
    super()
    this.#max = max
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const all = Buffer.concat([this.#kept, chunk])
    const surplus = Math.max(0, all.length - this.#max)
    this.#leftOut += surplus
    this.#kept = all.subarray(surplus)
    done()
  }

  /** The bytes that were kept, as UTF-8. `leftOut`: how many came before. */
  captured() {
    return { text: this.#kept.toString(), leftOut: this.#leftOut }
  }
}

/** End the program when the signal fires.
 * @returns a function that cancels this */
function endAt(signal: AbortSignal, child: ChildProcess): () => void {
  let last: NodeJS.Timeout | undefined
  const end = (): void => {
    killGroup(child, 'SIGTERM')
    last = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return () => {
    signal.removeEventListener('abort', end)
    clearTimeout(last)
  }
}
