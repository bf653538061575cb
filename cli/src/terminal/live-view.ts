import { environmentKind } from '@keyferry/contract/siblings'
import type { Output, Parts } from '../base/parts.ts'
import { plainPunctuation, printable, wrap } from '../base/printable.ts'
import { NO_OPEN } from './browser.ts'
import { besideOrBelow, panel, qrCode, widthOf } from './panel.ts'
import { type TerminalStyle, terminalStyle } from './terminal-style.ts'
import { remaining, requestVerb, type ShownRequest, subjectText, type WaitingView } from './waiting-view.ts'

const SLOW_AFTER_MS = 60_000
/** Where the countdown ends; further to the left on a narrow terminal. */
const COUNTDOWN_END = 76
const TRYING = '; trying again'

/** The view for a person at a terminal: a panel that says what is requested and where to approve it. Its last line
 * counts down in place: a line above could not be found again after Ctrl-Z or on a resized terminal. At the end, one
 * line replaces the panel. The view reads nothing from the keyboard: what the person types belongs to the program, but
 * for a code that the page shows. */
export function liveView(parts: Parts): WaitingView {
  const { stderr, clock, env, platform } = parts
  const style = terminalStyle(stderr, env, platform)
  const line = statusLine(stderr, style)
  let shown: ReturnType<typeof panel> | null = null
  let request: ShownRequest | null = null
  let status = { text: '', deadlineMs: 0 }
  let trouble: string | null = null
  let stop: (() => void) | null = null
  const tick = (): void => {
    const text = trouble === null ? status.text : `${style.waits} ${trouble}${TRYING}`
    line.show(text, remaining(status.deadlineMs - clock.monotonicMs()))
  }
  const start = (): void => {
    stop?.()
    tick()
    stop = clock.every(style.canRewrite ? 1000 : SLOW_AFTER_MS, tick)
  }
  const draw = (lines: readonly string[], last: string): void => {
    line.clear()
    if (style.canRewrite) shown?.erase()
    const isWide = widthOf(last) > lastLineWidth(stderr)
    const whole = isWide ? [...lines, ...wrap(last, stderr.columns() - 3).map((part) => `  ${part}`)] : lines
    shown = panel(whole.map((each) => `${each}\n`).join(''), stderr)
    status = { ...status, text: isWide ? '' : last }
    start()
  }
  const drop = (): void => {
    line.clear()
    if (style.canRewrite) shown?.erase()
    shown = null
  }
  return {
    requested: (asked) => {
      request = asked
      status = { ...status, deadlineMs: asked.deadlineMs }
      draw(
        ['', ...headLines(asked, stderr, style), ...wayLines(asked, stderr, style)],
        lastLine(asked, style),
      )
    },
    trouble: (reason) => {
      const around = widthOf(`${style.waits} ${TRYING}`)
      trouble = printable(reason, Math.max(1, lastLineWidth(stderr) - around))
    },
    recovered: () => {
      trouble = null
    },
    say: ({ text, event, isQuestion, waiting }) => {
      if (waiting && request !== null) {
        status = { ...status, deadlineMs: waiting.deadlineMs }
        const support =
          event.event === 'second_approval_needed' ? [`  ${style.done} one person approved`] : []
        const link = besideOrBelow(
          [`Send this link:`, request.shownUrl].map(plain(style.dim)),
          stderr.columns(),
          ' ',
        )
        draw(
          ['', ...headLines(request, stderr, style), ...support, ...link],
          `${style.waits} ${waiting.text}`,
        )
        return
      }
      if (isQuestion) stop?.() // the line belongs to the answer
      line.clear()
      if (isQuestion && status.text !== '') stderr.write(`  ${status.text}\n`)
      shown = null // a line below the panel stays readable
      for (const part of wrap(sentence(text), stderr.columns() - 2)) stderr.write(`  ${part}\n`)
    },
    finished: ({ text, notes, bundle = null }) => {
      drop()
      const place =
        bundle === null ? text : text.replace(bundle, style.place(bundle, environmentKind(bundle)))
      stderr.write(`${style.done} ${place}\n`)
      for (const note of notes) stderr.write(`${style.warns} ${note}\n`)
    },
    dropped: drop,
    end: () => {
      stop?.()
      line.clear()
    },
  }
}

const plain = (paint: (text: string) => string) => (text: string) => ({ text, paint })

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const lastLineWidth = ({ columns }: Output): number =>
  Math.min(COUNTDOWN_END, columns() - 1) - '  '.length - ' 29:59'.length

function statusLine(output: Output, style: TerminalStyle) {
  let isShown = false
  return {
    show: (text: string, countdown: string): void => {
      const gap = Math.min(COUNTDOWN_END, output.columns() - 1) - widthOf(text) - 2 - countdown.length
      const cut = gap > 0 ? text : ''
      const blanks = ' '.repeat(Math.max(0, cut === text ? gap : 0))
      const line = `  ${cut}${style.canRewrite ? blanks : text === '' ? '' : '  '}${style.dim(countdown)}`
      const fitting = style.hasUnicode ? line : plainPunctuation(line)
      output.write(style.canRewrite ? `\r\x1b[2K${fitting}` : `${fitting}\n`)
      isShown = true
    },
    clear: (): void => {
      if (style.canRewrite && isShown) output.write('\r\x1b[2K')
      isShown = false
    },
  }
}

const VERBS = { storing: 'store', removing: 'remove', listing: 'list' } as const

/** What is requested: the command and its bundle, or what is stored or listed. */
function headLines(request: ShownRequest, output: Output, style: TerminalStyle): string[] {
  const { bundle, agent, reason } = request
  const verb = requestVerb(request)
  // Only the server knows what an owner says of the bundle.
  const kind = bundle === null ? null : environmentKind(bundle)
  const about = subjectText(request)
  const command = verb === 'requesting' ? printable(request.command, 200) : `${VERBS[verb]} ${about}`
  const inColour = (text: string): string => (kind === 'dev' ? style.dim(text) : style.place(text, kind))
  const { columns } = output
  const cells = [
    ...(kind === 'prod' ? ['PRODUCTION'].map(plain(() => style.production)) : []),
    ...[command].map(plain(style.bold)),
    ...(verb === 'requesting' ? [about].map(plain(inColour)) : []),
  ]
  return [
    ...besideOrBelow(cells, columns()),
    ...(agent === null ? [] : agentLines(agent, reason, columns()).map(style.yellow)),
    ...(request.whyNotRemembered === null
      ? []
      : wrap(`Asks again: ${request.whyNotRemembered}.`, columns() - 3).map(
          (part) => `  ${style.dim(part)}`,
        )),
  ]
}

function agentLines(agent: string, reason: string | null, columns: number): string[] {
  const text =
    reason === null ? `for ${printable(agent, 80)}` : `for ${printable(agent, 80)}: ${printable(reason, 300)}`
  return wrap(text, columns - 3).map((part) => `  ${part}`)
}

/** The link, quietly where a browser was opened. Never wrapped, so that terminals recognise it. */
function wayLines(request: ShownRequest, output: Output, style: TerminalStyle): string[] {
  const { whyNotOpened, shownUrl, hidesQrCode } = request
  if (whyNotOpened === null) return ['  Opened in your browser. Approve there.', `  ${style.dim(shownUrl)}`]
  const qr = hidesQrCode ? [] : ['', ...qrCode(shownUrl, output, style)]
  const why = whyNotOpened === NO_OPEN ? '' : `No browser opened: ${whyNotOpened}.`
  const lines = why === '' ? [] : wrap(why, output.columns() - 3).map((part) => `  ${style.dim(part)}`)
  return [`  ${shownUrl}`, ...qr, ...lines, '']
}

function lastLine({ kind, whyNotOpened, userCode }: ShownRequest, style: TerminalStyle): string {
  if (whyNotOpened === null && kind === 'deposit')
    return style.dim('On another device: stop, and add --no-open.')
  return whyNotOpened === null
    ? style.dim(`On another device, its page must show ${userCode}.`)
    : `Open it on any device. Its page must show ${style.bold(userCode)}`
}
