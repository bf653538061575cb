import { serverNowMs } from '../calls/server-clock.ts'
import { counted } from './counted.ts'

/** `4:07` for 247,300 ms; rounds up, so that 0:00 means over. */
export function clockTime(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

// `carryMs`: what is at most so much less than one of the unit rounds to one of it, not to 60 of the next smaller unit.
const STEPS = [
  { unit: 'day', ms: 86_400_000, carryMs: 1_800_000 },
  { unit: 'hour', ms: 3_600_000, carryMs: 30_000 },
  { unit: 'minute', ms: 60_000, carryMs: 500 },
  { unit: 'second', ms: 1_000, carryMs: 0 },
] as const

/** `just now`, `12 seconds ago`, `3 days ago`: how long before `nowMs` the ISO timestamp was. */
export function ago(timestamp: string, nowMs = serverNowMs()): string {
  const elapsed = nowMs - Date.parse(timestamp)
  const step = STEPS.find(({ ms }) => elapsed >= ms)
  if (step === undefined || elapsed < 5_000) return 'just now'
  const count = Math.floor(elapsed / step.ms)
  return `${counted(count, step.unit)} ago`
}

const SHORT = { day: 'd', hour: 'h', minute: 'min' } as const

/** How long ago a time was, where there is little room: `2 d`, `5 h`, `12 min`, `now`. */
export function shortAge(timestamp: string, nowMs = serverNowMs()): string {
  const elapsed = nowMs - Date.parse(timestamp)
  const step = STEPS.find(({ ms }) => elapsed >= ms)
  return step === undefined ? 'now' : shortTime(Math.floor(elapsed / step.ms), step.unit)
}

/** How far ahead a time is, as `shortAge` writes it; the same count as `ahead`. */
export function shortUntil(timestamp: string, nowMs = serverNowMs()): string {
  const left = aheadBy(timestamp, nowMs)
  return left === null ? 'now' : shortTime(left.count, left.unit)
}

type Unit = (typeof STEPS)[number]['unit']

function shortTime(count: number, unit: Unit): string {
  return unit === 'second' ? 'now' : `${count} ${SHORT[unit]}`
}

/** Whether a time was at most so many days ago. */
export function isWithinDays(timestamp: string, days: number, nowMs = serverNowMs()): boolean {
  return nowMs - Date.parse(timestamp) <= days * 86_400_000
}

/** An ISO timestamp as the reader's own locale writes it, with 24 hours as everywhere. */
export function dateTime(timestamp: string): string {
  return new Date(timestamp).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  })
}

/** `in 3 days`, `in a moment`: how long after `nowMs` the ISO timestamp is. It rounds to the nearest count, so that a
 * time that was chosen as 8 hours does not read 7 hours a second later. */
export function ahead(timestamp: string, nowMs = serverNowMs()): string {
  const left = aheadBy(timestamp, nowMs)
  return left === null ? 'in a moment' : `in ${counted(left.count, left.unit)}`
}

function aheadBy(timestamp: string, nowMs: number): { count: number; unit: Unit } | null {
  const left = Date.parse(timestamp) - nowMs
  const step = STEPS.find(({ ms, carryMs }) => left >= ms - carryMs)
  return step === undefined ? null : { count: Math.round(left / step.ms), unit: step.unit }
}

/** The time of day of an ISO timestamp in the reader's time zone, for example `09:05`. */
export function timeOfDay(timestamp: string, { seconds = false } = {}): string {
  return new Date(timestamp).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
    hourCycle: 'h23',
  })
}

/** The day of an ISO timestamp in the reader's time zone: `Today`, `Yesterday`, or the date in words. */
export function dayName(timestamp: string, nowMs = serverNowMs()): string {
  const day = new Date(timestamp).toDateString()
  if (day === new Date(nowMs).toDateString()) return 'Today'
  const yesterday = new Date(nowMs)
  yesterday.setDate(yesterday.getDate() - 1)
  if (day === yesterday.toDateString()) return 'Yesterday'
  return new Date(timestamp).toLocaleDateString(undefined, { dateStyle: 'full' })
}

/** The day of an ISO timestamp in the reader's time zone, for example `5 Dec`; with the year, if it is another one. */
export function shortDay(timestamp: string, nowMs = serverNowMs()): string {
  const date = new Date(timestamp)
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear()
  return date.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
}
