import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import type { EventStore } from '../base/event.ts'
import type { Origin } from '../base/origin.ts'
import type { ApprovedNames } from '../requests/approved.ts'

type NotReleased = { reason: 'expired' | 'wrong_code'; origin: Origin | null }

/** Record that the approval of a request for names never returned to the terminal, so the list never left the server. */
export async function recordNamesNotReleased(
  { events, clock }: { events: EventStore; clock: ClockAndIds },
  { tenant, approverId, target }: ApprovedNames,
  { reason, origin }: NotReleased,
): Promise<void> {
  const actor = { kind: 'user', id: approverId } as const
  const what = { action: 'names.not_released', target, data: { reason } } as const
  await events.record({ tenantId: tenant.id, actor, at: timestamp(clock), origin, ...what })
}
