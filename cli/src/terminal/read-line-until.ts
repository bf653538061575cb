import { openSync } from 'node:fs'
import { ReadStream } from 'node:tty'

const LONGEST_LINE = 1_000

/** Read one line from a terminal without blocking, without its end; null without a terminal, at the end of input, or
 * when `ended` is aborted.
 * @param start called when the terminal is open */
export async function readLineUntil(
  path: string,
  ended: AbortSignal,
  start: () => void,
): Promise<string | null> {
  const terminal = openTerminal(path)
  if (terminal === null) return null
  try {
    start()
    return await firstLine(terminal, ended)
  } finally {
    terminal.destroy()
  }
}

/** Open a terminal for reading without blocking.
 * @param terminal a path, or an open file descriptor
 * @returns null: this process has no such terminal */
export function openTerminal(terminal: string | number): ReadStream | null {
  try {
    return new ReadStream(typeof terminal === 'number' ? terminal : openSync(terminal, 'r'))
  } catch {
    return null // this process has no terminal
  }
}

function firstLine(terminal: ReadStream, ended: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    const end = (): void => resolve(null)
    if (ended.aborted) return end()
    ended.addEventListener('abort', end, { once: true })
    terminal.on('error', end)
    terminal.on('end', end)
    terminal.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const [line, rest] = text.split('\n', 2)
      if (rest !== undefined) resolve((line ?? '').replace(/\r$/, ''))
      else if (text.length > LONGEST_LINE) end()
    })
  })
}
