import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { Origin } from './origin.ts'

/** Who makes a change (a user's id), when (an ISO timestamp), and where from; the event of the change tells all three.
 * */
export type Stamp = { by: string; at: string; origin: Origin | null }

/** A stamp without who: for changes that the server makes for a person, as a sign-in. */
export type Moment = Omit<Stamp, 'by'>

/** A call before sign-in. */
export type Arrival = { clock: ClockAndIds; origin: Origin | null }

export function momentOf({ clock, origin }: Arrival): Moment {
  return { at: timestamp(clock), origin }
}

export function stampOf(
  { userId, origin }: { userId: string; origin: Origin | null },
  clock: ClockAndIds,
): Stamp {
  return { by: userId, at: timestamp(clock), origin }
}

/** What a new row keeps of who made it, and when. */
export function firstStamp({ at, by }: Stamp) {
  return { created_at: at, created_by: by, updated_at: at, updated_by: by }
}
