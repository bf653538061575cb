import { openTerminal } from './read-line-until.ts'

const INTERRUPT = '\u0003'
const END_OF_INPUT = '\u0004'
const ERASES = new Set(['\u007f', '\b'])

/** Read one line from a terminal without showing it; null without a terminal, or at the end of input. Ctrl-C ends the client
 * as usual.
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
