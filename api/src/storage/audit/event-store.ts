import type { Event, EventStore } from '../../domain/base/event.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import { deleteOf } from '../base/tenant-rows.ts'

/** Longer than the server tries to record an event. */
const KEPT_MS = 3_600_000

/** Records events that come with no other change. */
export function createEventStore({ write }: Queries): EventStore {
  return {
    record: (event, once) =>
      write(async (transaction) => {
        if (once === undefined || (await isFirst(transaction, event, once))) transaction.record(event)
      }),
  }
}

async function isFirst(transaction: Recorded, { tenantId, at }: Event, key: string): Promise<boolean> {
  const oldest = new Date(Date.parse(at) - KEPT_MS).toISOString()
  await deleteOf(transaction, 'recorded_once', tenantId).where('at', '<', oldest).execute()
  const insertion = transaction.insertInto('recorded_once').values({ tenant_id: tenantId, key, at })
  return hasChanged(insertion.onConflict((known) => known.columns(['tenant_id', 'key']).doNothing()))
}
