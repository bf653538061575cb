import { fstatSync } from 'node:fs'
import type { WriteStream } from 'node:tty'

/** Whether a file descriptor is a terminal. Loads Node's terminal module only if it can be one, because loading takes
 * longer than printing a help page. */
export function isTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && terminalModule().isatty(fd)
  } catch {
    return false // closed
  }
}

/** The terminal of a file descriptor that `isTerminal`, to ask for its size. */
export function terminalOf(fd: number): WriteStream {
  return new (terminalModule().WriteStream)(fd)
}

function terminalModule() {
  return process.getBuiltinModule('node:tty')
}
