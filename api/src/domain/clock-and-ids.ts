/** Where a rule takes time and randomness from; handed in, so that a test decides both. */
export type ClockAndIds = {
  now: () => Date
  /** A random UUID. */
  newId: () => string
  /** A bearer token of 256 random bits. */
  newToken: () => string
}

/** ISO 8601 in UTC with milliseconds, the form in which times are stored and travel. */
export function timestamp(clock: ClockAndIds, addSeconds = 0): string {
  return new Date(clock.now().getTime() + addSeconds * 1000).toISOString()
}
