import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { Origin } from './origin.ts'

/** Who makes a change (a user's id), when (an ISO timestamp), and where from; the event of the change tells all three. */
export type Stamp = { by: string; at: string; origin: Origin | null }

export function stampOf(
  { userId, origin }: { userId: string; origin: Origin | null },
  clock: ClockAndIds,
): Stamp {
  return { by: userId, at: timestamp(clock), origin }
}
