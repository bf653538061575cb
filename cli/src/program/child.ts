import type { ChildProcess } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { constants } from 'node:os'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isatty } from 'node:tty'
import spawn from 'cross-spawn'
import { CliError, codeOf, EXIT, type ExitCode } from '../base/cli-error.ts'
import type { ProgramStart } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { findProgram } from './find-program.ts'

export type StartOptions = {
  readonly platform: NodeJS.Platform
  /** Restores the default signal handling before the program starts. */
  readonly beforeHandover: () => void
}

export type Child = ReturnType<typeof startChild>

type ChildOptions = {
  readonly platform: NodeJS.Platform
  /** Start it in its own process group, which the client can end as a whole. Outside the group of the terminal, a
   * program gets no Ctrl-C and cannot read the keyboard. */
  readonly hasOwnGroup: boolean
}

/** Start a program as a child process with our input and output.
 * @throws CliError 126 · 127 */
export function startChild(
  { argv, env, searchPath, filters }: ProgramStart,
  { platform, hasOwnGroup }: ChildOptions,
) {
  const [name = '', ...args] = argv
  const file = platform === 'win32' ? name : findProgram(name, { searchPath, cwd: process.cwd() })
  const stdio = ['inherit', filters.stdout ? 'pipe' : 'inherit', filters.stderr ? 'pipe' : 'inherit'] as const
  const child = spawn(file, args, { env, stdio: [...stdio], argv0: name, detached: hasOwnGroup })
  const output = [passOn(child.stdout, filters.stdout, 1), passOn(child.stderr, filters.stderr, 2)]
  /** Its exit code, or 128 plus the signal's number, once its output was passed on.
   * @throws CliError 126 · 127 */
  const ended = exitCodeOf(child, name).then(async (exitCode) => {
    await Promise.all(output)
    return exitCode
  })
  return { process: child, ended }
}

/** The exit code of a program, once it ends; 128 plus the signal's number if a signal ended it.
 * @throws CliError 126 · 127: it did not start */
export function exitCodeOf(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (cause) => reject(startError(name, cause)))
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
}

// If the reader of our output closes it, the next write of the program fails, as it would without us.
async function passOn(from: Readable | null, through: Transform | null, to: 1 | 2): Promise<void> {
  if (from === null || through === null) return
  try {
    await pipeline(from, through, createWriteStream('', { fd: to, autoClose: false }))
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error
  }
}

const FORWARDED = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
  'SIGCONT',
] as const

/** Listen to signals. `isSeen`: the terminal sends this one, such as Ctrl-C, to our child too, so forwarding it would
 * deliver it twice.
 * @returns ends the listening */
export function onForwardedSignals(onSignal: (signal: NodeJS.Signals, isSeen: boolean) => void): () => void {
  const listeners = FORWARDED.map((signal) => {
    const isFromTerminal = isatty(0) && (signal === 'SIGINT' || signal === 'SIGQUIT')
    const listener = (): void => onSignal(signal, isFromTerminal)
    process.on(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
  }
}

function startError(name: string, cause: Error): CliError {
  const code = 'code' in cause ? String(cause.code) : ''
  const isMissing = code === 'ENOENT'
  const exitCode: ExitCode = isMissing ? EXIT.notFound : EXIT.cannotStart
  const what = isMissing ? 'the program or its interpreter was not found' : code
  return new CliError(
    exitCode,
    `${printable(name)} cannot be started: ${what}`,
    'Check that it was built for this system and that the interpreter in its first line exists.',
    cause,
  )
}

/** Signal a program that leads its own process group, and all that it started there. On Windows, only the program. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') return void child.kill(signal)
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

/** Run the program as a child process with our input and output, and forward signals to it.
 * @returns its exit code, or 128 plus the signal's number
 * @throws CliError 126 · 127 */
export async function forwardTo(
  start: ProgramStart,
  { platform, beforeHandover }: StartOptions,
): Promise<number> {
  const child = startChild(start, { platform, hasOwnGroup: false })
  // Before the handover: a signal that arrives while nothing listens is lost.
  const stop = onForwardedSignals((signal, isSeen) => isSeen || child.process.kill(signal))
  beforeHandover()
  try {
    return await child.ended
  } finally {
    stop()
  }
}
