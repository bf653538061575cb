let offsetMs = 0

/** Take the time from an answer's `Date` header, so that a countdown is right on a machine whose clock is not. */
export function noteServerTime(dateHeader: string | null, nowMs = Date.now()): void {
  const serverMs = dateHeader === null ? Number.NaN : Date.parse(dateHeader)
  if (!Number.isNaN(serverMs) && Math.abs(serverMs - nowMs) > 2_000) offsetMs = serverMs - nowMs
  else if (!Number.isNaN(serverMs)) offsetMs = 0
}

/** The server's time in milliseconds since 1970, true to about a second. */
export function serverNowMs(nowMs = Date.now()): number {
  return nowMs + offsetMs
}
