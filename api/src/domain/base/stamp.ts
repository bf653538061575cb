import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { Origin } from './origin.ts'

/** Time (ISO) and origin of a change that has no user yet, such as a sign-in. */
export type Moment = { at: string; origin: Origin | null }

/** A moment with who makes the change (a user's id), and in which tenant; the event of the change tells all of it. */
export type Stamp = Moment & { tenantId: string; by: string }

/** A call before sign-in. */
export type Arrival = { clock: ClockAndIds; origin: Origin | null }

export function momentOf({ clock, origin }: Arrival): Moment {
  return { at: timestamp(clock), origin }
}

export function stampOf(
  { tenantId, userId, origin }: { tenantId: string; userId: string; origin: Origin | null },
  clock: ClockAndIds,
): Stamp {
  return { tenantId, by: userId, at: timestamp(clock), origin }
}

/** What a new row keeps of who made it, and when. */
export function firstStamp({ at, by }: Stamp) {
  return { created_at: at, created_by: by, updated_at: at, updated_by: by }
}
