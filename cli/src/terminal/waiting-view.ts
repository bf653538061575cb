import { shortList } from '../base/import-actions.ts'
import type { PendingRequest, WaitedFor } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'

/** What a person has to know while a request is pending. Contains no value. */
export type ShownRequest = Pick<
  PendingRequest,
  'server' | 'approvalUrl' | 'shownUrl' | 'userCode' | 'lifetimeMs' | 'deadlineMs' | 'whyNotRemembered'
> & {
  /** Absent: values are requested. */
  readonly kind?: 'deposit' | 'names'
  readonly bundle: string | null
  readonly workspace: string | null
  readonly keys: readonly string[]
  /** How many of them a deposit removes. */
  readonly removes?: number
  /** The command line that will get the values. */
  readonly command: string
  /** The AI agent that started the command, and what it says; null: none. */
  readonly agent: string | null
  readonly reason: string | null
  readonly hidesQrCode: boolean
  /** Why no browser was opened; null if one was. */
  readonly whyNotOpened: string | null
}

/** Something that happens while a request is pending. */
export type Notice = {
  /** The JSON line of it, for a machine. */
  readonly event: Readonly<Record<string, unknown>> & { readonly event: string }
  readonly text: string
  /** Left out where only what is needed is printed. */
  readonly isMinor?: true
  /** What the countdown says from now on, and when it ends, as a monotonic time. */
  readonly waiting?: { readonly text: string; readonly deadlineMs: number }
  /** The person answers below it. */
  readonly isQuestion?: true
}

/** What came of an approved request. `notes`: what else the person should know, one line for each point. */
export type WaitingOutcome = Notice & {
  readonly notes: readonly string[]
  /** The name of the bundle, as `text` has it; null or absent: none. */
  readonly bundle?: string | null
}

/** Shows progress on stderr, for a person at a terminal, a log or a machine. */
export type WaitingView = {
  readonly requested: (request: ShownRequest) => void
  readonly trouble: (reason: string) => void
  readonly recovered: () => void
  readonly say: (notice: Notice) => void
  readonly finished: (outcome: WaitingOutcome) => void
  /** The request ended without an approval: an error replaces what is shown of it. */
  readonly dropped: () => void
  /** Restore the terminal. May be called at any time, and more than once. */
  readonly end: () => void
}

/** Minutes and seconds, as a countdown shows them: `4:59`. */
export function remaining(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** What is requested, or to be stored, in words. */
export function subjectText({ bundle, workspace, keys, kind, removes = 0 }: ShownRequest): string {
  if (kind === 'names')
    return bundle === null
      ? `the bundles${inWorkspace(workspace)}`
      : `the variables of ${bundle}${inWorkspace(workspace)}`
  const place = `${bundle ?? 'a bundle that the approver chooses'}${inWorkspace(workspace)}`
  if (kind === 'deposit') {
    const stored = keys.length - removes
    return changedIn(place, keys.slice(0, stored), keys.slice(stored))
  }
  return keys.length === 0 ? place : `${keys.join(', ')} of ${place}`
}

function changedIn(place: string, stores: readonly string[], removes: readonly string[]): string {
  if (stores.length === 0) return `${counted(removes)} from ${place}`
  const removed = removes.length === 0 ? '' : `, and remove ${removes.length} (${shortList(removes)})`
  return `${counted(stores)} in ${place}${removed}`
}

function counted(names: readonly string[]): string {
  const { length } = names
  return `${length} ${length === 1 ? 'variable' : 'variables'} (${shortList(names)})`
}

/** What the client does at the server. A deposit that only removes names is `removing`. */
export function requestVerb({ kind, keys, removes = 0 }: ShownRequest) {
  if (kind === 'names') return 'listing'
  if (kind !== 'deposit') return 'requesting'
  return keys.length === removes ? 'removing' : 'storing'
}

/** What to do with the check code. A page that sends the approval back to this computer shows none. */
export function codeAdvice({ whyNotOpened }: ShownRequest): string {
  return whyNotOpened === null
    ? 'if the page shows a code, it must be the same'
    : 'the page must show the same'
}

/** No person is asked: `approved before; 47 more times until 18:30`. */
export function rememberedNotice({
  usesLeft,
  expiresAtMs,
  isTask,
}: NonNullable<PendingRequest['remembered']>): Notice {
  const more = `${usesLeft} more ${usesLeft === 1 ? 'time' : 'times'} until ${timeOfDay(expiresAtMs)}`
  const expires_at = new Date(expiresAtMs).toISOString()
  return {
    event: { event: 'remembered', uses_left: usesLeft, expires_at, ...(isTask ? { task: true } : {}) },
    text: isTask
      ? `task: ${more}; keyferry forget ends everything this terminal remembers`
      : `approved before; ${more}`,
    isMinor: true,
  }
}

/** In the time zone of this computer: `18:30`. */
export function timeOfDay(ms: number): string {
  const time = new Date(ms)
  return `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`
}

/** No browser has come for some seconds. It may still start, or be on another machine, from where it cannot return the
 * approval to this client. */
export const NOT_REACHED: Notice = {
  event: { event: 'browser_elsewhere' },
  text: 'no browser here has opened the page yet; if none does, open the link yourself',
}

/** As `NOT_REACHED`, where no code is taken. */
export const NOT_REACHED_ONLY_HERE: Notice = {
  event: { event: 'browser_elsewhere' },
  text: 'no browser here has opened the page yet; to approve on another computer, stop and add --no-open',
}

/** For an agent, whose harness stops commands that wait. */
export const IF_STOPPED: Notice = {
  event: { event: 'may_leave' },
  text: 'if this stops, run the same command again; after a yes it starts at once',
}

/** Another person has to approve. */
export function otherNeeded({ who, count, deadlineMs }: WaitedFor, nowMs: number): Notice {
  const seconds_left = deadlineMs === null ? {} : { seconds_left: Math.ceil((deadlineMs - nowMs) / 1000) }
  const event =
    who === 'second'
      ? { event: 'second_approval_needed', ...seconds_left }
      : { event: 'approver_needed', approvers: who, count, ...seconds_left }
  const can = count === null ? '' : ` (${NUMBERS[count] ?? count} can decide)`
  const waiting = `waiting for ${OTHERS[who]}${can}`
  if (deadlineMs !== null) return { event, text: waiting, waiting: { text: waiting, deadlineMs } }
  return { event, text: who === 'second' ? 'one person approved; this bundle needs a second one' : waiting }
}

const OTHERS = {
  second: 'a second person',
  owner: 'an owner',
  named: 'a person whom the rules name',
} as const

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** The approval, or what the person says of it, waits for the code that the page shows.
 * @param command what takes the code in another shell; null: it is typed here */
export function codeNeeded(command: string | null): Notice {
  return {
    event: { event: 'release_needed', by: 'code', command },
    text:
      command === null
        ? 'do not share the code of the page'
        : `run ${command} with the code from the page. Do not share the code`,
    ...(command === null ? { isQuestion: true } : {}),
  }
}

export function codeRefused(reason: string): Notice {
  return { event: { event: 'release_refused', reason }, text: reason }
}

/** Text such as ` in workspace "Acme"`; empty without one. */
export function inWorkspace(name: string | null): string {
  return name === null ? '' : ` in workspace "${printable(name, 80)}"`
}
