let factor = 1

/** Multiply the time limits of calls to the database, to Redis and to the API (setting TIME_LIMIT_FACTOR). It counts in
 * the whole process, for connections that are made afterwards. */
export function multiplyTimeLimits(by: number): void {
  factor = by
}

/** A time limit in milliseconds, multiplied for a slow machine or network. */
export function timeLimit(milliseconds: number): number {
  return milliseconds * factor
}
