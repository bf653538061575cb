import type { CallInput } from '@keyferry/contract/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../calls/call.ts'

export type ActivityFilter = Pick<CallInput<'listAudit'>, 'actor' | 'target' | 'action' | 'from' | 'to'>

const PAGE = 100
const SEALED_WITHIN_MS = 1_500

/** What happened in the workspace, newest first, 100 entries at a time; for owners. */
export function useActivity(filter: ActivityFilter) {
  return useInfiniteQuery({
    queryKey: ['listAudit', filter],
    queryFn: ({ pageParam: before }) =>
      call('listAudit', { ...filter, limit: PAGE, ...(before === null ? {} : { before }) }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : (page.at(-1)?.seq ?? null)),
    // What is not sealed yet will be in a moment.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.some(({ sealed }) => !sealed) === true ? SEALED_WITHIN_MS : false,
  })
}
