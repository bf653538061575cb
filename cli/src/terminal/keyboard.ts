import { closeSync, openSync, readSync } from 'node:fs'
import type { Environment, Keyboard, Output } from '../base/parts.ts'
import { isTerminal } from './streams.ts'

const LINE_FEED = 10

/** The keyboard of this process's terminal. A read blocks the event loop, so default signal handling is restored before
 * the question appears; Ctrl-C then works as usual.
 * @param withoutSignals runs its argument without our signal listeners */
export function terminalKeyboard(
  output: Output,
  withoutSignals: <T>(read: () => T) => T,
  { env, platform }: { readonly env: Environment; readonly platform: NodeJS.Platform },
): Keyboard {
  const { write } = output
  return {
    askUntil: async (question, ended) => {
      const { readLineUntil } = await import('./read-line-until.ts')
      return await readLineUntil(terminalPath(platform), ended, () => write(question))
    },
    askHidden: async (question) => {
      const { readHidden } = await import('./read-hidden.ts')
      // On Windows, Bun sets raw mode on standard input only.
      const terminal = platform === 'win32' && isTerminal(0) ? 0 : terminalPath(platform)
      const prompt = { question, write, marksPastes: output.isTerminal && env['TERM'] !== 'dumb' }
      return await readHidden(terminal, prompt)
    },
    isThere: () => withTerminal(platform, (fd) => fd !== null),
    ask: (question) =>
      withTerminal(platform, (fd) => {
        if (fd === null) return null
        return withoutSignals(() => {
          write(question)
          return readLine(fd)
        })
      }),
  }
}

function terminalPath(platform: NodeJS.Platform): string {
  return platform === 'win32' ? '\\\\.\\CONIN$' : '/dev/tty'
}

function withTerminal<T>(platform: NodeJS.Platform, use: (fd: number | null) => T): T {
  if (isTerminal(0)) return use(0)
  let fd: number | null = null
  try {
    fd = openSync(terminalPath(platform), 'r')
  } catch {
    return use(null)
  }
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

function readLine(fd: number): string | null {
  const bytes: number[] = []
  const one = new Uint8Array(1)
  while (readSync(fd, one, 0, 1, null) === 1) {
    const [byte = LINE_FEED] = one
    if (byte === LINE_FEED) return Buffer.from(bytes).toString().replace(/\r$/, '')
    bytes.push(byte)
  }
  return bytes.length === 0 ? null : Buffer.from(bytes).toString()
}
