import type { AuditAction } from '@keyferry/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { call } from '../api.ts'
import { describeFailure } from '../failure.ts'

/** `actor`: a user's id; `target`: the id of a key, bundle or person; `from`, `to`: ISO timestamps, `to` itself excluded. */
export type ActivityFilter = {
  actor?: string
  target?: string
  action?: AuditAction
  from?: string
  to?: string
}

const ACTIVITY = ['activity']

const PAGE = 100
const SEALED_WITHIN_MS = 1_500

/** What happened in the workspace, newest first, 100 entries at a time; for owners. */
export function useActivity(filter: ActivityFilter) {
  return useInfiniteQuery({
    queryKey: [...ACTIVITY, 'entries', filter],
    queryFn: ({ pageParam: before }) =>
      call('GET', '/api/v1/audit', {
        query: { ...filter, limit: PAGE, ...(before === null ? {} : { before }) },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : (page.at(-1)?.seq ?? null)),
    // What is not sealed yet will be in a moment.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.some(({ sealed }) => !sealed) === true ? SEALED_WITHIN_MS : false,
  })
}

/** The newest note of the log: a signed text that says how far the log is sealed. Null before the first seal. */
export function useAuditNote() {
  return useQuery({
    queryKey: [...ACTIVITY, 'note'],
    queryFn: async () => {
      try {
        return await call('GET', '/api/v1/audit/note')
      } catch (error) {
        if (describeFailure(error).status === 404) return null
        throw error
      }
    },
    refetchInterval: 10_000,
  })
}

/** The key that verifies the notes of this server. */
export function useAuditKey() {
  return useQuery({
    queryKey: [...ACTIVITY, 'key'],
    queryFn: () => call('GET', '/api/v1/audit/key'),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** One delivery; null where the server no longer knows it. */
export function useDelivery(id: string) {
  return useQuery({
    queryKey: [...ACTIVITY, 'delivery', id],
    queryFn: () => call('GET', '/api/v1/deliveries/{delivery_id}', { params: { delivery_id: id } }),
  })
}
