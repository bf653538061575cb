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

/** @param terminal a path, or an open file descriptor
 * @returns null: this process has no such terminal */
function openTerminal(terminal: string | number): ReadStream | null {
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

const INTERRUPT = '\u0003'
const END_OF_INPUT = '\u0004'
const ERASES = new Set(['\u007f', '\b'])

/** Read one line from a terminal without showing it; null without a terminal, or at the end of input. Ctrl-C ends the
 * client as usual.
 * @param from the terminal: a path, or an open file descriptor, which this closes */
export async function readHidden(
  from: string | number,
  question: string,
  write: (text: string) => void,
): Promise<string | null> {
  const terminal = openTerminal(from)
  if (terminal === null) return null
  try {
    terminal.setRawMode(true)
    write(question)
    return await new Promise((resolve) => {
      const line = hiddenLine(resolve)
      terminal.on('error', () => resolve(null))
      terminal.on('end', () => resolve(null))
      terminal.setEncoding('utf8').on('data', (chunk: string) => {
        for (const character of chunk) line(character)
      })
    })
  } finally {
    write('\n')
    terminal.setRawMode(false)
    terminal.destroy()
  }
}

function hiddenLine(end: (line: string | null) => void): (character: string) => void {
  const typed: string[] = []
  return (character) => {
    if (character === '\r' || character === '\n') end(typed.join(''))
    else if (ERASES.has(character)) typed.pop()
    else if (character === END_OF_INPUT) end(null)
    else if (character === INTERRUPT) {
      end(null)
      process.kill(process.pid, 'SIGINT')
    } else typed.push(character)
  }
}
