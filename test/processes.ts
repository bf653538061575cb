import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'

/** End a test run, and delete its folder. All its processes but the first have the folder in their environment: the run
 * adds it to the PATH that each of them inherits. */
export function endRun(folder: string, first?: number): void {
  if (first !== undefined) kill(first)
  for (let pids = processesOf(folder); pids.length > 0; pids = processesOf(folder)) {
    for (const pid of pids) kill(pid)
    pause()
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** The processor seconds that a run has used on Linux: those that it was started through, with all that has ended, and
 * its programs that still run. */
export function processorSeconds(folder: string, through: readonly number[]): number {
  const pids = [...through, ...processesOf(folder)]
  // Hundredths of a second in user mode and in the kernel, of the process and of its ended children.
  const ticks = pids.flatMap((pid) => statusOf(pid).slice(11, 15)).map(Number)
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}

/** This process, and those that npm started it through: when one of them is gone, somebody stopped the run. */
export function startedThrough(): number[] {
  const pids = [process.pid]
  let last = process.pid
  while (textOf(last, 'environ').includes('\0npm_lifecycle_event=') && last > 1) {
    last = Number(statusOf(last)[1])
    pids.push(last)
  }
  return pids
}

/** Whether a process still runs. One that has ended stays in the list until its parent asks for its exit code. */
export function isRunning(pid: number): boolean {
  return !['', 'Z', 'X'].includes(statusOf(pid)[0] ?? '')
}

function processesOf(folder: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const places = [cwdOf, (pid: number) => textOf(pid, 'environ'), (pid: number) => textOf(pid, 'cmdline')]
  const isOurs = (pid: number) => places.some((place) => place(pid).includes(folder))
  return pids.filter((pid) => pid !== process.pid && isOurs(pid))
}

// State, then the parent: they follow the name, which can contain blanks and parentheses.
function statusOf(pid: number): string[] {
  return textOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
}

// Redis writes its name over its environment.
function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // it has just ended, or is another account's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ESRCH') throw error
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
}
