import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { TIME_LIMIT_FACTOR, until } from '../plumbing/test/until.ts'

// The kernel counts in hundredths of a second on every Linux that Node runs on.
const MS_PER_TICK = 10

export type ProcessOptions = {
  readonly script: string
  readonly words?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A file that Node loads before the program. */
  readonly preload?: string
  /** Whether the file is started as the program that it is, by its first line, as a person starts it. */
  readonly asProgram?: boolean
}

/** A Node program of this repository that listens, in a separate process. */
export type NodeProcess = {
  readonly address: string
  readonly pid: number
  /** From its start until it said that it listens. */
  readonly startMs: number
  readonly output: () => string
  /** Sends a signal and resolves once it is gone. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** Start a program and wait until it says `Listens http://…`.
 * @throws Error with what it said instead */
export async function startProcess({
  script,
  words = [],
  env,
  preload,
  asProgram,
}: ProcessOptions): Promise<NodeProcess> {
  const startedAt = performance.now()
  const flags = preload === undefined ? [] : ['--import', preload]
  const [program, ...before] = asProgram ? [script] : [process.execPath, ...flags, script]
  const { PATH, HOME } = process.env
  const child = spawn(program, [...before, ...words], {
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', TIME_LIMIT_FACTOR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const output = collected(child)
  const address = await until(`the address of ${script}`, () => {
    if (child.exitCode !== null) throw new Error(`${script} ${words.join(' ')} did not start: ${output()}`)
    return /Listens\s+(http:\/\/\S+)/.exec(output())?.[1]
  })
  const startMs = performance.now() - startedAt
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await exited
  }
  return { address, pid: child.pid ?? 0, startMs, output, stop }
}

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024
}

/** Processor time that a process has used so far, in milliseconds: unlike elapsed time, the same beside busy
 * neighbours. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) * MS_PER_TICK
}

function collected(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-100_000)
    })
  }
  return () => text
}
