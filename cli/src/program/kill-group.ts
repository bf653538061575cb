import type { ChildProcess } from 'node:child_process'

/** Signal a program that leads its own process group, and all that it started there. On Windows, only the program. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') return void child.kill(signal)
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
