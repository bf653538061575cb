import { fstatSync, writeSync } from 'node:fs'
import type { WriteStream } from 'node:tty'
import { codeOf, generalError } from '../base/cli-error.ts'
import type { Input, Output } from '../base/parts.ts'

const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24
const RETRY_MS = 5

/** Standard output or standard error. Does not use Node's streams: they set pipes to non-blocking, and the program that
 * takes over this process would inherit that. */
export function fileOutput(fd: 1 | 2): Output {
  let known: boolean | null = null
  const isScreen = (): boolean => {
    known ??= isTerminal(fd)
    return known
  }
  let screen: WriteStream | null = null
  const size = (): readonly number[] => {
    if (isScreen()) screen ??= new (terminalModule().WriteStream)(fd)
    return screen?.getWindowSize() ?? []
  }
  return {
    get isTerminal() {
      return isScreen()
    },
    columns: () => size()[0] || DEFAULT_COLUMNS,
    rows: () => size()[1] || DEFAULT_ROWS,
    write: (text) => writeAll(fd, Buffer.from(text)),
  }
}

function writeAll(fd: 1 | 2, bytes: Uint8Array): void {
  let done = 0
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      // Another process that shares this terminal or pipe may have set it to non-blocking.
      if (codeOf(error) === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      else if (fd === 2)
        return // the reader of the messages is gone, which is no reason to stop
      else
        throw generalError(
          'cannot write to standard output: its reader is gone, or the disk is full',
          'Some values may be missing. Run the command again.',
        )
    }
  }
}

export function standardInput(): Input {
  return {
    readAll: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks)
    },
  }
}

/** Whether a file descriptor is a terminal. Loads Node's terminal module only if it can be one, because loading takes
 * longer than printing a help page. */
export function isTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && terminalModule().isatty(fd)
  } catch {
    return false // closed
  }
}

function terminalModule() {
  return process.getBuiltinModule('node:tty')
}
