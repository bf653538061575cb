import type { ChildProcess, SpawnOptions, StdioOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import spawn from 'cross-spawn'
import { CliError, codeOf, EXIT, type ExitCode } from '../base/cli-error.ts'
import type { ProgramStart } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { executableForm } from './executable-form.ts'
import { findProgram } from './find-program.ts'
import { ENDING, onForwardedSignals } from './forwarded-signals.ts'
import { hasOwnSockets, type Inherited } from './inherited-descriptors.ts'
import { passOn } from './program-output.ts'

export type ChildStart = {
  readonly platform: NodeJS.Platform
  /** Restores the default signal handling before the program starts. */
  readonly beforeHandover: () => void
  /** File descriptors that the program gets from our parent, under the same numbers. */
  readonly inherited: readonly Inherited[]
}

export type Child = ReturnType<typeof startChild>

type ChildOptions = Pick<ChildStart, 'platform' | 'inherited'> & {
  /** Start it in its own process group, which the client can end as a whole. Outside the group of the terminal, a
   * program gets no Ctrl-C and cannot read the keyboard. */
  readonly hasOwnGroup: boolean
}

/** Start a program as a child process with our input and output.
 * @throws CliError 126 · 127 */
export function startChild(
  { argv, env, searchPath, filters }: ProgramStart,
  { platform, hasOwnGroup, inherited }: ChildOptions,
) {
  const [name = '', ...args] = argv
  const file = platform === 'win32' ? name : findProgram(name, { searchPath, cwd: process.cwd() })
  const stdio: StdioOptions = [
    'inherit',
    filters.stdout ? 'pipe' : 'inherit',
    filters.stderr ? 'pipe' : 'inherit',
  ]
  for (const { fd } of inherited) {
    while (stdio.length < fd) stdio.push('ignore')
    stdio.push(fd)
  }
  const options = { env, stdio, detached: hasOwnGroup }
  const child = hasOwnSockets(env, inherited)
    ? spawn('/bin/sh', ['-c', AS_LISTENER, file, ...args], options)
    : spawnProgram(file, args, { ...options, argv0: name })
  const exited = exitCodeOf(child, name)
  const output = Promise.all([
    passOn(child.stdout, { exited, through: filters.stdout, to: 1 }),
    passOn(child.stderr, { exited, through: filters.stderr, to: 2 }),
  ])
  output.catch(() => undefined) // it may fail before the program ends
  /** Its exit code, or 128 plus the signal's number, once its output was passed on.
   * @throws CliError 126 · 127 */
  const ended = exited.then(async (exitCode) => {
    await output
    return exitCode
  })
  ended.catch(() => undefined) // it may be asked for later
  /** Resolves when it runs. Call this at once.
   * @throws CliError 126 · 127 */
  const started = async (): Promise<void> => {
    await Promise.race([new Promise((resolve) => void child.once('spawn', () => resolve(null))), exited])
  }
  return { process: child, started, ended }
}

const BASH = '/bin/bash'

/** Start a program. Node.js starts it by execvp(3), which would run a binary for another machine with /bin/sh, as if it
 * were text. bash starts it, or says why not.
 * @throws CliError 126 · 127 */
export function spawnProgram(file: string, args: readonly string[], options: ProgramOptions): ChildProcess {
  const isForeign = process.platform !== 'win32' && executableForm(file, process.execPath) === 'foreign'
  try {
    if (!isForeign || !existsSync(BASH)) return spawn(file, args, options)
    return spawn(BASH, ['-pc', 'exec "$0" "$@"', file, ...args], options)
  } catch (cause) {
    throw startError(options.argv0, cause) // Node.js throws rare reasons, such as ELOOP
  }
}

type ProgramOptions = SpawnOptions & { readonly argv0: string }

// The shell becomes the program. First it starts a guard in the same process group. When our end of the pipe closes,
// the guard ends the group. The guard is no child of the program, and keeps none of its files open. TMOUT would make
// bash's `read` time out.
const GUARDED = [
  '(trap "" HUP INT QUIT TERM USR1 USR2',
  '{ unset TMOUT; read -r _; kill -s TERM 0; sleep 1; kill -s KILL 0; } <&3 3<&- >/dev/null 2>&1 &)',
  'exec "$0" "$@" 3<&-',
].join('\n')

/** Start a program in its own process group, with its output in pipes and without input. When this process ends, even
 * by SIGKILL, the group gets SIGTERM, and SIGKILL a second later. Not for Windows.
 * @param shell bash changes only its own variables, such as OPTIND; other shells also drop names with a dot or a
 *   hyphen
 * @throws CliError 126 · 127 */
export function spawnGuarded(
  [file, ...args]: readonly [string, ...string[]],
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
  shell = existsSync(BASH) ? [BASH, '-p'] : ['/bin/sh'],
): ChildProcess {
  const [name = '', ...flags] = shell
  const program = executableForm(file, process.execPath) === 'script' ? ['/bin/sh', file] : [file]
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'pipe']
  try {
    return spawn(name, [...flags, '-c', GUARDED, ...program, ...args], { ...options, stdio, detached: true })
  } catch (cause) {
    throw startError(file, cause)
  }
}

// LISTEN_PID names the process that the sockets are for.
const AS_LISTENER = 'LISTEN_PID=$$; export LISTEN_PID; exec "$0" "$@"'

/** Whether a process that we started is over. */
function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
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

function startError(name: string, cause: unknown): CliError {
  const code = codeOf(cause)
  const isMissing = code === 'ENOENT'
  const exitCode: ExitCode = isMissing ? EXIT.notFound : EXIT.cannotStart
  const what = isMissing ? 'the program or its interpreter was not found' : code
  return new CliError(
    exitCode,
    `${printable(name)} cannot be started: ${what}`,
    'Check that it was built for this system and that the interpreter in its first line exists.',
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
  { platform, beforeHandover, inherited }: ChildStart,
): Promise<number> {
  let child: ChildProcess | null = null
  // Before the program starts and before the handover: a signal that arrives while nothing listens is lost.
  const stop = onForwardedSignals({ platform, hasOwnGroup: false }, async (signal, isSeen) => {
    // Its output is still being read, perhaps by nobody.
    if (child !== null && isOver(child) && ENDING.has(signal)) process.exit(128 + constants.signals[signal])
    if (!(await isSeen)) child?.kill(signal)
  })
  try {
    const started = startChild(start, { platform, hasOwnGroup: false, inherited })
    child = started.process
    beforeHandover()
    return await started.ended
  } finally {
    stop()
  }
}
