import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import {
  codeAdvice,
  remaining,
  requestVerb,
  type ShownRequest,
  subjectText,
  type WaitingView,
} from './waiting-view.ts'

const REMINDER_MS = 60_000

/** Plain lines for a log or a pipe: what to do, then one line a minute. */
export function plainView({ stderr, clock }: Parts): WaitingView {
  let stopReminding: (() => void) | null = null
  let waiting = { text: 'waiting', deadlineMs: 0 }
  const say = (line: string): void => stderr.write(`${line}\n`)
  const left = (): string => `${waiting.text}, ${remaining(waiting.deadlineMs - clock.monotonicMs())} left`
  return {
    requested: (request) => {
      waiting = { text: 'waiting', deadlineMs: request.deadlineMs }
      for (const line of requestLines(request)) say(line)
      say(`keyferry: ${left()}`)
      stopReminding = clock.every(REMINDER_MS, () => say(`keyferry: still ${left()}`))
    },
    trouble: (reason) => say(`keyferry: ${printable(reason, 120)}; trying again`),
    recovered: () => say('keyferry: connected again'),
    say: ({ text, waiting: next }) => {
      if (next) waiting = next
      say(`keyferry: ${next ? left() : text}`)
    },
    finished: ({ text, notes }) => {
      for (const line of [text, ...notes]) say(`keyferry: ${line}`)
    },
    dropped: () => undefined,
    end: () => stopReminding?.(),
  }
}

/** Only what a person needs to approve, and notes about the delivery. */
export function quietView({ stderr }: Parts): WaitingView {
  return {
    requested: ({ shownUrl, userCode }) =>
      stderr.write(`keyferry: approve at\n${shownUrl}\nkeyferry: check code ${userCode}\n`),
    trouble: () => undefined,
    recovered: () => undefined,
    say: ({ text, isMinor }) => {
      if (isMinor === undefined) stderr.write(`keyferry: ${text}\n`)
    },
    finished: ({ notes }) => {
      for (const note of notes) stderr.write(`keyferry: ${note}\n`)
    },
    dropped: () => undefined,
    end: () => undefined,
  }
}

const VERBS = {
  requesting: 'requesting',
  storing: 'asking to store',
  removing: 'asking to remove',
  listing: 'asking to list',
} as const

function requestLines(request: ShownRequest): string[] {
  const what = `${VERBS[requestVerb(request)]} ${request.kind === 'deposit' ? 'at' : 'from'}`
  return [
    `keyferry: ${what} ${request.server}: ${subjectText(request)}`,
    ...(request.whyNotRemembered === null ? [] : [`keyferry: asking again: ${request.whyNotRemembered}`]),
    'keyferry: approve at',
    request.shownUrl,
    `keyferry: check code ${request.userCode}: ${codeAdvice(request)}`,
    request.whyNotOpened === null
      ? 'keyferry: opened in the browser; approve there'
      : `keyferry: no browser opened, ${request.whyNotOpened}`,
  ]
}

/** JSON lines for machines. Each object has an `event`. Fields may be added, never changed or removed. */
export function jsonView({ stderr, clock }: Parts): WaitingView {
  const say = (event: string, fields: object): void =>
    stderr.write(`${JSON.stringify({ event, ...fields })}\n`)
  return {
    requested: (request) => {
      const { kind, removes = 0, server, bundle, workspace, keys } = request
      say('asked', {
        ...(kind === undefined ? {} : { kind }),
        server,
        bundle,
        workspace,
        keys,
        ...(removes === 0 ? {} : { removes }),
        approval_url: request.approvalUrl,
        user_code: request.userCode,
        expires_in: Math.round(request.lifetimeMs / 1000),
        seconds_left: Math.max(0, Math.ceil((request.deadlineMs - clock.monotonicMs()) / 1000)),
        asks_again: request.whyNotRemembered,
        browser: request.whyNotOpened === null ? 'opened' : 'not_opened',
      })
    },
    trouble: (reason) => say('trouble', { reason }),
    recovered: () => say('recovered', {}),
    say: ({ event: { event, ...fields } }) => say(event, fields),
    finished: ({ event: { event, ...fields } }) => say(event, fields),
    dropped: () => undefined,
    end: () => undefined,
  }
}
