import type { Keyboard, Output, Parts } from './parts.ts'
import { parseObject } from './shape.ts'

/** Write one line to stderr: JSON for a machine, else the text.
 * @param text null: only JSON is written */
export function announce(
  { view, stderr }: Pick<Parts, 'view' | 'stderr'>,
  event: Readonly<Record<string, unknown>> & { readonly event: string },
  text: string | null,
): void {
  if (view === 'json') stderr.write(`${JSON.stringify(event)}\n`)
  else if (text !== null) stderr.write(`keyferry: ${text}\n`)
}

/** A stderr that hands each JSON line to a program. */
export function eventOutput(onEvent: (event: Readonly<Record<string, unknown>>) => void): Output {
  const write = (lines: string): void => {
    for (const event of lines.split('\n').map(parseObject)) if (event !== null) onEvent(event)
  }
  return { isTerminal: false, columns: () => 80, rows: () => 24, write }
}

/** For a program that has no person at its terminal. */
export const NO_KEYBOARD: Keyboard = {
  isThere: () => false,
  ask: () => null,
  askUntil: async () => null,
  askHidden: async () => null,
}

/** Whether a person at a terminal sees a question and can answer it. */
export function isAtTerminal({ stderr, keyboard }: Pick<Parts, 'stderr' | 'keyboard'>): boolean {
  return stderr.isTerminal && keyboard.isThere()
}

/** Ask a question at the terminal.
 * @returns whether the answer is yes */
export function isYes(keyboard: Keyboard, question: string): boolean {
  return /^y(?:es)?$/i.test((keyboard.ask(question) ?? '').trim())
}
