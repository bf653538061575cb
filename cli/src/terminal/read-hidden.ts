import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { HiddenText, isSignal, type Signal, type TypingStep } from './hidden-text.ts'
import { openTerminal } from './read-line-until.ts'

// No person types the next key so soon after Enter; the rest of a paste comes sooner, over a network too.
const QUIET_MS = 250
const ENDING_MS = 3_000
const PASTE_MARKS = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

const REFUSED = 'keyferry: this has a control character, so nothing was taken. Enter it again, or use --file.'

type HiddenPrompt = {
  readonly question: string
  readonly write: (text: string) => void
  /** Whether the screen is a terminal that can mark what is pasted. */
  readonly marksPastes: boolean
}

/** Read a secret from a terminal without showing it; null without a terminal, or at the end of input. A paste is taken
 * whole, and only its size is shown. Ctrl-C ends the client as usual.
 * @param from the terminal: a path, or an open file descriptor, which this closes */
export async function readHidden(from: string | number, prompt: HiddenPrompt): Promise<string | null> {
  const terminal = openTerminal(from)
  if (terminal === null) return null
  emitKeypressEvents(terminal.setEncoding('utf8'))
  try {
    for (;;) {
      const restore = hide(terminal, prompt)
      const end = await entered(terminal, prompt).finally(restore)
      if (!isSignal(end)) return end?.text ?? null
      await signalled(end)
      if (end !== 'SIGTSTP') return null
    }
  } finally {
    terminal.destroy()
  }
}

/** @returns restores the terminal */
function hide(terminal: ReadStream, { question, write, marksPastes }: HiddenPrompt): () => void {
  const unmark = (): void => write(marksPastes ? PASTE_MARKS.off : '')
  terminal.setRawMode(true)
  process.once('exit', unmark) // Node itself restores only the mode of the terminal
  write(`${marksPastes ? PASTE_MARKS.on : ''}${question}`)
  return () => {
    process.off('exit', unmark)
    unmark()
    write('\n')
    terminal.setRawMode(false)
  }
}

/** @returns a signal: its key was pressed */
async function entered(
  terminal: ReadStream,
  { question, write }: HiddenPrompt,
): Promise<HiddenText | null | Signal> {
  for (;;) {
    const text = new HiddenText()
    const end = await untilQuiet(terminal, text, (note) => write(`\r${question}[${note}] `))
    if (isSignal(end)) return end
    if (end === null || (end === 'end' && text.text === '')) return null
    const answer = text.isUnclear && !text.isRefused ? await confirmed(text, terminal, write) : null
    if (isSignal(answer)) return answer
    if (answer !== 'no' && !text.isRefused) return text
    write(`\r\n${text.isRefused ? `${REFUSED}\r\n` : ''}${question}`)
  }
}

async function confirmed(
  { size }: HiddenText,
  terminal: ReadStream,
  write: (text: string) => void,
): Promise<'yes' | 'no' | Signal> {
  const answer = new HiddenText()
  write(`\r\nUse all ${size}? [Y/n] `)
  const end = await untilQuiet(terminal, answer, () => undefined)
  if (isSignal(end)) return end
  const isYes = end === 'line' && /^(?:y|yes)?$/i.test(answer.text)
  write(isYes ? 'yes' : 'no')
  return isYes ? 'yes' : 'no'
}

/** Follow the keys until Enter, Ctrl-D or a signal, and until nothing more arrives. What comes after a signal or
 * Ctrl-D is dropped, so that the rest of a paste never reaches the shell.
 * @returns null: the terminal is gone */
function untilQuiet(
  terminal: ReadStream,
  text: HiddenText,
  show: (note: string) => void,
): Promise<TypingStep | null> {
  return new Promise((resolve) => {
    let last: TypingStep = 'more'
    let shown = ''
    let timer: NodeJS.Timeout | undefined
    const finish = (step: TypingStep | null): void => {
      terminal.off('keypress', onKey).off('error', onEnd).off('end', onEnd)
      resolve(step)
    }
    const onQuiet = (): void => {
      const isDone = last === 'end' || isSignal(last) || (last === 'line' && !text.isIncomplete)
      const note = noteOf(text)
      if (isDone) finish(last)
      else if (note !== shown && (last !== 'more' || text.text.includes('\n'))) show(note)
      shown = note
    }
    const onKey = (character: string | undefined, key: Key): void => {
      clearTimeout(timer)
      timer = setTimeout(onQuiet, QUIET_MS)
      if (last !== 'end' && !isSignal(last)) last = text.next(character, key)
    }
    const onEnd = (): void => finish(null)
    terminal.on('keypress', onKey).on('error', onEnd).on('end', onEnd)
  })
}

function noteOf({ size, isIncomplete }: HiddenText): string {
  return isIncomplete ? `${size}; paste the rest, or end with Ctrl-D` : size
}

/** Do what the terminal does at Ctrl-C, Ctrl-\ and Ctrl-Z. Returns when a stopped client continues. */
async function signalled(signal: Signal): Promise<void> {
  process.kill(process.platform === 'win32' ? process.pid : 0, signal) // 0: the whole process group
  // A listener runs later, and ends the client.
  if (signal !== 'SIGTSTP') await new Promise((resolve) => void setTimeout(resolve, ENDING_MS))
}
