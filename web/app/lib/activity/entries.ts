import type { CallInput } from '@keyferry/contract/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../calls/call.ts'
import { useAnswer } from '../calls/use-call.ts'
import { useMay, useMe } from '../data/me.ts'

export type ActivityFilter = Pick<CallInput<'listAudit'>, 'actor' | 'target' | 'group' | 'from' | 'to'>

const PAGE = 100
const APPENDED_WITHIN_MS = 1_500

/** What happened in the workspace, newest first, 100 entries at a time; for a member, what they did. */
export function useActivity(filter: ActivityFilter) {
  const isKnown = useMe().data !== undefined
  const name = useMay()('listAudit') ? 'listAudit' : 'listOwnAudit'
  return useInfiniteQuery({
    enabled: isKnown,
    queryKey: [name, filter],
    queryFn: ({ pageParam: before }) =>
      call(name, { ...filter, stories: '1', limit: PAGE, ...(before === null ? {} : { before }) }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : (page.at(-1)?.seq ?? null)),
    // What is not appended yet will be in a moment.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.some(({ sealed }) => !sealed) === true ? APPENDED_WITHIN_MS : false,
  })
}

const DAYS = 14

/** How much of each kind happened on each of the last days, in the reader's time zone. */
export function useActivityDays({ actor, target }: ActivityFilter) {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return useAnswer('countAuditDays', {
    days: DAYS,
    time_zone,
    ...(actor === undefined ? {} : { actor }),
    ...(target === undefined ? {} : { target }),
  })
}
