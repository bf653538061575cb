import type { AuditDays } from '@keyferry/contract'
import { type AuditGroup, auditGroupOf, isRepeated, isStep } from '@keyferry/contract/audit-groups'
import type { z } from 'zod'
import type { Caller } from '../people/membership.ts'
import type { AuditEntry, AuditFilter, AuditStore, CountedEntry } from './audit.ts'

/*
 * A story is what a person tells as one thing: a request, its approval and its delivery; a deposit; the calls that a
 * program made for one bundle within an hour. Any other entry is a story of its own.
 */

/** @returns an id that the entries of one story have in common */
export function storyOf({ id, at, action, actor, target, data }: AuditEntry): string {
  if (isRepeated(action)) return callsOf({ at, action, actor_id: actor.id, target_id: target.id })
  const tie = data['delivery'] ?? data['deposit'] ?? data['proposal']
  return typeof tie === 'string' ? tie : id
}

// By the hour of the clock, so that a story does not depend on the entries around it.
function callsOf({ at, action, actor_id, target_id }: CountedEntry): string {
  return [action, actor_id, target_id, at.slice(0, 13)].join(' ')
}

const MOST_COUNTED = 20_000
const DAY_MS = 86_400_000

type Counting = Pick<AuditFilter, 'actor' | 'target'> & { days: number; time_zone: string }

/** How many stories of each kind happened on each of the last days; a member's are those that they did. */
export async function countDays(
  { audit, now }: { audit: Pick<AuditStore, 'listCounted'>; now: Date },
  { tenantId, role, userId }: Caller,
  { days, time_zone, actor, target }: Counting,
): Promise<z.output<typeof AuditDays>> {
  const filter = { actor: role === 'owner' ? actor : userId, target }
  const dayOf = dayIn(time_zone)
  // One more day than asked for: a day of the time zone can begin before one of UTC.
  const from = new Date(now.getTime() - (days + 1) * DAY_MS).toISOString()
  const entries = await audit.listCounted(tenantId, { ...filter, from }, MOST_COUNTED)
  const counts = new Map(lastDays(days, dayOf(now.toISOString())).map((day) => [day, none()]))
  for (const { at, action } of stories(entries)) {
    const counted = counts.get(dayOf(at))
    if (counted !== undefined) counted[auditGroupOf(action)] += 1
  }
  return {
    days: [...counts].map(([day, of]) => ({ day, counts: of })),
    counted_since: entries.length < MOST_COUNTED ? null : (entries.at(-1)?.at ?? null),
  }
}

/** One entry of each story. */
function stories(entries: readonly CountedEntry[]): CountedEntry[] {
  const calls = entries.filter(({ action }) => isRepeated(action))
  const others = entries.filter(({ action }) => !isRepeated(action) && !isStep(action))
  return [...new Map(calls.map((entry) => [callsOf(entry), entry])).values(), ...others]
}

function none(): Record<AuditGroup, number> {
  return { approvals: 0, values: 0, machines: 0, rules: 0, refused: 0, sign_ins: 0 }
}

/** The dates before and with the last one, in order. */
function lastDays(days: number, last: string): string[] {
  const lastMs = Date.parse(last)
  return Array.from({ length: days }, (_, index) =>
    new Date(lastMs - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** @returns the date of a time in a time zone. Ten minutes have one date, so it is worked out once for them. */
function dayIn(timeZone: string): (at: string) => string {
  // The locale that writes dates as ISO does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  const known = new Map<string, string>()
  return (at) => {
    const start = at.slice(0, 15)
    const day = known.get(start) ?? format.format(new Date(`${start}0:00.000Z`))
    known.set(start, day)
    return day
  }
}
