import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Together } from './domain/approvals/together.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { Deliveries } from './domain/endings/request-deliveries.ts'
import type { JoinedDeposit } from './domain/kinds/deposit-approval.ts'
import type { RequestStore } from './domain/requests/request-store.ts'
import type { ApiSettings } from './settings.ts'
import type { ShortLived } from './short-lived.ts'
import type { Queries } from './storage/base/queries.ts'
import { togetherWith } from './storage/joined-stores.ts'
import { Requests } from './storage/requests/requests.ts'

/** How requests are kept and changed. */
export type Requesting = {
  requests: RequestStore
  together: Together<JoinedDeposit>
  deliveries: Deliveries
  /** Deletes what requests held that have expired. */
  sweepRequests: () => Promise<void>
}

/** Wraps what the server changes requests with. */
export type AroundRequests = (
  inner: Pick<Requesting, 'requests' | 'together'>,
) => Pick<Requesting, 'requests' | 'together'>

type RequestingParts = {
  settings: Pick<ApiSettings, 'dataDir' | 'maxLiveRequests' | 'maxWaitingDepositBytes'>
  queries: Queries
  shortLived: Pick<ShortLived, 'notices'>
  clock: ClockAndIds
  aroundRequests?: AroundRequests | undefined
}

/** The requests in the database, and the ends of their deliveries. Before `opened` ends, these are recorded. */
export function openRequesting(
  opened: AsyncDisposableStack,
  { settings, queries, shortLived: { notices }, clock, aroundRequests }: RequestingParts,
): Requesting {
  const { dataDir, maxLiveRequests: maxLive, maxWaitingDepositBytes: maxBytes } = settings
  removeFormerFile(dataDir)
  const kept = new Requests(queries, { notices, maxLive, maxBytes })
  const inner = { requests: kept, together: togetherWith(queries, kept) }
  const { requests, together } = aroundRequests?.(inner) ?? inner
  const deliveries = new Deliveries({ requests, together, clock })
  opened.defer(() => deliveries.settled())
  return { requests, together, deliveries, sweepRequests: () => kept.sweep(clock.now().getTime()) }
}

// Earlier releases kept open requests, with sealed values, in a file beside the database.
function removeFormerFile(dataDir: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `requests.db${end}`), { force: true })
}
