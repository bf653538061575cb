import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { SignedCaller } from './membership.ts'

/** Who makes a change (a user's id), and when (an ISO timestamp). */
export type Stamp = { by: string; at: string }

export function stampOf({ userId }: SignedCaller, clock: ClockAndIds): Stamp {
  return { by: userId, at: timestamp(clock) }
}
