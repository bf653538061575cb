/** The source of time and randomness for rules. It is an argument, so that tests decide both. */
export type ClockAndIds = {
  now: () => Date
  /** A UUID that no other record has. It keeps no secret. */
  newId: () => string
  /** A bearer token of 256 random bits. */
  newToken: () => string
}

/** ISO 8601 in UTC with milliseconds: the form in which times are stored and sent. */
export function timestamp(clock: ClockAndIds, addSeconds = 0): string {
  return new Date(clock.now().getTime() + addSeconds * 1000).toISOString()
}
