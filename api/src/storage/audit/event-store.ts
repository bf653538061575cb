import type { EventStore } from '../../domain/base/event.ts'
import type { Queries } from '../base/queries.ts'

/** Records events that come with no other change. */
export function createEventStore({ write }: Queries): EventStore {
  return {
    record: (event) => write(async (transaction) => transaction.record(event)),
  }
}
