import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SERVER_PROGRAM } from '../../e2e/programs.ts'

const ANNOUNCED = /Listens {3}(http:\/\/\S+)/
const START_WITHIN_MS = 60_000

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
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ...settings }
    const [command = '', ...rest] = [...through, process.execPath, SERVER_PROGRAM, ...words]
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
    const deadline = Date.now() + START_WITHIN_MS
    while (Date.now() < deadline && this.child.exitCode === null && this.child.signalCode === null) {
      const address = ANNOUNCED.exec(this.stdout)?.[1]
      if (address !== undefined && this.stdout.includes('Ctrl-C')) return address
      await sleep(10)
    }
    throw new Error(`the program did not start: ${this.stderr}`)
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.child.kill(signal)
    return await this.exited
  }
}

/** A folder for one test, under a private one. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'keyferry-server-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
