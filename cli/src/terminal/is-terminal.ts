import { fstatSync } from 'node:fs'
import type { WriteStream } from 'node:tty'

/** Whether a file descriptor is a terminal. Node's terminal module is loaded only for what can be one: loading it takes
 * longer than printing a page of help. */
export function isTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && terminalModule().isatty(fd)
  } catch {
    return false // closed
  }
}

/** The terminal behind a file descriptor that `isTerminal`, for its size. */
export function terminalOf(fd: number): WriteStream {
  return new (terminalModule().WriteStream)(fd)
}

function terminalModule() {
  return process.getBuiltinModule('node:tty')
}
