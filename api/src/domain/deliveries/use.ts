import { USE_DAYS, type UseList, type UseQuery } from '@keyferry/contract'
import type { z } from 'zod'
import { chunksOf, type Slice } from '../base/listing.ts'
import type { Caller } from '../people/membership.ts'

/*
 * Use is counted by the day, in the transaction that notes a fetch: a person's client has confirmed a delivery, or a
 * program got one. The counts stay when old deliveries are deleted.
 */

type UseOf = z.output<typeof UseQuery>['by']

/** `fetches` by the day, for example 2026-01-31. `last_at`: ISO timestamp; null without a fetch. */
export type UseCount = {
  id: string
  name: string
  fetches: ReadonlyMap<string, number>
  last_at: string | null
}

export interface UseStore {
  /** Of the bundles or programs of a tenant, by name. */
  list(tenantId: string, by: UseOf, slice: Slice): Promise<UseCount[]>
}

type WantedUse = z.output<typeof UseQuery> & { now: Date }

/** The use of all bundles or programs that had a fetch, by name. */
export async function* listUse(
  uses: UseStore,
  { tenantId }: Caller,
  { by, days, now }: WantedUse,
): AsyncGenerator<z.output<typeof UseList>> {
  const shown = lastDays(now, days)
  for await (const chunk of chunksOf((slice) => uses.list(tenantId, by, slice), {}))
    yield chunk.flatMap(({ id, fetches, last_at }) =>
      last_at === null ? [] : [{ id, days: shown.map((day) => fetches.get(day) ?? 0), last_at }],
    )
}

const DAY_MS = 86_400_000

function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    return dayOf(new Date(now.getTime() - (count - 1 - at) * DAY_MS).toISOString())
  })
}

/** The day of an ISO timestamp. */
export const dayOf = (at: string) => at.slice(0, 'yyyy-mm-dd'.length)

/** Where the count of a day is kept. */
export const slotOf = (at: string) => Math.floor(Date.parse(at) / DAY_MS) % USE_DAYS
