/*
 * Events wait in the outbox until they are appended. A tenant whose events are not appended in time raises an alarm;
 * one with far too many may make no more changes, because a change without its event is not allowed.
 */

/** `alarm`, `alarmAgeMs`: from here /readyz warns of the audit log; `full`: from here changes are refused. */
export const BACKLOG = { alarm: 10_000, full: 100_000, alarmAgeMs: 60_000 }

/** Waiting events of one tenant; `oldest`: when the first of them was written. */
export type Waiting = { tenantId: string; count: number; oldest: string }

/** The tenants whose events are late, and those that may make no more. */
export function backlogOf(
  waiting: readonly Waiting[],
  now: Date,
): { late: ReadonlySet<string>; full: ReadonlySet<string> } {
  const oldestAllowed = new Date(now.getTime() - BACKLOG.alarmAgeMs).toISOString()
  const late = waiting.filter(({ count, oldest }) => count > BACKLOG.alarm || oldest < oldestAllowed)
  const full = waiting.filter(({ count }) => count > BACKLOG.full)
  return { late: idsOf(late), full: idsOf(full) }
}

function idsOf(waiting: readonly Waiting[]): ReadonlySet<string> {
  return new Set(waiting.map(({ tenantId }) => tenantId))
}
