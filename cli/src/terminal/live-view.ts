import type { Parts } from '../ground/parts.ts'
import { plainPunctuation, printable } from '../ground/printable.ts'
import { wrap } from '../ground/wrap.ts'
import { type Panel, panel } from './panel.ts'
import { qrCode } from './qr.ts'
import { type TerminalStyle, terminalStyle } from './terminal-style.ts'
import {
  type Asked,
  askedFor,
  askingVerb,
  codeNeededText,
  deliveredText,
  deliveryNotes,
  listedText,
  listNotes,
  NOT_REACHED,
  remaining,
  rememberedText,
  SECOND_NEEDED,
  storedText,
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
  let shown: Panel | null = null
  let stop: (() => void) | null = null
  let trouble: string | null = null
  const say = (text: string): void => {
    line.clear()
    shown = null // a line below the panel stays readable
    for (const part of wrap(text, stderr.columns() - 2)) stderr.write(`  ${part}\n`)
  }
  return {
    asked: (asked) => {
      shown = panel(askedText(asked, parts, style), stderr)
      const tick = (): void => line.show(statusText(asked, clock.monotonicMs(), trouble))
      tick()
      stop = style.canRewrite ? clock.every(1000, tick) : clock.every(SLOW_AFTER_MS, tick)
    },
    remembered: (approval) => say(sentence(rememberedText(approval))),
    trouble: (reason) => {
      trouble = printable(reason, 60)
    },
    recovered: () => {
      trouble = null
    },
    notReached: () => say(sentence(NOT_REACHED)),
    codeNeeded: (command) => {
      if (command === null) stop?.() // the line belongs to the answer
      say(sentence(codeNeededText(command)))
    },
    codeRefused: (reason) => say(sentence(reason)),
    secondNeeded: () => say(sentence(SECOND_NEEDED)),
    delivered: (received) => {
      line.clear()
      if (style.canRewrite) shown?.erase()
      stderr.write(`${style.bold('Keyferry')} ${deliveredText(received)}\n`)
      for (const note of deliveryNotes(received)) stderr.write(`  ${note}\n`)
    },
    stored: (stored) => {
      line.clear()
      if (style.canRewrite) shown?.erase()
      stderr.write(`${style.bold('Keyferry')} ${storedText(stored)}\n`)
    },
    listed: (list) => {
      line.clear()
      if (style.canRewrite) shown?.erase()
      stderr.write(`${style.bold('Keyferry')} ${listedText(list)}\n`)
      for (const note of listNotes(list)) stderr.write(`  ${note}\n`)
    },
    end: () => {
      stop?.()
      line.clear()
    },
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

type StatusLine = { show(text: string): void; clear(): void }

function statusLine({ stderr }: Parts, style: TerminalStyle): StatusLine {
  let shown = ''
  return {
    show: (text) => {
      const fitting = style.hasUnicode ? text : plainPunctuation(text)
      if (!style.canRewrite) stderr.write(`${fitting}\n`)
      else stderr.write(`\r\x1b[2K${style.dim(fitting.slice(0, stderr.columns() - 1))}`)
      shown = fitting
    },
    clear: () => {
      if (style.canRewrite && shown !== '') stderr.write('\r\x1b[2K')
      shown = ''
    },
  }
}

function statusText(asked: Asked, nowMs: number, trouble: string | null): string {
  const left = `  ${remaining(asked.deadlineMs - nowMs)} left`
  if (trouble !== null) return `${left} · ${trouble}; trying again`
  const isSlow = nowMs > asked.deadlineMs - asked.lifetimeMs + SLOW_AFTER_MS
  return isSlow ? `${left} · is ${asked.userCode} on the page?` : `${left} · Ctrl-C stops`
}

const VERBS = { requesting: 'requests', storing: 'stores', removing: 'removes', listing: 'lists' } as const

function askedText(asked: Asked, { stderr }: Parts, style: TerminalStyle): string {
  const qr = asked.hidesQrCode ? null : qrCode(asked.approvalUrl, stderr, style)
  const lines = (start: string, text: string): string => indented(start, text, stderr.columns())
  return [
    `${style.bold('Keyferry')} ${VERBS[askingVerb(asked)]} ${style.bold(askedFor(asked))}\n`,
    lines('  for     ', printable(asked.command, 200)),
    lines('  server  ', asked.server),
    ...(asked.asksAgain === null ? [] : [lines('  again   ', asked.asksAgain)]),
    '\n  Approve at\n',
    `  ${asked.approvalUrl}\n\n`, // never wrapped, so that terminals recognise the link
    ...(qr === null ? [] : [qr, '\n']),
    `  Check code  ${style.bold(asked.userCode)}\n`,
    lines(
      '  ',
      asked.isCodeTyped
        ? 'The page shows the same code, or asks you to type it.'
        : 'The page must show the same code.',
    ),
    lines(
      '  ',
      asked.whyNotOpened === null ? 'Opened in your browser.' : `No browser opened: ${asked.whyNotOpened}.`,
    ),
  ].join('')
}

function indented(start: string, text: string, columns: number): string {
  return wrap(text, columns - start.length)
    .map((line, index) => `${index === 0 ? start : ' '.repeat(start.length)}${line}\n`)
    .join('')
}
