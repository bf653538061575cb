import { stripVTControlCharacters } from 'node:util'
import { renderUnicodeCompact } from 'uqr'
import type { Output, Parts } from '../base/parts.ts'
import { hanging, plainPunctuation, printable, wrap } from '../base/printable.ts'
import { type TerminalStyle, terminalStyle } from './terminal-style.ts'
import {
  type Notice,
  remaining,
  requestVerb,
  type ShownRequest,
  subjectText,
  type WaitingView,
} from './waiting-view.ts'

const SLOW_AFTER_MS = 60_000

/** The view for a person at a terminal: a panel that says what is requested and where to approve it, and one line that
 * counts down in place. After the approval, one line replaces the panel. The view reads nothing from the keyboard: what
 * the person types belongs to the program, but for a code that the page shows. */
export function liveView(parts: Parts): WaitingView {
  const { stderr, clock, env, platform } = parts
  const style = terminalStyle(stderr, env, platform)
  const line = statusLine(parts, style)
  let shown: ReturnType<typeof panel> | null = null
  let stop: (() => void) | null = null
  let trouble: string | null = null
  let waiting: Notice['waiting']
  let tick: (() => void) | null = null
  const say = (text: string): void => {
    line.clear()
    shown = null // a line below the panel stays readable
    for (const part of wrap(text, stderr.columns() - 2)) stderr.write(`  ${part}\n`)
  }
  const start = (): void => {
    stop?.()
    tick?.()
    stop = clock.every(style.canRewrite ? 1000 : SLOW_AFTER_MS, () => tick?.())
  }
  return {
    requested: (request) => {
      shown = panel(requestText(request, parts, style), stderr)
      tick = () => line.show(statusText({ ...request, waiting }, clock.monotonicMs(), trouble))
      start()
    },
    trouble: (reason) => {
      trouble = printable(reason, 60)
    },
    recovered: () => {
      trouble = null
    },
    say: ({ text, isQuestion, waiting: next }) => {
      waiting = next ?? waiting
      if (next) return start()
      if (isQuestion) stop?.() // the line belongs to the answer
      say(sentence(text))
    },
    finished: ({ text, notes }) => {
      line.clear()
      if (style.canRewrite) shown?.erase()
      stderr.write(`${style.bold('✓')} ${text}\n`)
      for (const note of notes) stderr.write(`  ${note}\n`)
    },
    end: () => {
      stop?.()
      line.clear()
    },
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

function statusLine({ stderr }: Parts, style: TerminalStyle) {
  let shown = ''
  return {
    show: (text: string): void => {
      const fitting = style.hasUnicode ? text : plainPunctuation(text)
      if (!style.canRewrite) stderr.write(`${fitting}\n`)
      else stderr.write(`\r\x1b[2K${style.dim(fitting.slice(0, stderr.columns() - 1))}`)
      shown = fitting
    },
    clear: (): void => {
      if (style.canRewrite && shown !== '') stderr.write('\r\x1b[2K')
      shown = ''
    },
  }
}

type WaitingRequest = ShownRequest & { waiting: Notice['waiting'] | undefined }

function statusText({ waiting, ...request }: WaitingRequest, nowMs: number, trouble: string | null): string {
  if (waiting) {
    const { text, deadlineMs } = waiting
    const what = `  ${text.charAt(0).toUpperCase()}${text.slice(1)}: ${remaining(deadlineMs - nowMs)}`
    return trouble === null ? `${what} · Ctrl-C stops` : `${what} · ${trouble}; trying again`
  }
  const left = `  ${remaining(request.deadlineMs - nowMs)} left`
  if (trouble !== null) return `${left} · ${trouble}; trying again`
  const isSlow = nowMs > request.deadlineMs - request.lifetimeMs + SLOW_AFTER_MS
  const isToBeSeen = isSlow && request.whyNotOpened !== null
  return isToBeSeen ? `${left} · is ${request.userCode} on the page?` : `${left} · Ctrl-C stops`
}

const VERBS = {
  requesting: 'requests',
  storing: 'wants to store',
  removing: 'wants to remove',
  listing: 'wants to list',
} as const

function requestText(request: ShownRequest, { stderr }: Parts, style: TerminalStyle): string {
  const qr = request.hidesQrCode ? null : qrCode(request.shownUrl, stderr, style)
  const lines = (start: string, text: string): string =>
    hanging(start, text, stderr.columns())
      .map((line) => `${line}\n`)
      .join('')
  return [
    `${style.bold('Keyferry')} ${VERBS[requestVerb(request)]} ${style.bold(subjectText(request))}\n`,
    lines('  for     ', printable(request.command, 200)),
    lines('  server  ', request.server),
    ...(request.whyNotRemembered === null ? [] : [lines('  again   ', request.whyNotRemembered)]),
    '\n  Approve at\n',
    `  ${request.shownUrl}\n\n`, // never wrapped, so that terminals recognise the link
    ...(qr === null ? [] : [qr, '\n']),
    ...howToApprove(request, style).map((text) => lines('  ', text)),
  ].join('')
}

function howToApprove(
  { kind, whyNotOpened, userCode, isCodeTyped }: ShownRequest,
  style: TerminalStyle,
): string[] {
  const code = `${userCode}${isCodeTyped ? ', or ask you to type it' : ''}`
  if (whyNotOpened === null && kind === 'deposit')
    return [
      'Opened in your browser. Approve there.',
      style.dim('On another device: stop, and add --no-open.'),
    ]
  return whyNotOpened === null
    ? ['Opened in your browser. Approve there.', style.dim(`On another device, its page must show ${code}.`)]
    : [
        `Open the link in a browser; its page must show ${code}.`,
        style.dim(`No browser opened: ${whyNotOpened}.`),
      ]
}

const QUIET_ZONE = 2
const LINES_BESIDE = 14

/** The address as a QR code for a phone; null if the terminal is too small or has no block characters. */
function qrCode(address: string, { columns, rows }: Output, style: TerminalStyle): string | null {
  if (!style.canRewrite || !style.hasUnicode) return null
  const lines = renderUnicodeCompact(address, { border: QUIET_ZONE, ecc: 'L' }).split('\n')
  const width = lines[0]?.length ?? 0
  if (columns() < width + 4 || rows() < lines.length + LINES_BESIDE) return null
  // Explicit colours, so that a light theme does not invert the code.
  return lines.map((line) => `  ${style.hasColour ? `\x1b[97;40m${line}\x1b[0m` : line}\n`).join('')
}

/** Write lines that can be erased later.
 * @param text whole lines, with colours at most */
export function panel(text: string, output: Output) {
  const columns = output.columns()
  output.write(text)
  return {
    /** Remove the panel, if it is unchanged on the screen. Call only while nothing was written after it. */
    erase: (): void => {
      const rows = rowsOf(text, columns)
      // A resized terminal wraps the lines anew; what has scrolled off the screen cannot be reached.
      if (output.columns() !== columns || rows >= output.rows()) return
      output.write(`\x1b[${rows}A\r\x1b[J`)
    },
  }
}

function rowsOf(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n').slice(0, -1)
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(Array.from(line).length / columns)), 0)
}
