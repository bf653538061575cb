import type { Holder, KeyVersion } from '../../lib/calls/answers.ts'
import { timeOfDay } from '../../lib/words/time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MONTH_DAYS = 31
/** What follows today, as a part of what is shown of the past. */
const TAIL = 0.12
/** An expiry that is further away, as a part of the past, is left to the words. */
const AHEAD = 0.4
/** Versions before the current one whose time is shown at most. */
const MOST_BEFORE = 4
const MOST_TICKS = 6

type Band = { version: number; setBy: string | null; isCurrent: boolean; from: number; to: number }

/** A line of time. Places on it are in per cent of its width. */
export type LifeLine = {
  at: (timestamp: string) => number
  today: number
  /** When the value expires or expired; null where that is not on the line. */
  expiry: number | null
  bands: Band[]
  ticks: { at: number; text: string }[]
}

type Life = {
  versions: readonly KeyVersion[]
  holders: readonly Holder[]
  expiresAt: string | null
  nowMs: number
}

/** The time from the version before the oldest one that a holder has until a little after today. */
export function lifeLine({ versions, holders, expiresAt, nowMs }: Life): LifeLine {
  const sorted = versions.toSorted((a, b) => a.version - b.version)
  const current = sorted.at(-1)?.version ?? 1
  const oldest = Math.min(current, ...holders.map(versionOf)) - 1
  const shown = sorted.filter(({ version }) => version >= Math.max(oldest, current - MOST_BEFORE))
  const firstMs = Date.parse(shown[0]?.set_at ?? new Date(nowMs).toISOString())
  const pastMs = Math.max(nowMs - firstMs, HOUR_MS)
  const startMs = nowMs - pastMs
  const expiryMs = expiresAt === null ? null : Date.parse(expiresAt)
  const isNear = expiryMs !== null && expiryMs > startMs && expiryMs < nowMs + pastMs * AHEAD
  const endMs = Math.max(nowMs + pastMs * TAIL, isNear ? expiryMs + pastMs * (TAIL / 2) : 0)
  const place = (ms: number) => Math.min(100, Math.max(0, ((ms - startMs) / (endMs - startMs)) * 100))
  const at = (timestamp: string) => place(Date.parse(timestamp))
  const bands = shown.map(({ version, set_by, set_at }, index): Band => {
    const next = shown[index + 1]
    const to = next === undefined ? 100 : at(next.set_at)
    return { version, setBy: set_by.name, isCurrent: next === undefined, from: at(set_at), to }
  })
  const ticks = ticksOf(startMs, nowMs).map(({ ms, text }) => ({ at: place(ms), text }))
  return { at, today: place(nowMs), expiry: isNear ? place(expiryMs) : null, bands, ticks }
}

/** The version that a holder has, or the one that it perhaps has. */
export function versionOf({ version, perhaps_version }: Holder): number {
  return version ?? perhaps_version ?? 0
}

/** At most six days, months or times of day, each at its beginning. */
function ticksOf(startMs: number, endMs: number): { ms: number; text: string }[] {
  const days = (endMs - startMs) / DAY_MS
  const { next, text } =
    days > 2 * MONTH_DAYS
      ? months(Math.ceil(days / MONTH_DAYS / MOST_TICKS))
      : days > 2
        ? everyDay(Math.ceil(days / MOST_TICKS))
        : hours(Math.ceil((days * 24) / MOST_TICKS))
  const ticks = []
  for (let ms = next(startMs); ms < endMs; ms = next(ms)) ticks.push({ ms, text: text(new Date(ms)) })
  return ticks
}

const months = (step: number) => ({
  next: (ms: number) => {
    const date = new Date(ms)
    return new Date(date.getFullYear(), date.getMonth() + step, 1).getTime()
  },
  text: (date: Date) =>
    date.toLocaleDateString(undefined, date.getMonth() < step ? { year: 'numeric' } : { month: 'short' }),
})

const everyDay = (step: number) => ({
  next: (ms: number) => {
    const date = new Date(ms)
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + step).getTime()
  },
  text: (date: Date) => date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' }),
})

const hours = (step: number) => ({
  next: (ms: number) => new Date(ms).setMinutes(0, 0, 0) + step * HOUR_MS,
  text: (date: Date) => timeOfDay(date.toISOString()),
})
