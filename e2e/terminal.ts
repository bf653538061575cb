import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { skipOrFail } from '../plumbing/test/programs.ts'
import { until } from '../plumbing/test/until.ts'

export type TerminalOptions = {
  readonly cwd?: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly columns?: number
  readonly rows?: number
}

export type Terminal = {
  /** All that appeared so far, escape sequences included. */
  readonly output: () => string
  /** Resolves with the first match once it has appeared. */
  readonly appears: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly type: (text: string | Uint8Array) => void
  /** The exit code as a shell tells it: 128 and the signal's number for a program that a signal ended. */
  readonly exit: Promise<number>
}

/** Whether a pseudo-terminal can be had (util-linux `script`). Where it must be (CI), a missing one is a failure. */
export function hasTerminal(): boolean {
  const isThere = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
  if (isThere) return true
  skipOrFail('no `script` of util-linux for a pseudo-terminal')
  return false
}

const opened = new Set<ChildProcess>()

/** Close the terminals that are still open, as closing a window does: the system then hangs up on their programs.
 * `script` blocks SIGHUP, and an interactive shell ignores SIGTERM. */
export function closeTerminals(): void {
  for (const child of opened) child.kill('SIGKILL')
}

/** Run a command in a new pseudo-terminal. */
export function inTerminal(argv: readonly string[], options: TerminalOptions): Terminal {
  const { columns = 100, rows = 50 } = options
  const command = `stty cols ${columns} rows ${rows}; exec ${argv.map(quoted).join(' ')}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: options.cwd,
    env: { ...options.env, SHELL: '/bin/sh' },
  })
  opened.add(child)
  child.on('exit', () => opened.delete(child))
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    // A program that has ended takes no more keys.
    if (error.code !== 'EPIPE') throw error
  })
  let output = ''
  // What `script` itself says is output too. With a stream of the test run, it could keep that run from ending.
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  return {
    output: () => output,
    appears: async (pattern) => await appearance(pattern, () => output),
    type: (text) => void child.stdin.write(text),
    exit: once(child, 'exit').then(([code]) => Number(code)),
  }
}

async function appearance(pattern: RegExp, output: () => string): Promise<RegExpExecArray> {
  const match = until(`${pattern}`, () => pattern.exec(output()))
  return await match.catch((cause: unknown) => {
    throw new Error(`${pattern} did not appear in:\n${output()}`, { cause })
  })
}

function quoted(argument: string): string {
  return `'${argument.replaceAll("'", "'\\''")}'`
}
