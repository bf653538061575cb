import type { EndParts } from './domain/approvals/ending.ts'
import type { Together } from './domain/approvals/together.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { endExpired } from './domain/endings/expiry.ts'
import { Deliveries } from './domain/endings/request-deliveries.ts'
import type { RequestStore } from './domain/requests/request-store.ts'
import type { ApiSettings } from './settings.ts'
import type { ShortLived } from './short-lived.ts'
import type { Queries } from './storage/base/queries.ts'
import { type LibraryParts, togetherWith } from './storage/joined-stores.ts'
import { Requests } from './storage/requests/requests.ts'

/** How requests are kept and changed. */
export type Requesting = {
  requests: RequestStore
  together: Together
  deliveries: Deliveries
  /** Ends requests that have expired, and deletes what they contained. */
  sweepRequests: (parts: Pick<EndParts, 'clock' | 'endings'>) => Promise<void>
}

/** Wraps what the server changes requests with. */
export type AroundRequests = (
  inner: Pick<Requesting, 'requests' | 'together'>,
) => Pick<Requesting, 'requests' | 'together'>

type RequestingParts = {
  settings: Pick<ApiSettings, 'maxLiveRequests' | 'maxWaitingDepositBytes'>
  queries: Queries
  library: LibraryParts
  shortLived: Pick<ShortLived, 'notices'>
  clock: ClockAndIds
  aroundRequests?: AroundRequests | undefined
}

/** The requests in the database, and the ends of their deliveries. Before `opened` ends, these are recorded. */
export function openRequesting(
  opened: AsyncDisposableStack,
  { settings, queries, library, shortLived: { notices }, clock, aroundRequests }: RequestingParts,
): Requesting {
  const { maxLiveRequests: maxLive, maxWaitingDepositBytes: maxBytes } = settings
  const kept = new Requests(queries, { notices, maxLive, maxBytes })
  const inner = { requests: kept, together: togetherWith(queries, { requests: kept, library }) }
  const { requests, together } = aroundRequests?.(inner) ?? inner
  const deliveries = new Deliveries({ requests, together, clock })
  opened.defer(() => deliveries.settled())
  const sweepRequests: Requesting['sweepRequests'] = async ({ endings }) => {
    await endExpired({ clock, endings, together: inner.together })
    await kept.sweep(clock.now().getTime())
  }
  return { requests, together, deliveries, sweepRequests }
}
