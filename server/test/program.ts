import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@keyferry/plumbing/free-port'
import { SERVER_COMMAND } from '../../e2e/programs.ts'
import { TIME_LIMIT_FACTOR, until } from '../../plumbing/test/until.ts'

const ANNOUNCED = /Listens {3}(http:\/\/\S+)/

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** The real program as a child process. */
export class Program {
  readonly child: ChildProcess
  readonly exited: Promise<Exit>
  stdout = ''
  stderr = ''

  /** @param input what it reads from standard input
   * @param through a program that starts it, with its arguments */
  constructor(
    settings: Readonly<Record<string, string>>,
    words: readonly string[] = [],
    input = '',
    through: readonly string[] = [],
  ) {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, PORT: '0', TIME_LIMIT_FACTOR, ...settings }
    const [command = '', ...rest] = [...through, ...SERVER_COMMAND, ...words]
    this.child = spawn(command, rest, {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.child.stdin?.on('error', () => undefined).end(input)
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve({ code, signal }))
    })
  }

  /** @returns the address it listens on, once it says so */
  async ready(): Promise<string> {
    return await until('the address of the program', () => {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the program did not start: ${this.stderr}`)
      return this.stdout.includes('Ctrl-C') && ANNOUNCED.exec(this.stdout)?.[1]
    })
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.child.kill(signal)
    return await this.exited
  }
}

/** A program that serves its metrics at a port of loopback. A port that was free a moment ago may be taken by another
 * test. */
export async function startMeasured(
  settings: Readonly<Record<string, string>>,
  tries = 3,
): Promise<{ program: Program; port: number; address: string }> {
  const port = await freePort()
  const program = new Program({ METRICS_PORT: String(port), ...settings })
  try {
    return { program, port, address: await program.ready() }
  } catch (error) {
    await program.stop('SIGKILL')
    if (tries === 1 || !program.stderr.includes('is in use')) throw error
    return await startMeasured(settings, tries - 1)
  }
}

/** A folder for one test, under a private one. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'keyferry-server-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
