import { constants } from 'node:os'
import { isatty } from 'node:tty'
import spawn from 'cross-spawn'
import { CliError } from '../ground/cli-error.ts'
import { EXIT, type ExitCode } from '../ground/exit-code.ts'
import type { ProgramStart } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import { findProgram } from './find-program.ts'

export type StartMeans = {
  readonly platform: NodeJS.Platform
  /** Gives the signals back before the program has the process. */
  readonly beforeHandover: () => void
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

/** Run the program as a child with our input and output; pass signals on to it and its exit code back.
 * @returns its exit code, or 128 and the signal's number
 * @throws CliError 126 · 127 */
export async function forwardTo({ argv, env, searchPath }: ProgramStart, means: StartMeans): Promise<number> {
  const [name = '', ...args] = argv
  const file = means.platform === 'win32' ? name : findProgram(name, { searchPath, cwd: process.cwd() })
  means.beforeHandover()
  const child = spawn(file, args, { env, stdio: 'inherit', argv0: name })
  const stop = passSignals((signal) => child.kill(signal))
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', (cause) => reject(startError(name, cause)))
      child.on('exit', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      )
    })
  } finally {
    stop()
  }
}

function passSignals(pass: (signal: NodeJS.Signals) => void): () => void {
  const listeners = FORWARDED.map((signal) => {
    // A terminal sends Ctrl-C and Ctrl-\ to the child itself as well: passing them on would make two of one.
    const isFromTerminal = isatty(0) && (signal === 'SIGINT' || signal === 'SIGQUIT')
    const listener = (): void => (isFromTerminal ? undefined : pass(signal))
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
  const what = isMissing ? 'it, or the interpreter it names, was not found' : code
  return new CliError(
    exitCode,
    `${printable(name)} cannot be started: ${what}`,
    'Check that it is made for this system and that the interpreter in its first line exists.',
    { cause },
  )
}
