import { TIMES } from '@keyferry/contract'

/*
 * A value may have a time at which it expires, and a number of days after which it should be replaced. Both are
 * reminders: lists, the approval page and the client warn, and deliveries go on.
 */

/** `expires_at`: ISO timestamp. `rotate_after_days`: counted from the last change of the value. */
export type Lifetime = { expires_at: string | null; rotate_after_days: number | null }

/** What a key's row tells about its lifetime; `rotate_at`: ISO timestamp. */
export type Deadlines = { expires_at: string | null; rotate_at: string | null }

const DAY_MS = 24 * 60 * 60 * 1_000

/** The fields that are given, with the time in the form in which times are stored. */
export function normalLifetime({
  expires_at,
  rotate_after_days,
}: {
  [Field in keyof Lifetime]?: Lifetime[Field] | undefined
}): Partial<Lifetime> {
  return {
    ...(expires_at === undefined ? {} : { expires_at: expires_at && new Date(expires_at).toISOString() }),
    ...(rotate_after_days === undefined ? {} : { rotate_after_days }),
  }
}

/** When a value was set here. Of a moved value: when it last changed on the other server, as the file says. */
type LastChange = { value_set_at: string; value_changed_elsewhere_at: string | null }

/** When a value should be replaced. A move does not make a value younger. */
export function rotationTime(
  { value_set_at, value_changed_elsewhere_at }: LastChange,
  days: number | null,
): string | null {
  const changedAt = Date.parse(value_changed_elsewhere_at ?? value_set_at)
  return days === null ? null : new Date(changedAt + days * DAY_MS).toISOString()
}

/** What is due: values that expire, or should be replaced, until then. ISO timestamps. */
export type DueBy = { expiresBy: string; rotateBy: string }

/** What is due at this time, as `dueOf` says, or will be within so many days. */
export function dueBy(now: Date, withinDays = 0): DueBy {
  const then = new Date(now.getTime() + withinDays * DAY_MS).toISOString()
  return { expiresBy: then > soon(now) ? then : soon(now), rotateBy: then }
}

/** When a value expires or should be replaced, whichever comes first. */
export function dueTime({ expires_at, rotate_at }: Deadlines): string | null {
  return [expires_at, rotate_at].filter((at) => at !== null).toSorted()[0] ?? null
}

/** Why a value should be replaced at this time; the most urgent reason, or null. */
export function dueOf(
  { expires_at, rotate_at }: Deadlines,
  now: Date,
): 'expired' | 'expiring' | 'rotate' | null {
  if (expires_at !== null && expires_at <= now.toISOString()) return 'expired'
  if (expires_at !== null && expires_at <= soon(now)) return 'expiring'
  return rotate_at !== null && rotate_at <= now.toISOString() ? 'rotate' : null
}

/** A value that expires until then is shown as expiring. */
function soon(now: Date): string {
  return new Date(now.getTime() + TIMES.expiringSeconds * 1_000).toISOString()
}
