import { TIMES } from '@keyferry/contract'

/** The source of time and randomness for rules. It is an argument, so that tests decide both. */
export type ClockAndIds = {
  now: () => Date
  /** A UUID that no other record has. It keeps no secret. */
  newId: () => string
  /** A bearer token of 256 random bits. */
  newToken: () => string
}

/** The latest time at which something can have begun. What began later did so on a clock that was ahead, and has
 * ended. */
export function latestStart(now: string): string {
  return new Date(Date.parse(now) + TIMES.aheadSeconds * 1_000).toISOString()
}

/** The latest end that something of this length can have: see `latestStart`. */
export function latestEnd(clock: ClockAndIds, lengthSeconds: number): string {
  return latestStart(timestamp(clock, lengthSeconds))
}

/** ISO 8601 in UTC with milliseconds: the form in which times are stored and sent. */
export function timestamp(clock: ClockAndIds, addSeconds = 0): string {
  return new Date(clock.now().getTime() + addSeconds * 1000).toISOString()
}
